// Writes predictions: the input lines with labels and scores filled in, or n-best
// lists of these.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/lookback.h"
#include "hinge/tasks/tag/model.h"

namespace hinge::tag {

// One per thread. The tagger must outlive it.
class TagWriter final : public LookbackPredictor {
 public:
  TagWriter(const Tagger& tagger, const PredictSettings& settings);
  void predict(const LookbackSlice& slice, std::string& out) override;

 private:
  const std::string& label_name(LabelId label) const { return tagger_.labels().names()[label]; }
  void keep_given();
  void find_allowed(std::size_t token);
  void find_best();
  bool gives_marginals() const;
  float margin(std::size_t token, LabelId label) const;

  void append_json(std::string& out);
  void draw(std::string& out);
  void draw_path(std::span<const LabelId> path, std::string& out) const;
  void describe(std::span<const LabelId> path, Json& json) const;
  std::optional<double> log_sum();  // if the probabilities of sequences are wanted
  float score_of(std::size_t token, LabelId label) const;
  bool scored() const { return settings_.scores || settings_.marginals; }
  void write_best(std::string& out);
  void write_n_best(std::string& out);
  void write_sentence(std::span<const LabelId> path, std::string& out) const;
  void write_token(std::string_view text, std::size_t token, LabelId label, std::string& out) const;

  const Tagger& tagger_;
  PredictSettings settings_;
  Tagger::Workspace workspace_;
  std::optional<TagReader> reader_;  // set by the first slice
  std::span<const LabelId> best_;    // of the current sentence, in workspace_
  std::span<const float> through_;   // marginals or max-marginals, in workspace_
  std::vector<LabelId> allowed_;
  bool phrases_;                    // labels are B-NP, I-NP, ...
  std::vector<std::size_t> types_;  // [labels] the first label of the same type; for colours
};

}  // namespace hinge::tag
