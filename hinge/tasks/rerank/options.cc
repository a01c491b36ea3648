#include "hinge/tasks/rerank/options.h"

#include "hinge/core/error.h"
#include "hinge/evaluate/metric.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/rerank/check.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/sample.h"
#include "hinge/tasks/rerank/training_set.h"

namespace hinge::rerank {
namespace {

class RerankChoice final : public TaskChoice, public Cacheable {
 public:
  RerankChoice() : table_("rerank") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  void continue_from(const ModelFile& model) override { known_ = read_known(model); }

  std::unique_ptr<TrainingSet> load(const Source& source, Workers&) const override {
    return make_training_set(source, options_, known_);
  }

  void compile(const Source& source, Workers& workers, SpillSpace& space,
               BlockCacheWriter& out) const override {
    compile_training_set(source, options_, known_, workers, space, out);
  }
  std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const override {
    return open_training_set(std::move(cache), options_);
  }

  // `system`: one hypothesis per line; `gold`: reference files, separated by commas.
  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (split_list(gold).empty()) fail<OptionError>("rerank: scores need references; give them with --gold");
    return evaluate_texts(gold, system, *make_metric(options_.metric));
  }

  void check(const Source& source, CorpusCheck& check) const override {
    const bool train = check.files().back().part == CorpusPart::kTrain;
    check_lists(source, {.cost_feature = options_.cost, .cost_optional = true},
                split_list(train ? options_.refs : options_.dev_refs), check);
  }
  std::span<const FindingKind> finding_kinds() const override { return rerank::finding_kinds(); }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    sample_lists(sentences, seed, out);
  }
  bool sample_references(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    rerank::sample_references(sentences, seed, out);
    return true;
  }

 private:
  RerankOptions options_;
  OptionTable table_;
  Known known_;
};

}  // namespace

void RerankOptions::describe(OptionTable& table) {
  table.add("refs", refs, "reference files, one line per sentence; separate several by commas")
      .with({Trait::kFlag, Trait::kEvaluate, Trait::kInput, Trait::kList});
  table.add("dev_refs", dev_refs, "references of the development lists")
      .with({Trait::kFlag, Trait::kInput, Trait::kList});
  describe_metric(table);
  table.add("cost", cost, "the feature that holds the cost, if the lists give costs");
  table
      .add("oracle", oracle,
           "what should win: least cost (max-bleu), least cost of the top few (local), score - cost (hope)")
      .one_of({"max-bleu", "local", "hope"});
  table
      .add("prediction", prediction,
           "what should lose: highest score (best), highest cost (max-cost), score + cost (fear)")
      .one_of({"best", "max-cost", "fear"});
  table.add("local", local, "how many top hypotheses oracle=local picks from").at_least(1);
  table.add("context", context, "from the second epoch, corpus-level costs given the other current choices");
  table
      .add("pairs", pairs,
           "above 0: learn from this many pairs per list, as in PRO, instead of oracle and prediction")
      .at_least(0)
      .at_most(1000000);
  table.add("sampled", sampled, "pairs sampled per list, of which `pairs` are kept")
      .at_least(1)
      .at_most(100000000);
  table.add("least", least, "minimum cost difference of a pair").at_least(0);
  describe_subset(table);
  table.add("ngrams", ngrams, "above 1: add word n-grams from 2 up to this length as features")
      .at_least(0)
      .at_most(kMostNGrams);
}

void RerankOptions::describe_metric(OptionTable& table) {
  const std::vector<std::string_view> names = metric_names();
  table.add("metric", metric, "the metric that defines costs")
      .one_of(std::vector<std::string>(names.begin(), names.end()));
}

void RerankOptions::describe_subset(OptionTable& table) {
  table.add("subset", subset, "the references may have sentences without lists");
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<RerankChoice>(); }

}  // namespace hinge::rerank
