#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/core/threads.h"
#include "hinge/evaluate/brackets.h"
#include "hinge/features/vocabulary.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/span_task.h"
#include "hinge/tasks/constituents/training_set.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::constituents {
namespace {

// Rows for features that phrases and words of the training data have often enough.
SpanLayout make_layout(const Counted& counted, const SpanLabels& labels, std::int64_t min_count) {
  Vocabulary spans, words;
  EdgeScorer keys(counted.plan);
  const ParseData& data = counted.data;
  for (std::size_t i = 0; i < data.sentences(); ++i) {
    check_interrupt();
    const PrunedSentence sentence = data.sentence(i);
    keys.start({sentence.words, sentence.tags, {}});
    for (const BinaryNode& node : data.gold_of(i)) {
      if (labels.labels[node.symbol] == kNoLabel) continue;
      for (const Key key : keys.span_keys(node.begin, node.end)) spans.intern(key);
    }
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      for (const Key key : keys.word_keys(word)) words.intern(key);
    }
  }
  SpanLayout layout;
  layout.labels = labels.symbols.size();
  layout.tags = counted.plan.grammars.coarse.tags();
  spans.prune(min_count);
  words.prune(min_count);
  for (const Key key : spans.keys()) layout.spans.add(key);
  for (const Key key : words.keys()) layout.words.add(key);
  return layout;
}

class SpanTrainingSet final : public TrainingSet {
 public:
  SpanTrainingSet(const Source& source, const ConstOptions& options, Workers& workers)
      : options_(options),
        bank_(read_treebank(source, options.cleaning(), options.longest)),
        counted_(count_treebank(bank_, options, workers)),
        labels_(counted_.plan.grammars.coarse),
        layout_(make_layout(counted_, labels_, options.min_count)),
        task_(counted_.data, counted_.plan, labels_, layout_) {
    if (labels_.symbols.empty())
      fail<InputError>("{}: has no phrases, only tags; expected brackets such as (S (NP (DT The) ...) ...)",
                       source.name());
  }

  const Task& task() const override { return task_; }

  std::string summary() const override {
    return fmt::format("{} trees, {} words, {} tags, {} labels of spans, {} features, {} weights",
                       counted_.data.sentences(), counted_.data.words.size(), layout_.tags, layout_.labels,
                       layout_.spans.size() + layout_.words.size(), layout_.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Treebank>(read_treebank(source, options_.cleaning(), options_.longest));
    auto guesser = std::make_shared<TagGuesser>(counted_.tags, counted_.pairs);
    return [this, dev, guesser, &workers](const Weights& w) { return score(*dev, *guesser, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    const ParseData& data = counted_.data;
    Fingerprint print;
    print.add(data.begin);
    print.add(data.tags);
    print.add(data.gold_begin);
    for (const BinaryNode& node : data.gold)
      print.add(std::array<std::uint32_t, 4>{node.symbol, node.begin, node.end, node.rule});
    print.add(counted_.plan.symbol_keys);
    print.add(layout_.spans.slots());
    print.add(layout_.words.slots());
    for (const std::string_view word : data.words) print.add(word);
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "const");
    if (model.description().text("grammar") != "none")
      fail<ModelError>("{}: has a grammar, this training has none; use the same", model.name());
    const Parser parser(model);
    Weights w(task_.dimension());
    parser.copy_rows(labels_, counted_.plan.grammars.coarse, layout_, w);
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    write_counts(counted_, options_, out, meta);
    RowTableBuilder spans, words;
    layout_.spans.each([&](Key key, std::uint32_t id) {
      spans.add(key, id, w.span().subspan(layout_.span_row(id), layout_.labels), 0.0f);
    });
    layout_.words.each([&](Key key, std::uint32_t id) {
      words.add(key, id, w.span().subspan(layout_.word_row(id), layout_.tags), 0.0f);
    });
    spans.write("spans", layout_.labels, out);
    words.write("tagrows", layout_.tags, out);
  }

 private:
  // Scores development data; one per thread.
  struct DevScorer {
    explicit DevScorer(const Plan& plan) : keys(plan) {}

    EdgeScorer keys;
    TagGuesser::Workspace guess;
    std::vector<std::string_view> names;
    std::vector<Symbol> given, guesses, tags;
    SpanSentence sentence;
    SpanChart chart;
    std::vector<LabelledSpan> spans;
    BracketTree tree;
    BracketScorer counts;
  };

  Scores score(const Treebank& dev, const TagGuesser& guesser, const Weights& w, Workers& workers) const {
    const Grammar& grammar = counted_.plan.grammars.coarse;
    PerThread<DevScorer> scorers(workers, [this] { return DevScorer(counted_.plan); });
    each_until_error(workers, dev.trees.size(), [&](std::size_t i) {
      check_interrupt();
      DevScorer& local = scorers.local();
      const BracketTree& gold = dev.trees[i];
      if (options_.tags == "gold") {
        tags_of(gold, local.names);
        find_tags(grammar, local.names, local.given);
      }
      guesser.guess(gold.words, local.given, local.guess, local.guesses);
      local.keys.start({gold.words, local.guesses, {}});
      local.sentence.resize(gold.words.size(), layout_.labels, layout_.tags);
      score_sentence(local.keys, layout_, w.data(), local.sentence);
      local.chart.best(local.sentence.spans, local.spans);
      best_tags(local.sentence, layout_.tags, local.tags);
      keep_tags(local.given, local.tags);
      tree_of_spans(grammar, labels_, local.spans, local.tags, "-", gold.words, local.tree);
      local.counts.add(gold, local.tree);
    }).rethrow();
    BracketScorer all;
    scorers.each([&](const DevScorer& local) { all.add(local.counts); });
    return all.evaluate().scores;
  }

  ConstOptions options_;
  Treebank bank_;
  Counted counted_;
  SpanLabels labels_;
  SpanLayout layout_;
  SpanTask task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_span_training_set(const Source& source, const ConstOptions& options,
                                                    Workers& workers) {
  if (options.features != "span")
    fail<OptionError>("const: grammar=none needs features=span, but features={}", options.features);
  return std::make_unique<SpanTrainingSet>(source, options, workers);
}

}  // namespace hinge::constituents
