#include "hinge/tasks/coref/options.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/coref/check.h"
#include "hinge/tasks/coref/evaluate.h"
#include "hinge/tasks/coref/sample.h"
#include "hinge/tasks/coref/scorer.h"
#include "hinge/tasks/coref/training_set.h"

namespace hinge::coref {
namespace {

class CorefChoice final : public TaskChoice, public Cacheable {
 public:
  CorefChoice() : table_("coref") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  void continue_from(const ModelFile& model) override {
    known_ = read_known(model);
    if (options_.columns.empty()) options_.columns = known_.columns;
  }

  void read_only(const std::vector<std::string>& columns) override {
    if (options_.columns.empty()) options_.columns = "form," + join(columns, ",");
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
          "coref: scores need two files; give the right clusters with --gold and the others with --system");
    return evaluate_files(gold, system);
  }

  void check(const Source& source, CorpusCheck& check) const override { check_documents(source, check); }
  std::span<const FindingKind> finding_kinds() const override { return coref::finding_kinds(); }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    sample_documents(sentences, seed, DocumentFormat::kConllu, out);
  }

 private:
  CorefOptions options_;
  OptionTable table_;
  Known known_;
};

}  // namespace

void CorefOptions::describe(OptionTable& table) {
  table
      .add("features", features,
           fmt::format("templates: a preset ({}) or a file", preset_names(preset_table())))
      .with({Trait::kFlag, Trait::kInput});
  table.add(
      "columns", columns,
      "columns that may be read besides words and speakers: upos, xpos, head, entities, separated by commas "
      "(empty: all; with --tagger: those it fills)");
  table
      .add("mentions", mentions,
           "predicted: found by a detector; gold: those in the data, also when the model is used")
      .one_of({"predicted", "gold"});
  table.add("miss", miss, "mentions=predicted: cost of a missed mention; a wrong one costs 1")
      .above(0)
      .at_most(kMostCost);
  table.add("singletons", singletons, "keep clusters of one mention");
  table.add("false_anaphor", false_anaphor, "cost of a link where a cluster begins")
      .at_least(0)
      .at_most(kMostCost);
  table.add("false_new", false_new, "cost of a new cluster where there is an antecedent")
      .at_least(0)
      .at_most(kMostCost);
  table.add("wrong_link", wrong_link, "cost of a link to another cluster").at_least(0).at_most(kMostCost);
  table.add("window", window, "how many mentions back antecedents may be; 0: any number").at_least(0);
  table.add("word_window", word_window, "the same for antecedents that share a word with the mention")
      .at_least(0);
  table.add("min_count", min_count, "words around fewer training mentions are replaced by their tags")
      .at_least(1);
  table.add("hash_bits", hash_bits, "hash features into 2^bits weights; 0: keep a dictionary, with names")
      .at_least(0)
      .at_most(static_cast<double>(kMaxHashBits));
  table.add("names", names, kNamesHelp).with({Trait::kIfSet});
  table
      .add("dictionary", dictionary,
           "hash_bits=0: features of which choices have weights: right ones (gold), or all")
      .one_of({"gold", "all"});
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<CorefChoice>(); }

}  // namespace hinge::coref
