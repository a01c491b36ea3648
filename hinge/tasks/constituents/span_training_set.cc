#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/threads.h"
#include "hinge/features/vocabulary.h"
#include "hinge/tasks/constituents/evaluate.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/span_task.h"
#include "hinge/tasks/constituents/training_set.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::constituents {
namespace {

// Rows for features that phrases and words of the training data have often enough, and
// for known ones.
SpanLayout make_layout(const Counted& counted, const SpanLabels& labels, std::int64_t min_count,
                       const Known& known) {
  Vocabulary spans, words;
  for (const Key key : known.span_keys) spans.keep(key);
  for (const Key key : known.word_keys) words.keep(key);
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
  SpanTrainingSet(const Source& source, const ConstOptions& options, const Known& known, Workers& workers)
      : options_(options),
        bank_(read_training(source, options)),
        counted_(count_treebank(bank_, options, known, workers)),
        labels_(counted_.plan.grammars.coarse),
        layout_(make_layout(counted_, labels_, options.min_count, known)),
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
    auto dev = std::make_shared<Treebank>(read_dev(source, options_));
    return [this, dev, &workers](const Weights& w) { return score_weights(*this, w, *dev, workers); };
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
    const auto add = [&](std::string_view name, const KeyIndex& keys, std::size_t width, const auto& row) {
      RowTableBuilder rows;
      std::vector<Key> used;
      keys.each([&](Key key, std::uint32_t id) {
        const auto values = w.span().subspan(row(id), width);
        if (std::ranges::all_of(values, [](float value) { return value == 0.0f; })) return;
        rows.add(key, id, values, 0.0f);
        used.push_back(key);
      });
      rows.write(name, width, out);
      write_keys(fmt::format("{}.keys", name), used, out);
    };
    add("spans", layout_.spans, layout_.labels, [&](std::uint32_t id) { return layout_.span_row(id); });
    add("tagrows", layout_.words, layout_.tags, [&](std::uint32_t id) { return layout_.word_row(id); });
  }

 private:
  ConstOptions options_;
  Treebank bank_;
  Counted counted_;
  SpanLabels labels_;
  SpanLayout layout_;
  SpanTask task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_span_training_set(const Source& source, const ConstOptions& options,
                                                    const Known& known, Workers& workers) {
  if (options.features != "span")
    fail<OptionError>("const: grammar=none needs features=span, but features={}", options.features);
  return std::make_unique<SpanTrainingSet>(source, options, known, workers);
}

}  // namespace hinge::constituents
