#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/scan.h"
#include "hinge/tasks/classify/decoder.h"
#include "hinge/tasks/classify/evaluate.h"
#include "hinge/tasks/classify/model.h"
#include "hinge/tasks/classify/options.h"
#include "hinge/tasks/decision.h"

namespace hinge::classify {
namespace {

// Writes a line per text: its label, or its n best labels, each with its score if
// wanted, all separated by tabs. One per thread.
class LabelWriter final : public SlicePredictor {
 public:
  LabelWriter(const Classifier& classifier, const PredictSettings& settings)
      : classifier_(classifier),
        n_best_(settings.n_best),
        scored_(settings.scores || settings.marginals),
        marginals_(settings.marginals || classifier.likelihood()),
        json_(settings.json),
        workspace_(classifier) {}

  void predict(const Slice& slice, std::string& out) override {
    if (!reader_) reader_.emplace(slice, classifier_.format(), /*labelled=*/false);
    restart(*reader_, slice);
    while (reader_->next()) write(classifier_.scores(reader_->text(), workspace_), out);
  }

 private:
  void write(std::span<float> scores, std::string& out) {
    if (json_) return append_json(scores, out);
    if (n_best_ == 1 && !scored_) {
      out.append(classifier_.labels().names()[best_of(scores)]) += '\n';
      return;
    }
    rank(scores);
    for (std::size_t k = 0; k < std::min(n_best_, labels_.size()); ++k) {
      if (k > 0) out += '\t';
      out += classifier_.labels().names()[labels_[k]];
      if (scored_) fmt::format_to(std::back_inserter(out), "\t{:.4f}", confidence_[k]);
    }
    out += '\n';
  }

  // The best labels, and for each its probability, or its margin.
  void rank(std::span<float> scores) {
    k_best(scores, std::max<std::size_t>(n_best_, 2), labels_);
    // The score to beat, or for the best label the next one.
    const float best = scores[labels_[0]];
    const float next = labels_.size() > 1 ? scores[labels_[1]] : -std::numeric_limits<float>::infinity();
    if (scored_ && marginals_) softmax(scores);
    confidence_.clear();
    for (std::size_t k = 0; k < labels_.size(); ++k) {
      const float score = scores[labels_[k]];
      confidence_.push_back(marginals_ ? score : score - (k == 0 ? next : best));
    }
  }

  // {"text": ..., "label": ..., "score": ...}, or "nbest" with a list of labels.
  void append_json(std::span<float> scores, std::string& out) {
    rank(scores);
    Json json;
    json.set("text", reader_->text());
    std::vector<Json> outputs;
    for (std::size_t k = 0; k < std::min(n_best_, labels_.size()); ++k) {
      Json& output = n_best_ == 1 ? json : outputs.emplace_back();
      output.set("label", classifier_.labels().names()[labels_[k]]);
      if (scored_) output.set("score", static_cast<double>(confidence_[k]));
    }
    if (n_best_ > 1) json.set("nbest", outputs);
    out += json.dump() + '\n';
  }

  const Classifier& classifier_;
  std::size_t n_best_;
  bool scored_, marginals_, json_;
  Classifier::Workspace workspace_;
  std::optional<TextReader> reader_;  // set by the first slice
  std::vector<std::size_t> labels_;
  std::vector<float> confidence_;  // of labels_
};

// Says why a text got its label; one per thread.
class LabelExplainer final : public SlicePredictor {
 public:
  LabelExplainer(const Classifier& classifier, const ExplainSettings& settings)
      : classifier_(classifier), settings_(settings), workspace_(classifier) {}

  void predict(const Slice& slice, std::string& out) override {
    if (!reader_) reader_.emplace(slice, classifier_.format(), /*labelled=*/false);
    restart(*reader_, slice);
    while (reader_->next()) {
      k_best(classifier_.scores(reader_->text(), workspace_), 2, labels_);
      const Explanation why =
          classifier_.explain(reader_->text(), labels_.front(), labels_.back(), workspace_);
      const std::vector<std::string>& names = classifier_.labels().names();
      append_decision({.where = reader_->where(),
                       .item = shown(reader_->text()),
                       .chosen = names[why.label],
                       .rival = names[why.rival],
                       .margin = why.margin,
                       .reasons = reasons_of(why.contributions)},
                      settings_, out);
    }
  }

 private:
  const Classifier& classifier_;
  ExplainSettings settings_;
  Classifier::Workspace workspace_;
  std::optional<TextReader> reader_;  // set by the first slice
  std::vector<std::size_t> labels_;
};

class ClassifyPredictor final : public Predictor {
 public:
  explicit ClassifyPredictor(const ModelFile& file) : file_(file), classifier_(file) {}

  void check(const PredictSettings& settings) const override {
    Predictor::check(settings);
    if (settings.constrain)
      fail<OptionError>("{}: a classifier supports no constraints; leave --constrain out", file_.name());
  }

  std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& settings) const override {
    return std::make_unique<LabelWriter>(classifier_, settings);
  }
  std::unique_ptr<SlicePredictor> slice_explainer(const ExplainSettings& settings) const override {
    return std::make_unique<LabelExplainer>(classifier_, settings);
  }
  ColumnFormat format() const override { return ColumnFormat::kLines; }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    return evaluate_classifier(classifier_, source, workers);
  }

  std::string summary() const override {
    constexpr std::size_t kShown = 50;
    const std::vector<std::string>& labels = classifier_.labels().names();
    const auto shown = std::span(labels).first(std::min(labels.size(), kShown));
    return fmt::format("labels       {}: {}{}\nfeatures     {} with {} non-zero weights, {}\n", labels.size(),
                       join(shown, " "), shown.size() < labels.size() ? " ..." : "",
                       classifier_.feature_count(), classifier_.weight_count(),
                       describe(classifier_.kinds()));
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override { return classifier_.heaviest(n); }

 private:
  const ModelFile& file_;
  Classifier classifier_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<ClassifyPredictor>(file); }

}  // namespace hinge::classify
