#include "hinge/pipeline/tune.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/corpus/nbest/references.h"
#include "hinge/pipeline/decoding.h"
#include "hinge/pipeline/tune_folder.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/model.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;
using WeightOfName = absl::flat_hash_map<std::string, float>;

std::string value_of(const OptionTable& table, std::string_view name) {
  const Option* option = table.find(name);
  return option == nullptr ? "" : option->value();
}

// Empty if the file is.
std::vector<NamedWeight> weights_in(const std::string& path) {
  if (fs::exists(path) && fs::file_size(path) == 0) return {};
  return read_weights(path);
}

WeightOfName by_name(const std::vector<NamedWeight>& weights) {
  WeightOfName result;
  for (const NamedWeight& weight : weights) result[weight.name] = weight.value;
  return result;
}

// See Iteration::change.
double change_between(const std::vector<NamedWeight>& before, const std::vector<NamedWeight>& after) {
  const auto norm = [](const std::vector<NamedWeight>& weights) {
    double sum = 0.0;
    for (const NamedWeight& w : weights) sum += static_cast<double>(w.value) * w.value;
    return std::sqrt(sum);
  };
  WeightOfName difference = by_name(before);
  for (const NamedWeight& w : after) difference[w.name] -= w.value;
  double largest = 0.0;
  for (const auto& [name, value] : difference) largest = std::max(largest, std::abs(double{value}));
  return largest == 0.0 ? 0.0 : largest / std::max(norm(before), norm(after));
}

// Zero if the file is empty.
Weights tuned_weights(const std::string& path, const TrainingSet& set) {
  if (weights_in(path).empty()) return Weights(set.task().dimension());
  return set.weights_of_text(path);
}

class Tuner {
 public:
  Tuner(const TuneSettings& settings, Job& job, const Decoder& decoder, Workers& workers,
        TuneObserver& observer)
      : settings_(settings),
        job_(job),
        workers_(workers),
        observer_(observer),
        metric_(make_metric(value_of(job.task->options(), "metric"))),
        cost_(value_of(job.task->options(), "cost")),
        references_(value_of(job.task->options(), "refs")),
        sentences_(count_sentences()),
        identity_(identity()),
        folder_(settings.folder),
        decoding_({settings.source, sentences_, settings.processes, cost_}, decoder, folder_) {
    result_.folder = settings.folder;
    if (!references_.empty()) job.task->options().set("dev_refs", references_);  // to score merged lists
  }

  TuneResult run() {
    if (settings_.restart) folder_.clear();
    history() = folder_.resume(identity_);
    observer_.begins(references_.empty() ? "cost" : std::string(metric_->name()), history());
    if (history().empty()) {
      try_learner();
      write_initial();
    }
    while ((result_.stop = stop_now()) == TuneStop::kNot) {
      if (!step()) {
        result_.stop = TuneStop::kInterrupted;
        break;
      }
    }
    if (history().empty()) return std::move(result_);
    result_.merged = folder_.file(history().size(), "merged");
    const auto cost = [this](const Iteration& i) {
      return references_.empty() ? i.decoded : metric_->cost(i.decoded);
    };
    result_.best =
        static_cast<std::size_t>(std::ranges::min_element(history(), {}, cost) - history().begin()) + 1;
    return std::move(result_);
  }

 private:
  std::vector<Iteration>& history() { return result_.history; }

  std::size_t count_sentences() const {
    if (references_.empty() && cost_.empty())
      fail<OptionError>("tuning needs references; give them with --refs, or -p cost=NAME");
    if (settings_.source == "-")
      fail<InputError>(
          "standard input can be read once, but every iteration decodes it; give --source a file");
    const std::string source[] = {settings_.source};
    const std::size_t lines = read_references(source).sentences();
    if (references_.empty()) return lines;
    const std::vector<std::string> paths = split_list(references_);
    const std::size_t given = read_references(paths).sentences();
    if (given == lines) return lines;
    fail<InputError>("{}: has {} line{}, but the source {} has {}; give each sentence a reference", paths[0],
                     given, given == 1 ? "" : "s", settings_.source, lines);
  }

  std::vector<std::pair<std::string, std::string>> identity() const {
    auto all = settings_.identity;
    all.emplace_back("source", content_hash({settings_.source}));
    all.emplace_back("refs", content_hash(split_list(references_)));
    all.emplace_back("init", content_hash(job_.settings.init.empty() ? std::vector<std::string>()
                                                                     : std::vector{job_.settings.init}));
    all.emplace_back("learner", job_.settings.learner);
    all.emplace_back("step", fmt::format("{}", settings_.step));
    JobSettings job_settings = job_.settings;
    all.emplace_back("seed", value_of(job_settings.table(), "seed"));
    all.emplace_back("stop-gap", value_of(job_settings.table(), "stop_gap"));
    for (const OptionTable* table : {&job_.task->options(), &job_.learner->options()}) {
      for (const Option& option : table->options()) {
        if (!option.has(Trait::kInput)) all.emplace_back(fmt::format("-p {}", option.name()), option.value());
      }
    }
    return all;
  }

  // Decoders take hours, so a learner that does not suit the task is refused first,
  // by starting it on lists of a perfect and an empty hypothesis.
  void try_learner() const try {
    std::string trial;
    const References texts = references_.empty() ? References() : read_references(split_list(references_));
    const auto add = [&](std::size_t id, std::string_view text, int number) {
      trial += fmt::format("{} ||| {} ||| trial= {}{}\n", id, text, number,
                           cost_.empty() ? "" : fmt::format(" {}= {}", cost_, number));
    };
    for (std::size_t id = 0; id < sentences_; ++id) {
      add(id, references_.empty() ? "trial" : texts.text(id, 0), 0);
      add(id, "", 1);
    }
    const auto set = job_.task->load(Source::of_text(std::move(trial), "trial.nbest"), workers_);
    job_.learner->start(set->task(), workers_);
  } catch (const InputError&) {  // caused by the trial data, not the decoder's
  }

  // Always in Moses style.
  void write_initial() const {
    const std::string path = folder_.file(1, "weights");
    if (job_.settings.init.empty()) {
      write_weights(path, settings_.first_weights, WeightStyle::kMoses);
    } else if (ModelFile::is_model(job_.settings.init)) {
      const ModelFile model = ModelFile::open(job_.settings.init);
      if (!open_predictor(model)->write_weights(path))
        fail<ModelError>("{}: is not a model of rerank; give one, or a weights file", job_.settings.init);
    } else {
      write_weights(path, read_weights(job_.settings.init), WeightStyle::kMoses);
    }
  }

  bool has_few(const Iteration& iteration) const {
    return static_cast<double>(iteration.fresh) < settings_.few * static_cast<double>(iteration.hypotheses);
  }

  // Depends only on the history, so a finished run can be extended.
  TuneStop stop_now() {
    if (history().empty()) return TuneStop::kNot;
    const Iteration& last = history().back();
    if (last.fresh == 0) return TuneStop::kNothingNew;
    if (last.change && *last.change < settings_.tolerance) return TuneStop::kSmallChange;
    if (history().size() > 1 && has_few(last) && has_few(*(history().end() - 2))) return TuneStop::kFewNew;
    if (static_cast<std::int64_t>(history().size()) >= settings_.iterations) return TuneStop::kIterations;
    return TuneStop::kNot;
  }

  // Learns if that is due, else decodes. False if interrupted.
  bool step() {
    const bool learned = history().empty() || history().back().learned;
    if (!(learned ? decode() : learn())) return false;
    folder_.save(identity_, history());
    const std::size_t k = history().size();
    if (learned) fs::remove(folder_.file(k - 1, "merged"));
    const TuneStop stop = stop_now();
    if (history().back().learned || stop != TuneStop::kNot)
      observer_.iteration_done(static_cast<std::int64_t>(k), history().back(), stop);
    return true;
  }

  bool decode() {
    const std::size_t k = history().size() + 1;
    observer_.decodes(static_cast<std::int64_t>(k));
    const std::optional<NBestLists> decoded = decoding_.run(k);
    if (!decoded) return false;
    const NBestLists& lists = *decoded;
    const NBestLists merged = merge(k, lists);
    write_nbest_cache(merged, folder_.file(k, "merged"));
    const std::uint64_t before = history().empty() ? 0 : history().back().hypotheses;
    history().push_back({.fresh = merged.hypotheses() - before,
                         .hypotheses = merged.hypotheses(),
                         .decoded = score_first(lists, folder_.file(k, "nbest"))});
    return true;
  }

  NBestLists merge(std::size_t k, const NBestLists& lists) const {
    NBestBuilder builder({.merge = true, .cost_feature = cost_});
    if (k > 1) builder.add(open_nbest_cache(folder_.file(k - 1, "merged")), folder_.file(k - 1, "merged"));
    builder.add(lists, folder_.file(k, "nbest"));
    return builder.finish();
  }

  // If all weights are zero, the first hypothesis is the best.
  double score_first(const NBestLists& lists, const std::string& path) const {
    const rerank::Costs costs = rerank::costs_of(lists, path, {references_}, *metric_, &workers_);
    return rerank::score_of(lists, costs, *metric_, Weights(lists.feature_count()), workers_).second;
  }

  bool learn() {
    const std::size_t k = history().size();
    observer_.learns(static_cast<std::int64_t>(k));
    const std::string merged = folder_.file(k, "merged");
    job_.train.emplace(merged);
    const JobData data = load(job_, workers_, observer_);
    const std::string before = folder_.file(k, "weights");
    const Weights start = tuned_weights(before, *data.set);
    TrainResult trained = hinge::learn(job_, data, workers_, observer_, start).training;
    if (trained.history.back().interrupted()) return false;
    for (std::size_t f = 0; f < start.size() && settings_.step < 1.0; ++f) {
      trained.weights[f] = static_cast<float>(start[f] + settings_.step * (trained.weights[f] - start[f]));
    }
    const std::vector<NamedWeight> after = named_weights(*data.set, trained.weights, merged);
    write_weights(folder_.file(k + 1, "weights"), after, WeightStyle::kMoses);
    add_scores(*data.set, merged, trained.weights, history().back());
    history().back().change = change_between(weights_in(before), after) / settings_.step;
    return true;
  }

  // Development scores rise as they improve; the loop reports the real scores.
  void add_scores(const TrainingSet& set, const std::string& merged, const Weights& w,
                  Iteration& iteration) const {
    const auto real = [this](double rising) {
      return references_.empty() ? -rising : metric_->is_error() ? 100.0 - rising : rising;
    };
    const Scores scores = set.scorer(merged, workers_)(w);
    iteration.learned = real(scores.at(0).second);
    for (const auto& [name, value] : scores) {
      if (name == "oracle") iteration.oracle = real(value);
      if (name == "prediction") iteration.prediction = real(value);
    }
  }

  // All weights that are not zero; all values of multi-valued features; and all
  // initial weights, since a decoder may ask for them: those of features in no list
  // keep their values.
  std::vector<NamedWeight> named_weights(const TrainingSet& set, const Weights& w,
                                         const std::string& merged) const {
    const ModelFile model = ModelFile::from_bytes(write_model(set, w, Json().set("task", "rerank")), merged);
    const rerank::StoredWeights stored(model);
    WeightOfName learned, initial = by_name(weights_in(folder_.file(1, "weights")));
    for (std::size_t f = 0; f < stored.names.size(); ++f) learned[stored.names[f]] = stored.values[f];
    std::vector<NamedWeight> result;
    WeightOfName rest = initial;  // in no list
    const NBestLists lists = open_nbest_cache(merged);
    for (std::size_t f = 0; f < lists.feature_count(); ++f) {
      const std::string name(lists.name(f));
      const auto found = learned.find(name);
      if (found != learned.end() || lists.value_index[f] > 0 || initial.contains(name))
        result.push_back({name, found == learned.end() ? 0.0f : found->second, lists.value_index[f]});
      rest.erase(name);
      learned.erase(name);
    }
    for (std::size_t f = 0; f < stored.names.size(); ++f) {  // what the task added to the lists
      if (learned.contains(stored.names[f]))
        result.push_back({stored.names[f], stored.values[f], stored.value_index[f]});
      rest.erase(stored.names[f]);
    }
    for (const NamedWeight& weight : weights_in(folder_.file(1, "weights"))) {
      if (rest.contains(weight.name)) result.push_back(weight);
    }
    return result;
  }

  const TuneSettings& settings_;
  Job& job_;
  Workers& workers_;
  TuneObserver& observer_;
  std::unique_ptr<Metric> metric_;
  std::string cost_;
  std::string references_;
  std::size_t sentences_;
  std::vector<std::pair<std::string, std::string>> identity_;
  TuneFolder folder_;
  Decoding decoding_;
  TuneResult result_;
};

}  // namespace

std::string TuneResult::weights(std::size_t iteration) const {
  return (fs::path(folder) / fmt::format("run{}.weights", iteration)).string();
}

TuneResult tune(const TuneSettings& settings, Job& job, const Decoder& decoder, Workers& workers,
                TuneObserver& observer) {
  return Tuner(settings, job, decoder, workers, observer).run();
}

std::string tuned_model(const TuneResult& result, std::size_t iteration, Job& job, Workers& workers) {
  JobObserver silent;
  job.train.emplace(result.merged);
  const JobData data = load(job, workers, silent);
  const ObjectiveKind objective = job.learner->start(data.set->task(), workers)->objective();
  TrainResult tuned{.weights = tuned_weights(result.weights(iteration), *data.set)};
  return model_bytes(job, data, {std::move(tuned), objective});
}

}  // namespace hinge
