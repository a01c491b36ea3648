#include "hinge/tasks/summarize/training_set.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/tasks/fingerprint.h"
#include "hinge/tasks/summarize/evaluate.h"
#include "hinge/tasks/summarize/plan.h"
#include "hinge/tasks/summarize/regression.h"
#include "hinge/tasks/summarize/task.h"

namespace hinge::summarize {
namespace {

std::vector<TopicText> split_all(const std::vector<Topic>& topics, const Plan& plan, const TreeMaker* trees,
                                 Workers& workers) {
  std::vector<TopicText> texts(topics.size());
  PerThread<TopicSplitter> splitters(workers, [&] { return TopicSplitter(plan.text, trees); });
  each_until_error(workers, topics.size(), [&](std::size_t i) {
    check_interrupt();
    texts[i] = splitters.local().split(topics[i]);
  }).rethrow();
  return texts;
}

void check_trees(const std::vector<TopicText>& texts, const std::string& name) {
  const auto has_tree = [](const Sentence& sentence) { return !sentence.leaves.empty(); };
  for (const TopicText& text : texts) {
    if (std::ranges::any_of(text.sentences, has_tree)) return;
  }
  fail<InputError>(
      "{}: has no trees, so compress=true has nothing to drop; give trees, or a model in tree_parser", name);
}

class SummarizeTrainingSet final : public TrainingSet {
 public:
  SummarizeTrainingSet(const Source& source, const SummarizeOptions& options, const Phrases& known,
                       Workers& workers)
      : options_(options), plan_(make_plan(options)), trees_(make_trees(plan_.parser)) {
    plan_.phrases = known;
    const std::vector<Topic> topics = read_topics(source, plan_.encoding, /*need_references=*/true);
    const std::vector<TopicText> texts = split_all(topics, plan_, trees_.get(), workers);
    if (plan_.text.compress && plan_.parser.empty()) check_trees(texts, source.name());
    std::vector<Phrases::Seen> seen(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      seen[i] = Phrases::of(texts[i]);
      plan_.phrases.add(seen[i]);
      sentences_ += texts[i].sentences.size();
    }
    plan_.phrases.prune();
    data_.resize(texts.size());
    each_until_error(workers, texts.size(), [&](std::size_t i) {
      data_[i] = make_data(texts[i], plan_.data, plan_.phrases, &seen[i]);
    }).rethrow();
    if (std::ranges::all_of(data_, [](const TopicData& data) { return data.gold_recall == 0.0; }))
      fail<InputError>(
          "{}: no sentence of at most {} words shares a bigram with its references; check the documents, or "
          "raise the word limit",
          source.name(), options.words);
    task_ = std::make_unique<SummarizeTask>(data_, plan_.data.solver,
                                            options.start == "regression" ? regression(data_) : Weights());
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    std::size_t bigrams = 0, gold = 0, exact = 0;
    double recall = 0.0;
    for (const TopicData& data : data_) {
      bigrams += data.keys.size();
      gold += static_cast<std::size_t>(std::ranges::count(data.gold, 1));
      recall += 100.0 * data.gold_recall / static_cast<double>(data_.size());
      exact += data.gold_exact;
    }
    return fmt::format(
        "{} topics, {} sentences, {} bigrams; oracles of {} words: {} {}, bigram recall {:.2f} %{}; {} "
        "weights",
        data_.size(), sentences_, bigrams, plan_.data.limit, gold,
        plan_.text.compress ? "pieces" : "sentences", recall,
        exact == data_.size() ? "" : fmt::format(" ({} not exact)", data_.size() - exact),
        task_->dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Dev>();
    dev->topics = read_topics(source, plan_.encoding, /*need_references=*/true);
    dev->texts = split_all(dev->topics, plan_, trees_.get(), workers);
    dev->data.resize(dev->texts.size());
    each_until_error(workers, dev->texts.size(), [&](std::size_t i) {
      dev->data[i] = make_data(dev->texts[i], plan_.data, plan_.phrases, nullptr);
    }).rethrow();
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    Fingerprint print;
    print.add(std::int64_t{plan_.data.limit});
    print.add(feature_names());
    for (const TopicData& data : data_) {
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
    std::vector<TopicScore> scores(dev.data.size());
    each_until_error(workers, dev.data.size(), [&](std::size_t i) {
      check_interrupt();
      Decoder& decoder = decoders.local();
      decoder.weigh(dev.data[i], w.data(), 0.0);
      const CoverageSolution& best = decoder.summarize(dev.data[i]);
      scores[i] =
          scorers.local().score(dev.topics[i], chosen_sentences(dev.texts[i], dev.data[i], best.chosen));
    }).rethrow();
    return evaluation_of(scores).scores;
  }

  SummarizeOptions options_;
  Plan plan_;
  std::unique_ptr<TreeMaker> trees_;
  std::vector<TopicData> data_;
  std::size_t sentences_ = 0;
  std::unique_ptr<SummarizeTask> task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const SummarizeOptions& options,
                                               const Phrases& known, Workers& workers) {
  return std::make_unique<SummarizeTrainingSet>(source, options, known, workers);
}

}  // namespace hinge::summarize
