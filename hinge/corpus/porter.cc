#include "hinge/corpus/porter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace hinge {
namespace {

using Rule = std::pair<std::string_view, std::string_view>;  // suffix, what replaces it

// Not in the paper. Sorted.
constexpr auto kIrregular = std::to_array<Rule>({
    {"canning", "canning"},
    {"cannings", "canning"},
    {"dying", "die"},
    {"exceed", "exceed"},
    {"howe", "howe"},
    {"inning", "inning"},
    {"innings", "inning"},
    {"lying", "lie"},
    {"news", "news"},
    {"outing", "outing"},
    {"outings", "outing"},
    {"proceed", "proceed"},
    {"skies", "sky"},
    {"sky", "sky"},
    {"succeed", "succeed"},
    {"tying", "tie"},
});

// In every list the first suffix that fits decides, so a longer one precedes its endings.
constexpr auto kStep2 = std::to_array<Rule>({
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
    {"izer", "ize"},    {"bli", "ble"},  // the paper has abli
    {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},       {"ousli", "ous"},
    {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},    {"alism", "al"},
    {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
    {"iviti", "ive"},   {"biliti", "ble"},  {"fulli", "ful"},  // not in the paper
});

constexpr auto kStep3 = std::to_array<Rule>({{"icate", "ic"},
                                             {"ative", ""},
                                             {"alize", "al"},
                                             {"iciti", "ic"},
                                             {"ical", "ic"},
                                             {"ful", ""},
                                             {"ness", ""}});

constexpr auto kStep4 =
    std::to_array<std::string_view>({"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment",
                                     "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"});

bool is_vowel_letter(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

// y is a consonant at the beginning and after a vowel.
bool is_consonant(char c, bool after_consonant) {
  if (is_vowel_letter(c)) return false;
  return c != 'y' || !after_consonant;
}

bool is_consonant_at(std::string_view word, std::size_t at) {
  bool consonant = false;
  // Whether y is a consonant depends on the letters before it, but only within a run of y.
  std::size_t begin = at;
  while (begin > 0 && word[begin] == 'y') --begin;
  for (std::size_t i = begin; i <= at; ++i) consonant = is_consonant(word[i], i > 0 && consonant);
  return consonant;
}

// m in [C](VC){m}[V]: how often a consonant follows a vowel.
std::size_t measure(std::string_view stem) {
  std::size_t m = 0;
  bool consonant = false;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    const bool next = is_consonant(stem[i], i > 0 && consonant);
    if (i > 0 && next && !consonant) ++m;
    consonant = next;
  }
  return m;
}

bool has_vowel(std::string_view stem) {  // *v*
  bool consonant = false;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    consonant = is_consonant(stem[i], i > 0 && consonant);
    if (!consonant) return true;
  }
  return false;
}

bool ends_in_double_consonant(std::string_view word) {  // *d
  const std::size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && is_consonant_at(word, n - 1);
}

bool ends_in_cvc(std::string_view word) {  // *o
  const std::size_t n = word.size();
  // Not in the paper: "ag" of "aged" gets its e back.
  if (n == 2) return !is_consonant_at(word, 0) && is_consonant_at(word, 1);
  if (n < 3 || !is_consonant_at(word, n - 3) || is_consonant_at(word, n - 2)) return false;
  return is_consonant_at(word, n - 1) && word[n - 1] != 'w' && word[n - 1] != 'x' && word[n - 1] != 'y';
}

std::string_view without(std::string_view word, std::size_t letters) {
  return word.substr(0, word.size() - letters);
}

void replace_ending(std::string& word, std::size_t letters, std::string_view ending) {
  word.erase(word.size() - letters);
  word += ending;
}

void step_1a(std::string& word) {
  if (word.ends_with("ies")) {
    replace_ending(word, 3, word.size() == 4 ? "ie" : "i");  // ie is not in the paper: dies, ties
  } else if (word.ends_with("sses")) {
    word.erase(word.size() - 2);
  } else if (word.ends_with('s') && !word.ends_with("ss")) {
    word.pop_back();
  }
}

// After -ed or -ing was removed.
void restore_ending(std::string& word) {
  if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz")) {
    word += 'e';
  } else if (ends_in_double_consonant(word)) {
    if (!word.ends_with('l') && !word.ends_with('s') && !word.ends_with('z')) word.pop_back();
  } else if (measure(word) == 1 && ends_in_cvc(word)) {
    word += 'e';
  }
}

void step_1b(std::string& word) {
  if (word.ends_with("ied")) {  // not in the paper: died, spied
    replace_ending(word, 3, word.size() == 4 ? "ie" : "i");
    return;
  }
  if (word.ends_with("eed")) {
    if (measure(without(word, 3)) > 0) word.pop_back();
    return;
  }
  const std::size_t letters = word.ends_with("ed") ? 2 : word.ends_with("ing") ? 3 : 0;
  if (letters == 0 || !has_vowel(without(word, letters))) return;
  word.erase(word.size() - letters);
  restore_ending(word);
}

// The paper's condition is *v*, which gives enjoi.
void step_1c(std::string& word) {
  const std::size_t n = word.size();
  if (n > 2 && word.ends_with('y') && is_consonant_at(word, n - 2)) word.back() = 'i';
}

// Applies the first rule whose suffix fits, if m > 0.
void apply_first(std::span<const Rule> rules, std::string& word) {
  for (const auto& [suffix, ending] : rules) {
    if (!word.ends_with(suffix)) continue;
    if (measure(without(word, suffix.size())) > 0) replace_ending(word, suffix.size(), ending);
    return;
  }
}

void step_2(std::string& word) {
  // Not in the paper: after -alli the step is repeated.
  while (word.ends_with("alli") && measure(without(word, 4)) > 0) word.erase(word.size() - 2);
  if (word.ends_with("logi")) {  // not in the paper
    if (measure(without(word, 3)) > 0) word.pop_back();
    return;
  }
  apply_first(kStep2, word);
}

void step_4(std::string& word) {
  for (const std::string_view suffix : kStep4) {
    if (!word.ends_with(suffix)) continue;
    const std::string_view stem = without(word, suffix.size());
    const bool fits = suffix != "ion" || stem.ends_with('s') || stem.ends_with('t');
    if (fits && measure(stem) > 1) word.resize(stem.size());
    return;
  }
}

void step_5(std::string& word) {
  if (word.ends_with('e')) {
    const std::string_view stem = without(word, 1);
    const std::size_t m = measure(stem);
    if (m > 1 || (m == 1 && !ends_in_cvc(stem))) word.pop_back();
  }
  if (word.ends_with("ll") && measure(without(word, 1)) > 1) word.pop_back();
}

}  // namespace

void porter_stem(std::string& word) {
  const auto irregular =
      std::lower_bound(kIrregular.begin(), kIrregular.end(), std::string_view(word),
                       [](const Rule& rule, std::string_view key) { return rule.first < key; });
  if (irregular != kIrregular.end() && irregular->first == word) {
    word = irregular->second;
    return;
  }
  if (word.size() <= 2) return;
  step_1a(word);
  step_1b(word);
  step_1c(word);
  step_2(word);
  apply_first(kStep3, word);
  step_4(word);
  step_5(word);
}

}  // namespace hinge
