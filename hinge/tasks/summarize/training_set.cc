#include "hinge/tasks/summarize/training_set.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/core/shared_work.h"
#include "hinge/tasks/fingerprint.h"
#include "hinge/tasks/summarize/compiled.h"
#include "hinge/tasks/summarize/evaluate.h"
#include "hinge/tasks/summarize/task.h"

namespace hinge::summarize {
namespace {

class SummarizeTrainingSet final : public TrainingSet {
 public:
  SummarizeTrainingSet(TopicParts parts, const SummarizeOptions& options)
      : options_(options), parts_(std::move(parts)), task_(data_, plan_.data.solver, options.start == "regression") {
    if (parts_.cache != nullptr)
      parts_.cache->set_check(
          [this](std::size_t first, std::size_t last) { return is_sound(data_, first, last); });
  }

  void compile(BlockCacheWriter& out) {
    parts_.fingerprint = fingerprint();
    write_parts(parts_, out);
  }

  const Task& task() const override { return task_; }

  std::string summary() const override {
    const TopicCounts& counts = parts_.counts;
    return fmt::format(
        "{} topics, {} sentences, {} bigrams; oracles of {} words: {} {}, bigram recall {:.2f} %{}; {} "
        "weights",
        data_.size(), counts.sentences, data_.keys.size(), plan_.data.limit, counts.gold,
        plan_.text.compress ? "pieces" : "sentences", counts.recall,
        counts.exact == data_.size() ? "" : fmt::format(" ({} not exact)", data_.size() - counts.exact),
        task_.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Dev>();
    dev->topics = read_topics(source, plan_.encoding, /*need_references=*/true);
    dev->texts = split_all(dev->topics, plan_, parts_.trees.get(), workers);
    dev->data.resize(dev->texts.size());
    each_until_error(workers, dev->texts.size(), [&](std::size_t i) {
      dev->data[i] = make_data(dev->texts[i], plan_.data, plan_.phrases, nullptr);
    }).rethrow();
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    if (parts_.fingerprint) return *parts_.fingerprint;
    Fingerprint print;
    print.add(std::int64_t{plan_.data.limit});
    print.add(feature_names());
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const TopicView data = data_[i];
      print.add(data.keys);
      print.add(data.bigram_rows);
      print.add(data.piece_rows);
      print.add(data.gains);
      print.add(data.costs);
      print.add(data.gold);
    }
    print.add(options_.start);
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "summarize");
    const std::vector<std::string> theirs = model.description().texts("feature_names"),
                                   ours = feature_names();
    const auto stored = model.array<float>("weights");
    if (stored.size() != theirs.size())
      fail<ModelError>("{}: its weights are cut short; train it again", model.name());
    Weights w(ours.size());
    for (std::size_t k = 0; k < ours.size(); ++k) {
      const auto found = std::ranges::find(theirs, ours[k]);
      if (found != theirs.end()) w[k] = stored[static_cast<std::size_t>(found - theirs.begin())];
    }
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    meta.set("feature_names", feature_names());
    write_plan(plan_, out, meta);
    out.add_array("weights", w.span());
  }

 private:
  struct Dev {
    std::vector<Topic> topics;
    std::vector<TopicText> texts;
    std::vector<TopicData> data;
  };

  Scores score(const Dev& dev, const Weights& w, Workers& workers) const {
    PerThread<Decoder> decoders(workers, [this] { return Decoder(plan_.data.solver); });
    PerThread<TopicScorer> scorers(workers,
                                   [this] { return TopicScorer(options_.scores, plan_.text.lines); });
    const auto scores = share_values<TopicScore>(dev.data.size(), workers, [&](std::size_t i) {
      check_interrupt();
      Decoder& decoder = decoders.local();
      decoder.weigh(dev.data[i], w.data(), 0.0);
      const CoverageSolution& best = decoder.summarize(dev.data[i]);
      return scorers.local().score(dev.topics[i],
                                   chosen_sentences(dev.texts[i], dev.data[i], best.chosen));
    });
    return evaluation_of(scores).scores;
  }

  SummarizeOptions options_;
  TopicParts parts_;
  const Plan& plan_ = parts_.plan;
  const TopicSet& data_ = parts_.data;
  SummarizeTask task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const SummarizeOptions& options,
                                               const Phrases& known, Workers& workers) {
  return std::make_unique<SummarizeTrainingSet>(read_parts(source, options, known, workers, nullptr),
                                                options);
}

void compile_training_set(const Source& source, const SummarizeOptions& options, const Phrases& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out) {
  SummarizeTrainingSet set(read_parts(source, options, known, workers, &space), options);
  set.compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const SummarizeOptions& options) {
  return std::make_unique<SummarizeTrainingSet>(open_parts(std::move(cache), options), options);
}

}  // namespace hinge::summarize
