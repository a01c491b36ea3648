#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/tasks/decision.h"
#include "hinge/tasks/heaviest.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/model.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/rerank/reader.h"

namespace hinge::rerank {
namespace {

// Writes the output for a list; one per thread.
class ListWriter {
 public:
  ListWriter(const NBestLists& lists, const NBestLayout& layout, std::span<const double> scores,
             const PredictSettings& settings)
      : lists_(lists), scores_(scores), settings_(settings), writer_(lists, layout) {}

  void write(std::size_t list, std::string& out) {
    check_interrupt();
    order_.resize(lists_.end(list) - lists_.begin(list));
    std::iota(order_.begin(), order_.end(), lists_.begin(list));
    std::ranges::stable_sort(order_, std::greater(), [&](std::size_t h) { return scores_[h]; });
    if (settings_.json) return append_json(list, out);
    if (settings_.n_best == 1) {
      out += lists_.text(order_[0]);
      if (settings_.scores) out += fmt::format("\t{:.6f}", scores_[order_[0]]);
      out += '\n';
      return;
    }
    for (std::size_t k = 0; k < std::min(settings_.n_best, order_.size()); ++k)
      out.append(writer_.line(list, order_[k])) += '\n';
  }

 private:
  // {"id": ..., "text": ..., "score": ...}, or "nbest" with a list of texts.
  void append_json(std::size_t list, std::string& out) const {
    Json json;
    json.set("id", lists_.ids[list]);
    std::vector<Json> outputs;
    for (std::size_t k = 0; k < std::min(settings_.n_best, order_.size()); ++k) {
      Json& output = settings_.n_best == 1 ? json : outputs.emplace_back();
      output.set("text", lists_.text(order_[k])).set("score", scores_[order_[k]]);
    }
    if (settings_.n_best > 1) json.set("nbest", outputs);
    out += json.dump() + '\n';
  }

  const NBestLists& lists_;
  std::span<const double> scores_;
  const PredictSettings& settings_;
  NBestWriter writer_;
  std::vector<std::size_t> order_;
};

class RerankPredictor final : public Predictor {
 public:
  explicit RerankPredictor(const ModelFile& file) : file_(file), table_("rerank"), model_(file) {
    options_.metric = file.description().text("metric", options_.metric);
    options_.cost = file.description().text("cost");
    table_.add("refs", options_.refs, "reference files, separated by commas");
    options_.describe_metric(table_);
    options_.describe_subset(table_);
  }

  OptionTable* options() override { return &table_; }

  void check(const PredictSettings& settings) const override {
    Predictor::check(settings);
    if (settings.marginals || settings.constrain)
      fail<OptionError>("{}: a reranker supports neither marginals nor constraints", file_.name());
  }

  // The chosen text of each list, or an n-best list of its best hypotheses; sorted by id.
  void write_predictions(const Source& input, OutputFile& out, const PredictSettings& settings,
                         Workers& workers) const override {
    const NBestLists lists = read_lists(input, read_options());
    const std::vector<double> scores = model_.scores(lists, workers);
    const std::vector<float> written(scores.begin(), scores.end());
    const NBestLayout layout{.scores = written, .cost_feature = lists.costs.empty() ? "" : options_.cost};
    std::vector<std::size_t> by_id(lists.lists());
    std::iota(by_id.begin(), by_id.end(), std::size_t{0});
    std::ranges::sort(by_id, {}, [&](std::size_t list) { return lists.ids[list]; });
    PerThread<ListWriter> writers(workers, [&] { return ListWriter(lists, layout, scores, settings); });
    predict_each(
        by_id.size(), workers,
        [&](std::size_t i, std::string& text) { writers.local().write(by_id[i], text); }, write_to(out));
  }

  // The best hypothesis of each list against the second best.
  void write_explanations(const Source& input, OutputFile& out, const ExplainSettings& settings,
                          Workers& workers) const override {
    const NBestLists lists = model_.under_model(read_lists(input, read_options()));
    const std::vector<double> scores = model_.scores(lists, workers);
    predict_each(
        lists.lists(), workers,
        [&](std::size_t i, std::string& text) { append_decision(decision_of(lists, scores, i), settings, text); },
        write_to(out));
  }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    const NBestLists lists = model_.under_model(read_lists(source, read_options()));
    const auto metric = make_metric(options_.metric);
    const Costs costs = costs_of(lists, source, {options_.refs, options_.subset}, *metric, &workers);
    return report(lists, costs, *metric, model_.weights(), workers);
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
  // New lists need no costs.
  NBestOptions read_options() const { return {.cost_feature = options_.cost, .cost_optional = true}; }

  Decision decision_of(const NBestLists& lists, std::span<const double> scores, std::size_t list) const {
    std::vector<std::size_t> order(lists.end(list) - lists.begin(list));
    std::iota(order.begin(), order.end(), lists.begin(list));
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t h) { return scores[h]; });
    const std::size_t best = order.front(), rival = order[order.size() > 1 ? 1 : 0];
    std::map<std::uint32_t, double> amounts;
    for (const auto& [hypothesis, sign] : {std::pair(best, 1.0), std::pair(rival, -1.0)}) {
      const FeatureRow row = lists.row(hypothesis);
      for (std::size_t k = 0; k < row.features.size(); ++k)
        amounts[row.features[k]] += sign * static_cast<double>(row.values[k]) * model_.weights()[row.features[k]];
    }
    Decision decision{.where = fmt::format("list {}", lists.ids[list]),
                      .item = "best",
                      .chosen = std::string(lists.text(best)),
                      .rival = std::string(lists.text(rival)),
                      .margin = scores[best] - scores[rival],
                      .reasons = {}};
    for (const auto& [feature, amount] : amounts) {
      if (amount != 0.0) decision.reasons.push_back({model_.names()[feature], amount});
    }
    std::ranges::stable_sort(decision.reasons, std::greater(),
                             [](const DecisionReason& reason) { return std::abs(reason.amount); });
    return decision;
  }

  const ModelFile& file_;
  RerankOptions options_;
  OptionTable table_;
  Reranker model_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<RerankPredictor>(file); }

}  // namespace hinge::rerank
