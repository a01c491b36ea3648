#include "hinge/tasks/rerank/options.h"

#include "hinge/core/error.h"
#include "hinge/evaluate/metric.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/sample.h"
#include "hinge/tasks/rerank/training_set.h"

namespace hinge::rerank {
namespace {

class RerankChoice final : public TaskChoice {
 public:
  RerankChoice() : table_("rerank") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  void continue_from(const ModelFile& model) override { known_ = read_known(model); }

  std::unique_ptr<TrainingSet> load(const Source& source) const override {
    return make_training_set(source, options_, known_);
  }

  // `system`: one hypothesis per line; gold: references, separated by commas.
  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (split_list(gold).empty()) fail<OptionError>("rerank: scores need references; give them with --gold");
    return evaluate_texts(gold, system, *make_metric(options_.metric));
  }

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
  table.add("refs", refs, "references, one line per sentence; several files: separated by commas")
      .with({Trait::kFlag, Trait::kEvaluate, Trait::kInput, Trait::kList});
  table.add("dev_refs", dev_refs, "references of the development lists")
      .with({Trait::kFlag, Trait::kInput, Trait::kList});
  describe_metric(table);
  table.add("cost", cost, "the feature that is the cost, where the lists give costs");
  table
      .add("oracle", oracle,
           "what is to win: least cost (max-bleu), the same of the best few (local), score less cost (hope)")
      .one_of({"max-bleu", "local", "hope"});
  table
      .add("prediction", prediction,
           "what is to lose: highest score (best), most cost (max-cost), score and cost (fear)")
      .one_of({"best", "max-cost", "fear"});
  table.add("local", local, "how many hypotheses oracle=local picks from").at_least(1);
  table.add("context", context, "from the second epoch, costs among the other sentences' present choices");
  table
      .add("pairs", pairs,
           "above 0: learn from so many pairs of hypotheses a list, as PRO does, in place of oracle and "
           "prediction")
      .at_least(0)
      .at_most(1000000);
  table.add("sampled", sampled, "pairs drawn from a list, of which `pairs` are kept")
      .at_least(1)
      .at_most(100000000);
  table.add("least", least, "difference of cost of a pair that is kept").at_least(0);
  describe_subset(table);
  table.add("ngrams", ngrams, "above 1: add runs of two to so many neighbouring words as features")
      .at_least(0)
      .at_most(kMostNGrams);
}

void RerankOptions::describe_metric(OptionTable& table) {
  const std::vector<std::string_view> names = metric_names();
  table.add("metric", metric, "what costs are counted by")
      .one_of(std::vector<std::string>(names.begin(), names.end()));
}

void RerankOptions::describe_subset(OptionTable& table) {
  table.add("subset", subset, "the references may have sentences that the lists do not have");
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<RerankChoice>(); }

}  // namespace hinge::rerank
