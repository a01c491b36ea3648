// Features as people read them: "NP: first word=the", "NP -> DT NN: length=2". Models store only
// hashes, so texts are made from the templates and the words of a sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hinge/tasks/constituents/features.h"

namespace hinge::constituents {

struct FeatureName {
  std::string output;     // what it is combined with: "NP", "NP -> DT NN"
  std::string_view kind;  // "first word"
  std::string values;     // "the"; some have none
  bool of_rule = false;   // the output is a rule, not a symbol

  // "first word=the"
  std::string input() const;
  std::string text() const;
};

// The features of one sentence, in the order of EdgeScorer. One per thread.
class FeatureTexts {
 public:
  explicit FeatureTexts(const Plan& plan) : plan_(plan) {}

  // The sentence must stay.
  void start(const SentenceText& text);

  // The k-th feature of a node and of an edge, with a grammar.
  FeatureName of_node(const Item& node, std::size_t k);
  FeatureName of_edge(const ParseForest& forest, const Item& head, std::uint32_t edge, std::size_t k);
  // The k-th of a word and of a span, without one; they have no output.
  FeatureName of_word(std::size_t word, std::size_t k);
  FeatureName of_span(std::size_t begin, std::size_t end, std::size_t k);

 private:
  class List;
  struct Input {
    std::string_view kind;
    std::string values;
  };
  // Of a place, made when it is first asked for.
  struct Inputs {
    std::size_t begin = 0, split = 0, end = 0;  // end is 0: none
    std::vector<Input> all;
  };
  template <typename Make>
  const std::vector<Input>& find(Inputs& inputs, std::size_t begin, std::size_t split, std::size_t end,
                                 const Make& make);
  std::string symbol_text(Symbol fine) const;

  const Plan& plan_;
  SentenceText text_;
  std::vector<Atoms<std::string>> atoms_;
  std::string buffer_;
  Inputs word_, span_, rule_, split_, split_parent_;
};

// "NP -> DT NN"
std::string rule_text(const Grammar& grammar, std::uint32_t rule);

}  // namespace hinge::constituents
