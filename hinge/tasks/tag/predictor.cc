#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/ordered_loop.h"
#include "hinge/core/join.h"
#include "hinge/tasks/predict_text.h"
#include "hinge/tasks/tag/evaluate.h"
#include "hinge/tasks/tag/explainer.h"
#include "hinge/tasks/tag/lookback.h"
#include "hinge/tasks/tag/model.h"
#include "hinge/tasks/tag/options.h"
#include "hinge/tasks/tag/writer.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::tag {
namespace {

class TagPredictor final : public Predictor {
 public:
  explicit TagPredictor(const ModelFile& file)
      : tagger_(file), constraints_(file.description().text("constraints", "none")) {}

  std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& settings) const override {
    return std::make_unique<TagWriter>(tagger_, settings);
  }
  std::unique_ptr<SlicePredictor> slice_explainer(const ExplainSettings& settings) const override {
    return make_explainer(tagger_, settings);
  }
  ColumnFormat format() const override { return tagger_.layout().format; }
  std::string fills() const override {
    return format() == ColumnFormat::kConllu ? tagger_.layout().label_column : "";
  }

  std::string_view page_title() const override { return "Tags"; }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    return evaluate_tagger(tagger_, columns_of_trees(source), workers);
  }

  std::string summary() const override {
    const LabelSet& labels = tagger_.labels();
    const std::string vectors =
        tagger_.support_vectors() == 0 ? "" : fmt::format(", {} support vectors", tagger_.support_vectors());
    return fmt::format(
        "labels       {}: {}\nfeatures     {} with {} non-zero weights{}\n{}constraints  {}\n", labels.size(),
        join(labels.names(), " "), tagger_.feature_count(), tagger_.weight_count(),
        tagger_.hash_bits() > 0 ? fmt::format(", hashed to {} bits", tagger_.hash_bits()) : "",
        tagger_.kernel() == "linear" ? "" : fmt::format("kernel       {}{}\n", tagger_.kernel(), vectors),
        constraints_);
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override { return tagger_.heaviest(n); }

 protected:
  void write_predictions(const Source& input, OutputFile& out, const PredictSettings& settings,
                         Workers& workers) const override {
    if (tagger_.lookback() == 0) return Predictor::write_predictions(input, out, settings, workers);
    look_back(input, out, workers, [&] { return std::make_unique<TagWriter>(tagger_, settings); });
  }
  void write_explanations(const Source& input, OutputFile& out, const ExplainSettings& settings,
                          Workers& workers) const override {
    if (tagger_.lookback() == 0) return Predictor::write_explanations(input, out, settings, workers);
    look_back(input, out, workers, [&] { return make_explainer(tagger_, settings); });
  }

 private:
  // Each slice after the sentences before it.
  void look_back(const Source& input, OutputFile& out, Workers& workers,
                 const std::function<std::unique_ptr<LookbackPredictor>()>& make) const {
    PerThread<std::unique_ptr<LookbackPredictor>> writers(workers, make);
    std::vector<std::string> texts;
    const TakeTexts take = write_to(out);
    each_round_looking_back(input, format(), tagger_.lookback(), workers, [&](std::span<const LookbackSlice> slices) {
      texts.assign(slices.size(), {});
      const LoopEnd end = each_until_error(
          workers, slices.size(), [&](std::size_t i) { writers.local()->predict(slices[i], texts[i]); });
      take(std::span(texts).first(std::min(end.done + 1, texts.size())));
      end.rethrow();
    });
  }

  Tagger tagger_;
  std::string constraints_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<TagPredictor>(file); }

}  // namespace hinge::tag
