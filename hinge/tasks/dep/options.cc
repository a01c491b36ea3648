#include "hinge/tasks/dep/options.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/features/presets.h"
#include "hinge/sample/sampler.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/dep/check.h"
#include "hinge/tasks/dep/training_set.h"

namespace hinge::dep {
namespace {

class DepChoice final : public TaskChoice, public Cacheable {
 public:
  DepChoice() : table_("dep") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  // A small unlabelled parser suffices to rule heads out.
  FirstStage first_stage() const override {
    if (options_.order == 1 || !first_stage_.empty()) return {};
    if (options_.decoder != "eisner")
      fail<OptionError>("order=2 finds only projective trees; use decoder=eisner, or order=1");
    auto first = std::make_unique<DepChoice>();
    first->options_ = options_;
    first->options_.order = 1;
    first->options_.labelled = false;
    first->options_.hash_bits = 16;
    first->options_.names = false;
    return {.task = std::move(first), .epochs = 3, .purpose = "first, a first-order parser for pruning:"};
  }
  void set_first_stage(std::string model) override { first_stage_ = std::move(model); }

  // A second-order model keeps its pruner: one trained on the new data alone would
  // prune arcs that the old data needs.
  void continue_from(const ModelFile& model) override {
    known_ = read_known(model);
    if (options_.columns.empty()) options_.columns = known_.columns;
    if (options_.order == 2) first_stage_ = known_.pruner;
  }

  void read_only(const std::vector<std::string>& columns) override {
    if (options_.columns.empty()) options_.columns = "form," + join(columns, ",");
  }

  std::unique_ptr<TrainingSet> load(const Source& source, Workers&) const override {
    return make_training_set(source, options_, known_, first_stage_);
  }

  void compile(const Source& source, Workers&, SpillSpace& space, BlockCacheWriter& out) const override {
    compile_training_set(source, options_, known_, first_stage_, space, out);
  }
  std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const override {
    return open_training_set(std::move(cache), options_, known_);
  }

  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (gold.empty())
      fail<OptionError>(
          "dep: scores need two files; give the right trees with --gold and the others with --system");
    return evaluate_dependency_files(gold, system);
  }

  void check(const Source& source, CorpusCheck& check) const override {
    check_trees(source, options_.labelled, check);
  }
  std::span<const FindingKind> finding_kinds() const override { return dep::finding_kinds(); }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    Sampler sampler(seed);
    for (std::int64_t s = 0; s < sentences; ++s) {
      std::size_t id = 0;
      for (const SampleToken& token : sampler.next().tokens) {
        out.write(fmt::format("{}\t{}\t{}\t{}\t{}\t_\t{}\t{}\t_\t_\n", ++id, token.form, token.lemma,
                              token.upos, token.xpos, token.head, token.deprel));
      }
      out.write("\n");
    }
  }

 private:
  DepOptions options_;
  OptionTable table_;
  std::string first_stage_;  // a model
  Known known_;
};

}  // namespace

void DepOptions::describe(OptionTable& table) {
  table
      .add("features", features,
           fmt::format("templates: a preset ({}) or a file", preset_names(factor_preset_table())))
      .with({Trait::kFlag, Trait::kInput});
  table.add("columns", columns,
            "columns that features may read besides form: lemma, upos, xpos, feats, separated by commas "
            "(empty: all; with --tagger: those it fills)");
  table.add("decoder", decoder, "eisner: projective trees; chu-liu-edmonds: all trees")
      .one_of({"eisner", "chu-liu-edmonds"});
  table
      .add("order", order,
           "1: arcs; 2: also siblings and grandparents, on arcs that a first-order parser keeps")
      .at_least(1)
      .at_most(2);
  table
      .add("single_root", single_root,
           "exactly one word attaches to the root; auto: if so in all training trees")
      .one_of({"auto", "true", "false"});
  table.add("labelled", labelled, "also learn labels");
  table.add("cost", cost, "errors that cost: wrong heads and labels (label), or only wrong heads (head)")
      .one_of({"label", "head"})
      .formerly("loss");
  table.add("punctuation", punctuation, "cost of a wrong arc to a punctuation mark; others cost 1")
      .at_least(0);
  table.add("hash_bits", hash_bits, "hash arc features into 2^bits rows of 16 weights; 0: keep a dictionary")
      .at_least(0)
      .at_most(24);
  table.add("label_bits", label_bits, "hash label features into 2^bits rows").at_least(1).at_most(24);
  table.add("names", names, kNamesHelp).with({Trait::kIfSet});
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<DepChoice>(); }

}  // namespace hinge::dep
