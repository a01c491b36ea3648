// The neural scorer of Durrett and Klein (ACL 2015): the words around the beginning,
// the split and the end of an anchored rule go through a hidden layer; a rule's score
// is the product of that layer with the vectors of the rule and of its parent.
//
//   score(rule, s, m, e) = relu(b + A(s) + B(m) + C(e)) . (R(rule) + P(parent))
//
// A, B and C are linear in the vectors of four words around their position, so they
// are computed once per position. Rules over one word and tags have no B. Word vectors are fixed;
// the shape and the suffix of a word add random ones, as many vectors know neither capitals nor
// rare words.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hinge/core/gradient.h"
#include "hinge/core/random.h"
#include "hinge/core/task.h"
#include "hinge/core/weights.h"
#include "hinge/features/embeddings.h"
#include "hinge/tasks/constituents/parse_forest.h"

namespace hinge::constituents {

// Where the weights of the network are.
struct NeuralLayout {
  std::size_t first = 0;   // weight
  std::size_t input = 0;   // numbers per word
  std::size_t hidden = 0;  // a multiple of 16; 0: no network
  std::size_t symbols = 0, rules = 0;

  static constexpr std::size_t kWindow = 4;  // words around a position
  static constexpr std::size_t kForm = 32;   // of the numbers per word: its shape and suffix
  static constexpr std::size_t kPlaces = 3;  // beginning, split, end
  static constexpr std::size_t kTables = kWindow * kPlaces;

  std::size_t padded_input() const { return (input + 15) / 16 * 16; }
  std::size_t columns() const { return kTables * hidden; }
  std::size_t layer_size() const { return padded_input() * columns() + hidden; }  // and the biases
  std::size_t bias() const { return first + padded_input() * columns(); }
  std::size_t symbol_row(std::size_t symbol) const { return first + layer_size() + symbol * hidden; }
  std::size_t rule_row(std::size_t rule) const { return first + layer_size() + (symbols + rule) * hidden; }
  std::size_t size() const { return hidden == 0 ? 0 : layer_size() + (symbols + rules) * hidden; }
  void initialize(Random& random, Weights& w) const;
};

// One per thread.
class NeuralScorer {
 public:
  NeuralScorer(const NeuralLayout& layout, const Embeddings& embeddings, const GrammarPair& grammars)
      : layout_(layout), embeddings_(embeddings), grammars_(grammars) {}

  void start(std::span<const std::string_view> words, const ParseForest& forest);
  // Adds to the scores [edges].
  void add_scores(const ParseForest& forest, const float* w, std::vector<float>& scores);

  // The gradient of sum_e coefficient_e score(e), after add_scores() with the same weights.
  struct Part {
    std::uint32_t edge;
    float coefficient;
  };
  void add_gradient(const ParseForest& forest, std::span<const Part> parts, const float* w, Gradient& out);

  // Every weight that add_scores() reads.
  void support(const ParseForest& forest, std::vector<Block>& blocks) const;

 private:
  struct Anchor {
    std::uint16_t begin, split, end;  // split 0: none
  };
  void fill_input(std::string_view word, std::span<float> out);
  std::uint32_t output_of(const ParseForest& forest, std::uint32_t edge, std::uint32_t& rule) const;

  const NeuralLayout& layout_;
  const Embeddings& embeddings_;
  const GrammarPair& grammars_;
  std::size_t words_ = 0;
  std::string text_;
  std::vector<float> inputs_;  // [words + marks][padded input]
  std::vector<float> tables_;  // [words + marks][tables][hidden]
  std::vector<float> places_;  // [places][words + 1][hidden]
  std::vector<Anchor> anchors_;
  std::vector<std::uint32_t> anchor_of_;  // [edges]; kNone: the root
  std::vector<std::uint32_t> heads_;      // [edges]
  std::vector<float> hidden_;             // [anchors][hidden], after the relu
  std::vector<float> back_;               // the same, gradients
  std::vector<float> back_places_, back_tables_;
};

}  // namespace hinge::constituents
