#include "plumb/metric/porter.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace plumb {
namespace {

/// y is a vowel after a consonant, and a consonant at the beginning or after a vowel.
bool is_vowel(char letter, bool after_consonant) {
  return letter == 'y' ? after_consonant : std::string_view("aeiou").find(letter) != std::string_view::npos;
}

bool has_vowel_at(std::string_view word, size_t at) {
  size_t first = at;  // of a row of y, which take turns
  while (first > 0 && word[first] == 'y' && word[first - 1] == 'y') --first;
  const bool after_consonant = first > 0 && !is_vowel(word[first - 1], false);
  return is_vowel(word[at], after_consonant == ((at - first) % 2 == 0));
}

/// Porter's m: how often a consonant follows a vowel, [C](VC)^m[V].
int measure(std::string_view stem) {
  int m = 0;
  bool vowel = false, began = false;
  for (const char letter : stem) {
    const bool was_vowel = std::exchange(vowel, is_vowel(letter, began && !vowel));
    m += was_vowel && !vowel;
    began = true;
  }
  return m;
}

bool has_vowel(std::string_view stem) {
  // Where no other vowel is, the first y that does not begin the word follows a consonant.
  return stem.find_first_of("aeiou") != std::string_view::npos || stem.find('y', 1) != std::string_view::npos;
}

/// Porter's *d: -tt, -ss.
bool ends_in_double_consonant(std::string_view word) {
  return word.size() >= 2 && word.back() == word[word.size() - 2] && !has_vowel_at(word, word.size() - 1);
}

/// Porter's *o: consonant, vowel, consonant that is not w, x or y (-wil, -hop). Two letters are enough if the word
/// begins with the vowel: a change of NLTK's.
bool ends_short(std::string_view word) {
  const size_t n = word.size();
  if (n < 2 || has_vowel_at(word, n - 1) || !has_vowel_at(word, n - 2)) return false;
  if (n == 2) return true;
  return !has_vowel_at(word, n - 3) && word.back() != 'w' && word.back() != 'x' && word.back() != 'y';
}

struct Ending {
  std::string_view from, to;
};

/// The first ending that fits decides, and is replaced if its stem has a measure above `least`.
std::string replace_ending(std::string_view word, std::span<const Ending> endings, int least) {
  for (const auto& [from, to] : endings) {
    if (!word.ends_with(from)) continue;
    const std::string_view stem = word.substr(0, word.size() - from.size());
    return measure(stem) > least ? std::string(stem).append(to) : std::string(word);
  }
  return std::string(word);
}

std::string step_1a(std::string_view word) {
  if (word.ends_with("ies")) return std::string(word.substr(0, word.size() - (word.size() == 4 ? 1 : 2)));
  if (word.ends_with("sses")) return std::string(word.substr(0, word.size() - 2));
  if (word.ends_with("s") && !word.ends_with("ss")) return std::string(word.substr(0, word.size() - 1));
  return std::string(word);
}

// What is left after -ed or -ing was taken off.
std::string mend(std::string stem) {
  if (stem.ends_with("at") || stem.ends_with("bl") || stem.ends_with("iz")) return stem + 'e';
  if (ends_in_double_consonant(stem)) {
    const char last = stem.back();
    if (last != 'l' && last != 's' && last != 'z') stem.pop_back();
    return stem;
  }
  return measure(stem) == 1 && ends_short(stem) ? stem + 'e' : stem;
}

std::string step_1b(std::string_view word) {
  const size_t n = word.size();
  if (word.ends_with("ied")) return std::string(word.substr(0, n - (n == 4 ? 1 : 2)));
  if (word.ends_with("eed")) return std::string(measure(word.substr(0, n - 3)) > 0 ? word.substr(0, n - 1) : word);
  for (const std::string_view ending : {"ed", "ing"}) {
    if (!word.ends_with(ending)) continue;
    const std::string_view stem = word.substr(0, n - ending.size());
    if (has_vowel(stem)) return mend(std::string(stem));
  }
  return std::string(word);
}

std::string step_1c(std::string word) {
  if (word.size() > 2 && word.back() == 'y' && !has_vowel_at(word, word.size() - 2)) word.back() = 'i';
  return word;
}

std::string step_2(std::string_view word) {
  constexpr Ending kEndings[] = {
      {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
      {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
      {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
      {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
      {"fulli", "ful"},
  };
  // -ally becomes -al, which may be an ending of this step once more: "rationally", "rational", "ration".
  if (word.ends_with("alli") && measure(word.substr(0, word.size() - 4)) > 0) {
    return step_2(word.substr(0, word.size() - 2));
  }
  // The l counts for the stem, so that "geology" is treated like "archaeology".
  if (word.ends_with("logi") && measure(word.substr(0, word.size() - 3)) > 0) {
    return std::string(word.substr(0, word.size() - 1));
  }
  return replace_ending(word, kEndings, 0);
}

std::string step_3(std::string_view word) {
  constexpr Ending kEndings[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                 {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
  return replace_ending(word, kEndings, 0);
}

std::string step_4(std::string_view word) {
  constexpr Ending kEndings[] = {{"al", ""},   {"ance", ""}, {"ence", ""},  {"er", ""},   {"ic", ""},  {"able", ""},
                                 {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ou", ""},
                                 {"ism", ""},  {"ate", ""},  {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""}};
  // The s or t before -ion belongs to the stem, whose measure counts.
  if (word.ends_with("sion") || word.ends_with("tion")) {
    const std::string_view stem = word.substr(0, word.size() - 3);
    return std::string(measure(stem) > 1 ? stem : word);
  }
  return replace_ending(word, kEndings, 1);
}

std::string step_5(std::string word) {
  if (word.ends_with('e')) {
    const std::string_view stem = std::string_view(word).substr(0, word.size() - 1);
    const int m = measure(stem);
    if (m > 1 || (m == 1 && !ends_short(stem))) word.pop_back();
  }
  if (word.ends_with("ll") && measure(std::string_view(word).substr(0, word.size() - 1)) > 1) word.pop_back();
  return word;
}

// Words that no rule gets right.
constexpr Ending kIrregular[] = {
    {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
    {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
    {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
    {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};

}  // namespace

std::string porter_stem(std::string_view word) {
  const auto own = std::ranges::find(kIrregular, word, &Ending::from);
  if (own != std::end(kIrregular)) return std::string(own->to);
  if (word.size() <= 2) return std::string(word);
  return step_5(step_4(step_3(step_2(step_1c(step_1b(step_1a(word)))))));
}

}  // namespace plumb
