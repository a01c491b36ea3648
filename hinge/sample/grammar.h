// The sampler's grammar: the rule text of lexicon.h, parsed.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "hinge/sample/lexicon.h"

namespace hinge::sampling {

struct WordClass {
  bool is_human = false, is_name = false;
  std::uint64_t octaves = 0;
  std::vector<std::string_view> words, suffixes;
};

struct Step {
  enum class Kind { kOpen, kClose, kEntity, kWord, kCall, kPlan, kBuiltIn };
  Kind kind;
  std::string_view label = {};     // of the phrase, word, entity, plan or built-in
  std::string_view relation = {};  // "*": that of the caller
  std::string_view word = {};      // literal or pattern; empty: from the class
  int target = -1;                 // symbol or word class
  bool is_preferred = false;       // the previous word prefers some words of the class
  int percent = 100;
};

struct Alternative {
  int weight = 1;
  bool needs_room = false;
  std::vector<Step> steps;
};

class Grammar {
 public:
  Grammar() {
    for (const lexicon::WordClass& entry : lexicon::kClasses) add_class(entry);
    for (const lexicon::Rule& rule : lexicon::kRules) {
      symbols_.emplace(rule.symbol, static_cast<int>(symbols_.size()));
    }
    for (const lexicon::Rule& rule : lexicon::kRules)
      alternatives_.push_back(parse_alternatives(rule.alternatives));
  }

  int symbol(std::string_view name) const { return symbols_.at(name); }
  const std::vector<Alternative>& alternatives(int symbol) const { return alternatives_[symbol]; }
  int class_index(std::string_view name) const { return class_names_.at(name); }
  const WordClass& word_class(int index) const { return classes_[index]; }

 private:
  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
      const std::string_view part = lexicon::take_until(text, ' ');
      if (!part.empty()) parts.push_back(part);
    }
    return parts;
  }

  void add_class(const lexicon::WordClass& entry) {
    class_names_[entry.name] = static_cast<int>(classes_.size());
    const bool is_human = entry.name == "person";
    const bool is_name = entry.name.front() >= 'A' && entry.name.front() <= 'Z';
    classes_.push_back({is_human, is_name, static_cast<std::uint64_t>(entry.octaves), split(entry.words),
                        split(entry.suffixes)});
  }

  std::vector<Alternative> parse_alternatives(std::string_view text) const {
    std::vector<Alternative> alternatives;
    do alternatives.push_back(parse_alternative(lexicon::take_until(text, '|')));
    while (!text.empty());
    return alternatives;
  }

  Alternative parse_alternative(std::string_view body) const {
    Alternative alternative;
    for (std::string_view text : split(body)) {
      if (text.front() >= '0' && text.front() <= '9') {
        alternative.weight = parse_number(text);
        continue;
      }
      alternative.needs_room |= text.starts_with('+');
      if (text.starts_with('+')) text.remove_prefix(1);
      const std::size_t end = text.find_last_not_of(')') + 1;
      alternative.steps.push_back(parse_step(text.substr(0, end)));
      alternative.steps.insert(alternative.steps.end(), text.size() - end, {Step::Kind::kClose});
    }
    return alternative;
  }

  Step parse_step(std::string_view text) const {
    using Kind = Step::Kind;
    if (text.front() == '<' || text == ">") return {Kind::kEntity, text.substr(1)};
    const bool opens = text.starts_with('(');
    if (opens) text.remove_prefix(1);
    const bool is_lower = text.front() >= 'a' && text.front() <= 'z';
    std::string_view word = lexicon::take_until(text, '?');
    const int percent = text.empty() ? 100 : parse_number(text);
    std::string_view relation = lexicon::take_until(word, '=');
    const std::string_view label = lexicon::take_until(relation, ':');
    if (opens) return {Kind::kOpen, label, relation};
    if (!is_lower) return parse_word(label, relation, word, percent);
    if (label == "plan") return {Kind::kPlan, word};
    const auto found = symbols_.find(label);
    if (found == symbols_.end()) return {Kind::kBuiltIn, label, relation, {}, -1, false, percent};
    return {Kind::kCall, label, relation, {}, found->second, false, percent};
  }

  Step parse_word(std::string_view tag, std::string_view relation, std::string_view word, int percent) const {
    const bool is_preferred = word.starts_with('~');
    if (!is_preferred && !word.starts_with('@'))
      return {Step::Kind::kWord, tag, relation, word, -1, false, percent};
    return {Step::Kind::kWord, tag, relation, {}, class_index(word.substr(1)), is_preferred, percent};
  }

  static int parse_number(std::string_view digits) {
    int number = 0;
    for (const char digit : digits) number = 10 * number + (digit - '0');
    return number;
  }

  std::map<std::string_view, int> symbols_, class_names_;
  std::vector<std::vector<Alternative>> alternatives_;  // [symbols]
  std::vector<WordClass> classes_;
};

// Parsed once; thread-safe.
inline const Grammar& grammar() {
  static const Grammar instance;
  return instance;
}

}  // namespace hinge::sampling
