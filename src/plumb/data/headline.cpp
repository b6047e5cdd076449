#include "plumb/data/headline.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "plumb/base/error.h"
#include "plumb/base/random_stream.h"
#include "plumb/data/headline_words.h"

namespace plumb {
namespace {

using namespace headline_words;

struct Actor {
  std::string_view role, town;
};

struct Thing {
  std::string_view number;  // empty: one
  std::string_view adjective, noun;
};

/// What happened, and so what the headline says.
struct Fact {
  enum class Tail { None, To, After, And };
  Actor actor;
  const Verb* verb = nullptr;
  Thing thing;
  bool passive = false;
  Tail tail = Tail::None;
  Actor receiver;                           // Tail::To: an institution and its town
  std::string_view event_adjective, event;  // Tail::After
  const Verb* other_verb = nullptr;         // Tail::And
  Thing other_thing;
};

std::string_view article_of(std::string_view word) {
  return std::string_view("aeiou").find(word.front()) == std::string_view::npos ? "a" : "an";
}

std::string noun_of(const Thing& thing) {
  if (thing.number.empty()) return std::string(thing.noun);
  if (!thing.noun.ends_with('y')) return std::string(thing.noun) + "s";
  return std::string(thing.noun.substr(0, thing.noun.size() - 1)) + "ies";
}

/// Writes articles: draws words and puts sentences together.
class Writer {
 public:
  Writer(uint64_t seed, Split split) : random_(seed, fmt::format("headline/{}", name_of(split))) {}

  Fact draw_fact() {
    Fact fact;
    fact.actor = actor();
    fact.verb = &choose(kVerbs);
    fact.thing = thing();
    if (one_in(4)) fact.thing.number = choose(kNumbers);
    fact.passive = one_in(3);
    fact.receiver = {choose(kInstitutions), choose(kTowns)};
    fact.event_adjective = choose(kEventAdjectives);
    fact.event = choose(kEvents);
    fact.other_verb = &choose(kVerbs);
    fact.other_thing = thing();
    fact.tail = static_cast<Fact::Tail>(random_.below(4));
    if (fact.tail == Fact::Tail::To && !fact.verb->to) fact.tail = Fact::Tail::None;
    // A second thing would make a passive ambiguous, and a number the headline too long.
    if (fact.tail == Fact::Tail::And && (fact.passive || !fact.thing.number.empty())) fact.tail = Fact::Tail::None;
    return fact;
  }

  /// Empty if what was drawn is too short or too long.
  std::string draw_article(const Fact& fact) {
    text_.clear();
    const uint64_t others = 1 + random_.below(3), place = random_.below(others + 1);
    for (uint64_t i = 0; i <= others; ++i) {
      if (i == place) {
        main_sentence(fact);
      } else {
        other_sentence();
      }
    }
    const int64_t words = std::ranges::count(text_, ' ') + 1;
    return words >= kShortestArticle && words <= kLongestArticle ? text_ : "";
  }

 private:
  bool one_in(uint64_t chances) { return random_.below(chances) == 0; }

  template <class Word, size_t kCount>
  const Word& choose(const Word (&words)[kCount]) {
    return words[static_cast<size_t>(random_.below(kCount))];
  }

  Actor actor() {
    const std::string_view role = choose(kRoles);
    return {role, choose(kTowns)};
  }

  Thing thing() {
    const std::string_view adjective = choose(kAdjectives);
    return {{}, adjective, choose(kNouns)};
  }

  // A comma that a clause ends with is swallowed by the mark that follows it.
  void add(std::string_view words) {
    const bool mark = words.front() == ',' || words.front() == '.';
    if (mark && text_.ends_with(" ,")) text_.resize(text_.size() - 2);
    if (!text_.empty()) text_ += ' ';
    text_ += words;
  }

  void add(const Actor& who) { add(fmt::format("the {} of {}", who.role, who.town)); }

  void add(const Thing& what) {
    const std::string_view first = !what.number.empty() ? what.number
                                   : one_in(2)          ? std::string_view("the")
                                                        : article_of(what.adjective);
    add(fmt::format("{} {} {}", first, what.adjective, noun_of(what)));
  }

  void add_where() {
    const std::string_view where = choose(kWheres);
    add(fmt::format("{} the {}", where, choose(kLandmarks)));
  }

  void main_sentence(const Fact& fact) {
    const bool day_first = one_in(4), source_first = !day_first && one_in(4);
    if (day_first) add(fmt::format("on {} ,", choose(kDays)));
    if (source_first) add(fmt::format("according to {} ,", choose(kSources)));
    if (fact.passive) {
      passive(fact);
    } else {
      active(fact);
    }
    add_tail(fact);
    if (!day_first && one_in(2)) add(fmt::format("on {}", choose(kDays)));
    if (!source_first && one_in(3)) add(fmt::format(", a spokesman for the {} said", choose(kInstitutions)));
    add(".");
  }

  void active(const Fact& fact) {
    add(fact.actor);
    add_relative();
    add(fact.verb->past);
    add(fact.thing);
    if (one_in(2)) add_where();
  }

  void passive(const Fact& fact) {
    add(fact.thing);
    if (one_in(2)) add_where();
    add(fact.thing.number.empty() ? "was" : "were");
    add(fact.verb->participle);
    add("by");
    add(fact.actor);
    add_relative();
  }

  void add_relative() {
    if (!one_in(2)) return;
    add(", who had");
    add(choose(kVerbs).participle);
    add(thing());
    add(fmt::format("in {} ,", choose(kMonths)));
  }

  void add_tail(const Fact& fact) {
    switch (fact.tail) {
      case Fact::Tail::None:
        return;
      case Fact::Tail::To:
        add("to");
        return add(fact.receiver);
      case Fact::Tail::After:
        return add(fmt::format("after {} {} {}", article_of(fact.event_adjective), fact.event_adjective, fact.event));
      case Fact::Tail::And:
        add("and");
        add(fact.other_verb->past);
        return add(fact.other_thing);
    }
  }

  // What has not happened, or long before: nothing in here is in the simple past but "said".
  void other_sentence() {
    const Actor who = actor();
    const Verb& verb = choose(kVerbs);
    const Thing what = thing();
    switch (random_.below(5)) {
      case 0:
        add(fmt::format("{} years earlier ,", choose(kNumbers)));
        add(who);
        add("had");
        add(verb.participle);
        add(what);
        add_where();
        break;
      case 1:
        add(who);
        add("plans to");
        add(verb.base);
        add(what);
        add("next month");
        break;
      case 2:
        add(who);
        add("has not yet");
        add(verb.participle);
        add(what);
        add_where();
        break;
      case 3:
        add("it remains unclear whether");
        add(who);
        add("will");
        add(verb.base);
        add(what);
        break;
      default:
        add(what);
        add("had been");
        add(verb.participle);
        add("by");
        add(who);
        add(fmt::format("in {}", choose(kMonths)));
    }
    add(".");
  }

  RandomStream random_;
  std::string text_;
};

std::string headline_of(const Fact& fact) {
  const Thing& thing = fact.thing;
  std::string text = fmt::format("{} {} {} {}{}{} {}", fact.actor.town, fact.actor.role, fact.verb->present,
                                 thing.number, thing.number.empty() ? "" : " ", thing.adjective, noun_of(thing));
  switch (fact.tail) {
    case Fact::Tail::None:
      break;
    case Fact::Tail::To:
      text += fmt::format(" to {} {}", fact.receiver.town, fact.receiver.role);
      break;
    case Fact::Tail::After:
      text += fmt::format(" after {} {}", fact.event_adjective, fact.event);
      break;
    case Fact::Tail::And:
      text += fmt::format(" , {} {} {}", fact.other_verb->present, fact.other_thing.adjective, fact.other_thing.noun);
  }
  return text;
}

}  // namespace

HeadlinePairs headline_pairs(Split split, int64_t count, uint64_t seed) {
  constexpr int64_t kMost = 1'000'000;  // far from all: their number is beyond 10^10
  if (count > kMost) throw UserError("headline", fmt::format("{} articles are too many", count), "Ask for a million");
  Writer writer(seed, split);
  HeadlinePairs pairs;
  std::set<std::string> seen;
  while (std::ssize(pairs.headlines) < count) {
    const Fact fact = writer.draw_fact();
    std::string headline = headline_of(fact);
    if (split_of(headline) != split || seen.contains(headline)) continue;
    std::string article = writer.draw_article(fact);
    if (article.empty()) continue;
    seen.insert(headline);
    pairs.headlines.push_back(std::move(headline));
    pairs.articles.push_back(std::move(article));
  }
  return pairs;
}

}  // namespace plumb
