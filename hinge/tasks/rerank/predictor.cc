#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/corpus/named_weights.h"
#include "hinge/corpus/nbest_writer.h"
#include "hinge/tasks/rerank/lists.h"
#include "hinge/tasks/rerank/system.h"

namespace hinge::rerank {
namespace {

class RerankPredictor final : public Predictor {
 public:
  explicit RerankPredictor(const ModelFile& file) : file_(file), meta_(file.meta()), table_("rerank") {
    options_.metric = meta_.value("metric", "bleu");
    options_.cost = meta_.value("cost", "");
    options_.bigrams = meta_.value("bigrams", false);
    table_.add("refs", options_.refs, "references, separated by commas");
    table_.add("metric", options_.metric, "bleu, chrf, chrf++, ter or wer");
    const StoredWeights stored(file);
    names_ = stored.names;
    parts_ = stored.parts;
    weights_ = Weights(names_.size());
    std::ranges::copy(stored.values, weights_.data());
  }

  OptionTable* options() override { return &table_; }

  // The chosen text of each list, or its best hypotheses as a list again.
  void predict(const std::string& input, OutputFile& out, const PredictSettings& settings) override {
    if (settings.marginals || settings.constrain)
      fail<OptionError>("{}: a reranker has no marginals and no constraints", file_.name());
    const NBestLists original = read_nbest(input, {.merge = false, .cost_feature = options_.cost});
    const NBestLists lists = with_names(original, names_, options_.bigrams);
    std::vector<float> scores(lists.hypotheses());
    for (std::size_t h = 0; h < scores.size(); ++h)
      scores[h] = static_cast<float>(score_hypothesis(lists, h, weights_));
    NBestWriter writer(original, {.scores = scores, .cost_feature = options_.cost});
    std::vector<std::size_t> order;
    for (std::size_t list = 0; list < lists.lists(); ++list) {
      order.resize(lists.end(list) - lists.begin(list));
      std::iota(order.begin(), order.end(), lists.begin(list));
      std::ranges::stable_sort(order, std::greater(), [&](std::size_t h) { return scores[h]; });
      if (settings.n_best == 1) {
        out.write(lists.text(order[0]));
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
    const std::string& path = source.path;
    const NBestLists lists = with_names(read_nbest(path, {.merge = false, .cost_feature = options_.cost}),
                                        names_, options_.bigrams);
    const auto metric = make_metric(options_.metric);
    const Costs costs = costs_of(lists, path, options_.refs, *metric);
    return report(lists, costs, *metric, weights_);
  }

  std::string summary() const override {
    return fmt::format("features     {}{}\nmetric       {}\n", names_.size(),
                       options_.bigrams ? ", with pairs of neighbouring words" : "", options_.metric);
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override {
    std::vector<std::size_t> order(names_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t f) { return std::abs(weights_[f]); });
    std::vector<WeightLine> lines;
    for (std::size_t k = 0; k < std::min(n, order.size()); ++k)
      lines.push_back({names_[order[k]], "", weights_[order[k]]});
    return lines;
  }

  bool write_weights(const std::string& path) const override {
    std::vector<NamedWeight> all;
    for (std::size_t f = 0; f < names_.size(); ++f) all.push_back({names_[f], weights_[f], parts_[f]});
    hinge::write_weights(path, all, WeightStyle::kMoses);
    return true;
  }

 private:
  const ModelFile& file_;
  nlohmann::json meta_;
  RerankOptions options_;
  OptionTable table_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> parts_;
  Weights weights_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<RerankPredictor>(file); }

}  // namespace hinge::rerank
