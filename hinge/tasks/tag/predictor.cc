#include <fmt/core.h>

#include "hinge/core/join.h"
#include "hinge/tasks/tag/evaluate.h"
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
  ColumnFormat format() const override { return tagger_.layout().format; }
  std::string fills() const override {
    return format() == ColumnFormat::kConllu ? tagger_.layout().label_column : "";
  }

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

 private:
  Tagger tagger_;
  std::string constraints_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<TagPredictor>(file); }

}  // namespace hinge::tag
