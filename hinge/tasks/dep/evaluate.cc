#include "hinge/tasks/dep/evaluate.h"

#include "hinge/core/error.h"
#include "hinge/core/state_bytes.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/tasks/dep/reader.h"

namespace hinge::dep {
namespace {

// Counts; one per thread.
class ParserScorer {
 public:
  explicit ParserScorer(const Parser& parser) : parser_(parser), workspace_(parser) {}

  void add(const Slice& slice) {
    const bool labelled = parser_.labels().size() > 0;
    if (reader_ == nullptr)
      reader_.reset(new DependencyReader(open_reader(slice, /*annotated=*/true, labelled)));
    restart(*reader_, slice);
    while (reader_->next()) {
      parser_.score(*reader_, workspace_);
      parser_.best(workspace_);
      add_sentence(labelled);
    }
  }

  const AttachmentScorer& counts() const { return counts_; }

 private:
  void add_sentence(bool labelled) {
    gold_.assign(labelled ? 1 : 0, "");
    system_.assign(labelled ? 1 : 0, "");
    punctuation_.assign(1, 0);
    for (std::size_t m = 1; m <= reader_->words(); ++m) {
      punctuation_.push_back(is_punctuation(reader_->cell(m, kUpos), reader_->cell(m, kForm)));
      if (!labelled) continue;
      gold_.push_back(reader_->label(m));
      system_.push_back(parser_.labels().names()[workspace_.labels()[m]]);
    }
    counts_.add({.gold_heads = reader_->heads(),
                 .system_heads = workspace_.heads(),
                 .gold_labels = gold_,
                 .system_labels = system_,
                 .is_punctuation = punctuation_});
  }

  const Parser& parser_;
  Parser::Workspace workspace_;
  std::unique_ptr<DependencyReader> reader_;  // set by the first slice
  AttachmentScorer counts_;
  std::vector<std::string_view> gold_, system_;  // [words + 1], or empty
  std::vector<char> punctuation_;
};

}  // namespace

Evaluation evaluate_parser(const Parser& parser, const Source& source, Workers& workers) {
  PerThread<ParserScorer> scorers(workers, [&] { return ParserScorer(parser); });
  each_slice(source, ColumnFormat::kConllu, workers, [&](const Slice& slice) { scorers.local().add(slice); });
  AttachmentScorer all;
  scorers.each([&](const ParserScorer& scorer) { all.add(scorer.counts()); });
  add_ranks(all);
  if (all.sentences() == 0) fail<InputError>("{}: has no sentences to evaluate on", source.name());
  return all.evaluate();
}

}  // namespace hinge::dep
