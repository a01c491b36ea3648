#include "hinge/tasks/rerank/training_set.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/files/bytes.h"
#include "hinge/tasks/fingerprint.h"
#include "hinge/tasks/rerank/compiled.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/model.h"
#include "hinge/tasks/rerank/reader.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {
namespace {

PickOptions picks_of(const RerankOptions& options) {
  return {.oracle = options.oracle == "hope"    ? Oracle::kHope
                    : options.oracle == "local" ? Oracle::kLocal
                                                : Oracle::kLeastCost,
          .prediction = options.prediction == "fear"   ? Prediction::kFear
                        : options.prediction == "best" ? Prediction::kBest
                                                       : Prediction::kMostCost,
          .local = static_cast<std::size_t>(options.local),
          .context = options.context};
}

class RerankTrainingSet final : public TrainingSet {
 public:
  RerankTrainingSet(ListParts parts, std::unique_ptr<Metric> metric, const RerankOptions& options)
      : options_(options), metric_(std::move(metric)), parts_(std::move(parts)) {
    if (costs_.width != 0 && costs_.width != metric_->width())
      parts_.cache->refuse("has statistics of another metric");
    if (options.pairs > 0)
      task_ = std::make_unique<PairTask>(parts_.pairs, names_.size());
    else
      task_ = picking_task(lists_, costs_);
    if (parts_.cache != nullptr)
      parts_.cache->set_check(
          [this](std::size_t first, std::size_t last) { return is_sound(parts_, first, last); });
  }

  void compile(BlockCacheWriter& out) {
    parts_.fingerprint = fingerprint();
    write_parts(parts_, out);
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    const std::string examples =
        options_.pairs > 0 ? fmt::format("{} pairs", task_->size())
                           : fmt::format("oracle {}, prediction {}", options_.oracle, options_.prediction);
    return fmt::format("{} lists, {} hypotheses, {} features, costs {}, {}", parts_.list_count,
                       parts_.hypotheses, names_.size(), costs_.width > 0 ? options_.metric : "given",
                       examples);
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<NBestLists>(
        with_names(read_lists(source, {.cost_feature = options_.cost}), names_, ngrams()));
    if (source.memory == nullptr && options_.dev_refs.empty() && !options_.refs.empty())
      fail<OptionError>("{}: development lists need references of their own; give them with --dev-refs",
                        source.name());
    auto costs = std::make_shared<Costs>(costs_of(*dev, source, {options_.dev_refs, options_.subset},
                                                  *make_metric(options_.metric), &workers));
    std::shared_ptr<const RerankTask> picking;
    if (options_.pairs == 0) picking = picking_task(*dev, *costs);
    return [this, dev, costs, picking, &workers](const Weights& w) {
      Scores scores{rising(score_of(*dev, *costs, *metric_, w, workers))};
      if (picking == nullptr) return scores;
      const PickScores picks = score_picks(*dev, *costs, *metric_, *picking, w, workers);
      scores.emplace_back("oracle", rising({"", picks.oracle}).second);
      scores.emplace_back("prediction", rising({"", picks.prediction}).second);
      return scores;
    };
  }

  // A cache of pairs has no lists.
  std::function<Scores(const Weights&)> train_scorer(Workers& workers) const override {
    if (lists_.lists() == 0) return {};
    return
        [this, &workers](const Weights& w) { return Scores{score_of(lists_, costs_, *metric_, w, workers)}; };
  }

  std::uint64_t fingerprint() const override {
    if (parts_.fingerprint) return *parts_.fingerprint;
    Fingerprint print;
    print.add(lists_.texts);
    print.add(lists_.ids);
    print.add(lists_.list_begin);
    print.add(lists_.text_begin);
    print.add(lists_.row_begin);
    print.add(lists_.features);
    print.add(lists_.values);
    print.add(lists_.names);
    print.add(costs_.stats);
    if (costs_.width == 0) print.add(costs_.costs);  // computed costs change with the model
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "rerank");
    if (const std::size_t theirs = stored_ngrams(model); theirs > std::max<std::size_t>(ngrams(), 1))
      fail<ModelError>("{}: was trained with ngrams={}, this training has {}; give at least as many",
                       model.name(), theirs, ngrams());
    return weights_by_name(StoredWeights(model).names, model.array<float>("weights"), model.name());
  }
  Weights weights_of_text(const std::string& path) const override {
    std::vector<std::string> names;
    std::vector<float> values;
    for (const NamedWeight& weight : read_weights(path)) {
      names.push_back(weight.name);
      values.push_back(weight.value);
    }
    return weights_by_name(names, values, path);
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    meta.set("metric", options_.metric);
    meta.set("cost", options_.cost);
    meta.set("ngrams", options_.ngrams);
    ByteWriter names;
    std::vector<float> values;
    std::uint64_t kept = 0;
    // A weights file lists every value of a multi-valued feature, even zeros.
    const auto is_kept = [&](std::size_t f) { return w[f] != 0.0f || parts_.value_index[f] > 0; };
    for (std::size_t f = 0; f < names_.size(); ++f) kept += is_kept(f);
    names.put(kept);
    for (std::size_t f = 0; f < names_.size(); ++f) {
      if (!is_kept(f)) continue;
      names.put(std::string_view(names_[f]));
      names.put(parts_.value_index[f]);
      values.push_back(w[f]);
    }
    out.add("names", names.take());
    out.add_array("weights", std::span<const float>(values));
  }

 private:
  std::size_t ngrams() const { return static_cast<std::size_t>(options_.ngrams); }

  // Turns the score so that more is better.
  std::pair<std::string, double> rising(const std::pair<std::string, double>& score) const {
    if (costs_.width == 0) return {"-" + score.first, -score.second};
    return metric_->is_error() ? std::pair("100-" + score.first, 100.0 - score.second) : score;
  }

  std::unique_ptr<RerankTask> picking_task(const NBestLists& lists, const Costs& costs) const {
    return std::make_unique<RerankTask>(lists, costs, *metric_, names_.size(), picks_of(options_));
  }

  Weights weights_by_name(const std::vector<std::string>& names, std::span<const float> values,
                          const std::string& origin) const {
    absl::flat_hash_map<std::string_view, float> given;
    for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k) given[names[k]] = values[k];
    Weights w(names_.size());
    std::size_t matched = 0;
    for (std::size_t f = 0; f < names_.size(); ++f) {
      const auto found = given.find(names_[f]);
      if (found == given.end()) continue;
      w[f] = found->second;
      ++matched;
    }
    if (matched == 0 && names_.empty()) fail<ModelError>("{}: the lists have no features to weigh", origin);
    if (matched == 0)
      fail<ModelError>("{}: has no weight for a feature of the lists, such as '{}'; check the names", origin,
                       names_[0]);
    return w;
  }

  RerankOptions options_;
  std::unique_ptr<Metric> metric_;
  ListParts parts_;
  const NBestLists& lists_ = parts_.lists;
  const Costs& costs_ = parts_.costs;
  const std::vector<std::string>& names_ = parts_.names;
  std::unique_ptr<Task> task_;
};

}  // namespace

Known read_known(const ModelFile& model) {
  require_task(model, "rerank");
  const StoredWeights stored(model);
  Known known;
  for (std::size_t f = 0; f < stored.names.size(); ++f)
    known.features.push_back({stored.names[f], stored.value_index[f]});
  return known;
}

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const RerankOptions& options,
                                               const Known& known) {
  auto metric = make_metric(options.metric);
  ListParts parts = read_parts(source, options, known, *metric, nullptr, nullptr);
  return std::make_unique<RerankTrainingSet>(std::move(parts), std::move(metric), options);
}

void compile_training_set(const Source& source, const RerankOptions& options, const Known& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out) {
  auto metric = make_metric(options.metric);
  ListParts parts = read_parts(source, options, known, *metric, &workers, &space);
  RerankTrainingSet set(std::move(parts), std::move(metric), options);
  set.compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const RerankOptions& options) {
  return std::make_unique<RerankTrainingSet>(open_parts(std::move(cache), options),
                                             make_metric(options.metric), options);
}

}  // namespace hinge::rerank
