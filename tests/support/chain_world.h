// Small random tagging corpora. Everything that ChainTask computes by dynamic
// programming is computed here by listing all label sequences.
//
// Weights, feature values and costs are small multiples of powers of two, so
// that every score is exact in a float, in any order of summation.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/tasks/tag/task.h"
#include "tests/support/enumerated_task.h"

namespace hinge::test {

using Path = std::vector<LabelId>;
using Dense = std::vector<double>;

struct ChainShape {
  std::string name;
  std::size_t labels = 3;
  std::size_t longest = 4;  // labels^longest sequences are listed
  bool transitions = true;
  std::size_t edge_features = 0;
  bool valued = false;
  bool partial = false;
  bool costly = false;  // a cost matrix instead of Hamming loss
  tag::Scheme scheme = tag::Scheme::kNone;
  std::vector<std::string> names{};  // of labels, with a scheme
};

std::ostream& operator<<(std::ostream& out, const ChainShape& shape);

class ChainWorld {
 public:
  // Sentences of 0 to shape.longest tokens; golds are well formed.
  ChainWorld(const ChainShape& shape, std::uint64_t seed, std::size_t sentences = 6);
  ChainWorld(const ChainWorld&) = delete;  // the task points into data_
  ChainWorld& operator=(const ChainWorld&) = delete;

  const tag::ChainTask& task() const { return *task_; }
  std::size_t tokens(std::size_t s) const { return data_.sentence_begin[s + 1] - data_.sentence_begin[s]; }
  Weights random_weights();

  std::vector<Path> paths(std::size_t s) const;  // every well-formed sequence
  Dense features(std::size_t s, const Path& path) const;
  double score(std::size_t s, const Path& path, const Weights& w) const;
  double loss(std::size_t s, const Path& path) const;
  // The best acceptable sequences, several if tied; gold if it is fully known.
  std::vector<Path> golds(std::size_t s, const Weights& w) const;

  // The same problem as lists, if golds are fully known.
  EnumeratedTask enumerated() const;

  // Whether the known part of gold allows the sequence.
  bool is_accepted(std::size_t s, const Path& path) const;

 private:
  float random_value();
  void add_sentence(std::size_t tokens);
  void add_token(LabelId gold);
  void add_allowed(LabelId gold);

  ChainShape shape_;
  Random random_;
  tag::ChainLayout layout_;
  std::vector<float> costs_;
  tag::ChainData data_;
  std::vector<std::vector<LabelId>> accepted_;  // [tokens], gold first
  std::unique_ptr<tag::ChainTask> task_;
};

}  // namespace hinge::test
