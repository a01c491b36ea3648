#include "hinge/tasks/tag/evaluate.h"

#include <optional>
#include <string_view>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/core/state_bytes.h"
#include "hinge/corpus/scan.h"
#include "hinge/evaluate/spans.h"
#include "hinge/tasks/tag/lookback.h"

namespace hinge::tag {

namespace {

// Counts; one per thread.
class TaggerScorer {
 public:
  explicit TaggerScorer(const Tagger& tagger) : tagger_(tagger), workspace_(tagger) {}

  void add(const LookbackSlice& slice) {
    if (!reader_) reader_.emplace(slice.slice, tagger_.layout(), /*labelled=*/true);
    tagger_.begin(slice, *reader_, workspace_);
    while (reader_->next()) {
      tagger_.score(*reader_, workspace_);
      const auto path = tagger_.best(workspace_);
      gold_.clear();
      system_.clear();
      for (std::size_t t = 0; t < path.size(); ++t) {
        gold_.push_back(reader_->label(t));
        system_.push_back(tagger_.labels().names()[path[t]]);
      }
      counts_.add(gold_, system_);
    }
  }

  const SpanScorer& counts() const { return counts_; }

 private:
  const Tagger& tagger_;
  Tagger::Workspace workspace_;
  std::optional<TagReader> reader_;  // set by the first slice
  SpanScorer counts_;
  std::vector<std::string_view> gold_, system_;
};

}  // namespace

Evaluation evaluate_tagger(const Tagger& tagger, const Source& source, Workers& workers) {
  PerThread<TaggerScorer> scorers(workers, [&] { return TaggerScorer(tagger); });
  agree_on(this_communicator(), [&] {
    RankSlices mine(this_communicator());
    each_round_looking_back(source, tagger.layout().format, tagger.lookback(), workers,
                            [&](std::span<const LookbackSlice> slices) {
                              mine.each(slices.size(), workers,
                                        [&](std::size_t i) { scorers.local().add(slices[i]); });
                            });
  });
  SpanScorer all;
  scorers.each([&](const TaggerScorer& scorer) { all.add(scorer.counts()); });
  add_ranks(all);
  if (all.sentences() == 0) fail<InputError>("{}: has no sentences to evaluate on", source.name());
  return all.evaluate();
}

Evaluation evaluate_file(const std::string& path, ColumnFormat format) {
  const bool commented = format == ColumnFormat::kCommented;
  ColumnReader reader(path, commented ? format : ColumnFormat::kColumns);
  ColumnSentence sentence;
  SpanScorer scorer;
  std::vector<std::string_view> gold;
  std::vector<std::string_view> system;
  bool any = false;
  while (reader.next(sentence)) {
    any = true;
    if (sentence.columns < 2) {
      fail<InputError>(
          "{}:{}: has one column, but the gold and the predicted label were expected as the last two", path,
          sentence.first_line);
    }
    gold.clear();
    system.clear();
    for (std::size_t t = 0; t < sentence.tokens(); ++t) {
      gold.push_back(sentence.cell(t, sentence.columns - 2));
      system.push_back(sentence.cell(t, sentence.columns - 1));
    }
    scorer.add(gold, system);
  }
  if (!any) fail<InputError>("{}: has no sentences to evaluate", path);
  return scorer.evaluate();
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path,
                          const FileLayout& layout) {
  TagReader gold(gold_path, layout, /*labelled=*/true);
  TagReader system(system_path, layout, /*labelled=*/true);
  SpanScorer scorer;
  std::vector<std::string_view> gold_labels;
  std::vector<std::string_view> system_labels;
  bool any = false;
  while (gold.next()) {
    any = true;
    const std::size_t tokens = gold.sentence().tokens();
    if (!system.next() || system.sentence().tokens() != tokens) {
      fail<InputError>(
          "{}: the sentence at {} does not match the one at {}; both files must hold the same text",
          system_path, gold.where(0), system.sentence().tokens() > 0 ? system.where(0) : "its end");
    }
    gold_labels.clear();
    system_labels.clear();
    for (std::size_t t = 0; t < tokens; ++t) {
      if (gold.text(t) != system.text(t)) {
        fail<InputError>("{}: is '{}' but {} is '{}'; both files must hold the same text", system.where(t),
                         shown(system.text(t)), gold.where(t), shown(gold.text(t)));
      }
      gold_labels.push_back(gold.label(t));
      system_labels.push_back(system.label(t));
    }
    scorer.add(gold_labels, system_labels);
  }
  if (!any) fail<InputError>("{}: has no sentences to evaluate", gold_path);
  if (system.next())
    fail<InputError>("{}: continues after the end of {}; both files must hold the same text", system_path,
                     gold_path);
  return scorer.evaluate();
}

}  // namespace hinge::tag
