#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/tasks/heaviest.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/model.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/rerank/reader.h"

namespace hinge::rerank {
namespace {

class RerankPredictor final : public Predictor {
 public:
  explicit RerankPredictor(const ModelFile& file) : file_(file), table_("rerank"), model_(file) {
    options_.metric = file.description().text("metric", options_.metric);
    options_.cost = file.description().text("cost");
    table_.add("refs", options_.refs, "references, separated by commas");
    options_.describe_metric(table_);
    options_.describe_subset(table_);
  }

  OptionTable* options() override { return &table_; }

  // The chosen text of each list, or its best hypotheses as a list again; lists by rising id.
  void predict(const std::string& input, OutputFile& out, const PredictSettings& settings) override {
    if (settings.marginals || settings.constrain)
      fail<OptionError>("{}: a reranker has no marginals and no constraints", file_.name());
    const NBestLists original = read_lists(input, read_options());
    const std::vector<double> scores = model_.scores(original);
    const std::vector<float> written(scores.begin(), scores.end());
    NBestWriter writer(original,
                       {.scores = written, .cost_feature = original.costs.empty() ? "" : options_.cost});
    std::vector<std::size_t> by_id(original.lists());
    std::iota(by_id.begin(), by_id.end(), std::size_t{0});
    std::ranges::sort(by_id, {}, [&](std::size_t list) { return original.ids[list]; });
    std::vector<std::size_t> order;
    for (const std::size_t list : by_id) {
      order.resize(original.end(list) - original.begin(list));
      std::iota(order.begin(), order.end(), original.begin(list));
      std::ranges::stable_sort(order, std::greater(), [&](std::size_t h) { return scores[h]; });
      if (settings.n_best == 1) {
        out.write(original.text(order[0]));
        if (settings.scores) out.write(fmt::format("\t{:.6f}", scores[order[0]]));
        out.write("\n");
        continue;
      }
      for (std::size_t k = 0; k < std::min(settings.n_best, order.size()); ++k) {
        out.write(writer.line(list, order[k]));
        out.write("\n");
      }
    }
  }

  Evaluation evaluate(const Source& source) override {
    const NBestLists lists = model_.under_model(read_lists(source, read_options()));
    const auto metric = make_metric(options_.metric);
    const Costs costs = costs_of(lists, source, {options_.refs, options_.subset}, *metric);
    return report(lists, costs, *metric, model_.weights());
  }

  std::string summary() const override {
    return fmt::format("features     {}{}\nmetric       {}\n", model_.names().size(),
                       model_.ngrams() > 1 ? fmt::format(", with n-grams up to {}", model_.ngrams()) : "",
                       options_.metric);
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override {
    std::vector<WeightLine> lines;
    for (std::size_t f = 0; f < model_.names().size(); ++f)
      lines.push_back({model_.names()[f], "", model_.weights()[f]});
    keep_heaviest(n, lines);
    return lines;
  }

  bool write_weights(const std::string& path) const override {
    std::vector<NamedWeight> all;
    for (std::size_t f = 0; f < model_.names().size(); ++f)
      all.push_back({model_.names()[f], model_.weights()[f], model_.value_index()[f]});
    hinge::write_weights(path, all, WeightStyle::kMoses);
    return true;
  }

 private:
  // New lists need not say what they cost.
  NBestOptions read_options() const { return {.cost_feature = options_.cost, .cost_optional = true}; }

  const ModelFile& file_;
  RerankOptions options_;
  OptionTable table_;
  Reranker model_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<RerankPredictor>(file); }

}  // namespace hinge::rerank
