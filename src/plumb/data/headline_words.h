#pragma once

#include <string_view>

/// The words of the headlines (data/headline.h): about four hundred with their forms. No noun or adjective is spelt
/// like a form of a verb, so that a verb can be told by its word and the one before it.
namespace plumb::headline_words {

struct Verb {
  std::string_view base, past, participle, present;
  bool to = false;  // can name who got it: "sold a mill to the academy of ghent"
};

// clang-format off
inline constexpr Verb kVerbs[] = {
    {"open", "opened", "opened", "opens"},
    {"close", "closed", "closed", "closes"},
    {"buy", "bought", "bought", "buys"},
    {"sell", "sold", "sold", "sells", true},
    {"build", "built", "built", "builds"},
    {"paint", "painted", "painted", "paints"},
    {"repair", "repaired", "repaired", "repairs"},
    {"visit", "visited", "visited", "visits"},
    {"praise", "praised", "praised", "praises"},
    {"choose", "chose", "chosen", "chooses"},
    {"draw", "drew", "drawn", "draws"},
    {"show", "showed", "shown", "shows", true},
    {"find", "found", "found", "finds"},
    {"lose", "lost", "lost", "loses", true},
    {"steal", "stole", "stolen", "steals"},
    {"hide", "hid", "hidden", "hides"},
    {"keep", "kept", "kept", "keeps"},
    {"move", "moved", "moved", "moves"},
    {"inspect", "inspected", "inspected", "inspects"},
    {"restore", "restored", "restored", "restores", true},
    {"rent", "rented", "rented", "rents", true},
    {"defend", "defended", "defended", "defends"},
    {"promise", "promised", "promised", "promises", true},
    {"forget", "forgot", "forgotten", "forgets"},
    {"take", "took", "taken", "takes"},
    {"give", "gave", "given", "gives", true},
    {"design", "designed", "designed", "designs"},
    {"insure", "insured", "insured", "insures"},
    {"describe", "described", "described", "describes", true},
    {"reject", "rejected", "rejected", "rejects"},
    {"borrow", "borrowed", "borrowed", "borrows"},
    {"copy", "copied", "copied", "copies"},
    {"study", "studied", "studied", "studies"},
    {"measure", "measured", "measured", "measures"},
};

inline constexpr std::string_view kRoles[] = {
    "mayor", "bishop", "coach", "judge", "governor", "duke", "librarian", "conductor", "architect", "banker", "baker",
    "captain", "chemist", "editor", "gardener", "lawyer", "miller", "painter", "pilot", "poet", "professor", "sheriff",
    "surgeon", "treasurer",
};

inline constexpr std::string_view kTowns[] = {
    "lund", "turin", "ghent", "bergen", "porto", "graz", "basel", "leeds", "cork", "lille", "toledo", "verona", "krakow",
    "riga", "tartu", "turku", "aarhus", "delft", "bruges", "nantes", "dijon", "seville", "padua", "trieste", "salzburg",
    "linz", "zagreb", "split", "sofia", "patras", "malmo", "trondheim",
};

inline constexpr std::string_view kAdjectives[] = {
    "new", "old", "small", "large", "wooden", "red", "blue", "green", "white", "black", "narrow", "famous", "expensive",
    "empty", "ancient", "modern", "ugly", "beautiful", "tall", "historic", "unusual", "iron", "public", "private",
    "elegant", "round",
};

/// All with a plural in -s, or -ies after y.
inline constexpr std::string_view kNouns[] = {
    "bridge", "ferry", "museum", "school", "library", "factory", "tower", "garden", "theatre", "hospital", "tunnel",
    "castle", "statue", "fresco", "clock", "organ", "mill", "farm", "boat", "tram", "lighthouse", "fountain", "chapel",
    "stadium", "prison", "brewery", "vineyard", "observatory", "canal", "windmill", "barn", "carousel", "telescope",
    "piano", "bell", "archive",
};

inline constexpr std::string_view kInstitutions[] = {
    "academy", "council", "bank", "club", "union", "embassy", "orchestra", "parish", "charity", "court",
};

inline constexpr std::string_view kEventAdjectives[] = {
    "long", "short", "bitter", "sudden", "violent", "quiet", "second", "third",
};

inline constexpr std::string_view kEvents[] = {
    "strike", "storm", "flood", "election", "festival", "protest", "fire", "trial", "drought", "debate", "scandal",
    "vote",
};

inline constexpr std::string_view kWheres[] = {"near", "behind", "opposite"};

inline constexpr std::string_view kLandmarks[] = {
    "river", "station", "harbour", "border", "airport", "market", "cathedral", "park", "lake", "forest", "motorway",
    "university", "beach", "square",
};

inline constexpr std::string_view kDays[] = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
};

inline constexpr std::string_view kMonths[] = {
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
};

inline constexpr std::string_view kSources[] = {"local radio", "two witnesses", "the police", "an evening paper"};

inline constexpr std::string_view kNumbers[] = {"two", "three", "four", "five", "six", "seven", "eight", "nine"};
// clang-format on

}  // namespace plumb::headline_words
