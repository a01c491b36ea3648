// Writes predictions: the input lines with heads, labels and scores filled in.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {

// One per thread. The parser must outlive it.
class TreeWriter final : public SlicePredictor {
 public:
  TreeWriter(const Parser& parser, const PredictSettings& settings);
  void predict(const Slice& slice, std::string& out) override;

 private:
  void write_tree(std::string& out);
  void check_columns();
  void keep_given();
  [[noreturn]] void refuse_given() const;
  void find_confidence(double best);

  std::optional<double> log_sum();  // if the probabilities of trees are wanted
  void append_json(std::string& out);
  void draw(std::string& out);
  void draw_words(std::span<const HeadId> heads, std::span<const LabelId> labels, std::string& out) const;
  void describe(std::span<const HeadId> heads, std::span<const LabelId> labels, Json& json) const;
  void write_best(std::string& out);
  void write_n_best(std::string& out);
  void write(std::span<const HeadId> heads, std::span<const LabelId> labels, std::string& out) const;
  void write_word(std::string_view line, std::size_t word, std::span<const HeadId> heads,
                  std::span<const LabelId> labels, std::string& out) const;

  const Parser& parser_;
  PredictSettings settings_;
  Parser::Workspace workspace_;
  std::unique_ptr<DependencyReader> reader_;  // set by the first slice
  std::vector<double> confidence_;            // [words + 1], or empty
  std::size_t words_seen_ = 0;
  CellMask filled_ = kNoCells;  // in those words
};

}  // namespace hinge::dep
