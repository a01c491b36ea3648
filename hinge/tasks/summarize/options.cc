#include "hinge/tasks/summarize/options.h"

#include "hinge/core/error.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/summarize/check.h"
#include "hinge/tasks/summarize/evaluate.h"
#include "hinge/tasks/summarize/sample.h"
#include "hinge/tasks/summarize/training_set.h"

namespace hinge::summarize {
namespace {

class SummarizeChoice final : public TaskChoice, public Cacheable {
 public:
  SummarizeChoice() : table_("summarize") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  // A model's features are always those of the build; its weights come by name. What it
  // knows of phrases stays.
  void continue_from(const ModelFile& model) override {
    require_task(model, "summarize");
    known_ = Phrases::read(model);
  }

  std::unique_ptr<TrainingSet> load(const Source& source, Workers& workers) const override {
    return make_training_set(source, options_, known_, workers);
  }

  void compile(const Source& source, Workers& workers, SpillSpace& space,
               BlockCacheWriter& out) const override {
    compile_training_set(source, options_, known_, workers, space, out);
  }
  std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const override {
    return open_training_set(std::move(cache), options_);
  }

  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (gold.empty())
      fail<OptionError>(
          "summarize: scores need references; give the topics with --gold and the summaries with --system");
    return evaluate_files(gold, system, options_);
  }

  void check(const Source& source, CorpusCheck& check) const override {
    check_topics(source, parse_encoding(options_.encoding), check);
  }
  std::span<const FindingKind> finding_kinds() const override { return summarize::finding_kinds(); }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    sample_topics(sentences, seed, out);
  }

 private:
  SummarizeOptions options_;
  OptionTable table_;
  Phrases known_;
};

}  // namespace

void ScoreOptions::describe(OptionTable& table) {
  table.add("stem", stem, "ROUGE: compare stems");
  table.add("remove_stop_words", remove_stop_words, "ROUGE: ignore stop words");
  table
      .add("references", references,
           "ROUGE with several references: their average, the best by F1 or by recall, or summed counts")
      .one_of({"average", "best", "best-recall", "summed"});
  table.add("jackknife", jackknife, "ROUGE: average over all sets that leave out one reference");
}

RougeOptions ScoreOptions::rouge() const {
  RougeOptions options{.stem = stem, .remove_stop_words = remove_stop_words, .jackknife = jackknife};
  if (references == "best") options.references = RougeReferences::kBest;
  if (references == "best-recall") options.references = RougeReferences::kBestRecall;
  if (references == "summed") options.references = RougeReferences::kSummed;
  return options;
}

void SummarizeOptions::describe(OptionTable& table) {
  table.add("words", words, "how many words a summary may have").at_least(1).at_most(1e6);
  table
      .add("features", features,
           "all; no-phrases: without what training summaries are made of; bigrams: of these, only those of "
           "bigrams; documents: only how many documents have a bigram")
      .one_of({"all", "no-phrases", "bigrams", "documents"});
  table.add("stop_bigrams", stop_bigrams, "bigrams of two stop words count, too");
  table
      .add(
          "word_cost", word_cost,
          "what a word costs in the loss, in matched bigrams: 0 for recall; half the F1 that is reached, say "
          "0.07, for F1")
      .at_least(0)
      .at_most(1);
  table
      .add("recall", recall,
           "of bigrams in the loss: pooled, over all references together; mean, of the recalls of each, as "
           "references=average scores them")
      .one_of({"pooled", "mean"});
  table
      .add("start", start,
           "weights before the first epoch: zero; regression: by least squares on what every bigram and "
           "sentence adds to the recall")
      .one_of({"zero", "regression"});
  table.add("compress", compress, "parts of sentences may be left out, where there are trees");
  table
      .add("tree_parser", tree_parser,
           "compress=true: a model of the task const that makes trees; stored in the model")
      .with({Trait::kFlag, Trait::kInput});
  table
      .add("lines", lines, "line ends in documents: wrapped (like spaces) or sentences (a sentence per line)")
      .one_of({"wrapped", "sentences"});
  table.add("encoding", encoding, "of the files in a folder; JSON is UTF-8").one_of({"utf-8", "latin-1"});
  table
      .add("solver", solver,
           "auto: exact, by search and if need be by Cbc; cbc: exact, by Cbc; greedy: quick, not exact")
      .one_of({"auto", "cbc", "greedy"});
  table.add("search_nodes", search_nodes, "solver=auto: nodes of the search before Cbc begins").at_least(0);
  table.add("cbc_nodes", cbc_nodes, "nodes of Cbc before the best summary so far is taken").at_least(0);
  scores.describe(table);
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<SummarizeChoice>(); }

}  // namespace hinge::summarize
