#include "hinge/tasks/tag/options.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/features/presets.h"
#include "hinge/sample/sampler.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/tag/check.h"
#include "hinge/tasks/tag/evaluate.h"
#include "hinge/tasks/tag/training_set.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::tag {
namespace {

class TagChoice final : public TaskChoice, public Cacheable {
 public:
  TagChoice() : table_("tag") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  void continue_from(const ModelFile& model) override { known_ = read_known(model); }
  void read_only(const std::vector<std::string>&) override {}  // the templates name the columns

  std::unique_ptr<TrainingSet> load(const Source& source, Workers&) const override {
    return make_training_set(columns_of_trees(source), options_, known_);
  }

  void check_cache() const override {
    if (options_.kernel != "linear")
      fail<OptionError>("a kernel needs all its training data in memory; leave out the cache");
  }
  void compile(const Source& source, Workers&, SpillSpace& space, BlockCacheWriter& out) const override {
    compile_training_set(columns_of_trees(source), options_, known_, space, out);
  }
  std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const override {
    return open_training_set(std::move(cache), options_, known_);
  }

  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (gold.empty()) return evaluate_file(system, parse_format(options_.format));
    return evaluate_files(gold, system,
                          {.format = parse_format(options_.format), .label_column = options_.column});
  }

  void check(const Source& source, CorpusCheck& check) const override {
    check_sentences(source, {.format = parse_format(options_.format), .label_column = options_.column},
                    options_.partial, check);
  }
  std::span<const FindingKind> finding_kinds() const override { return tag::finding_kinds(); }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    Sampler sampler(seed);
    for (std::int64_t s = 0; s < sentences; ++s) {
      for (const SampleToken& token : sampler.next().tokens) {
        out.write(fmt::format("{} {} {}\n", token.form, token.xpos, token.chunk));
      }
      out.write("\n");
    }
  }

 private:
  TagOptions options_;
  OptionTable table_;
  Known known_;
};

}  // namespace

void TagOptions::describe(OptionTable& table) {
  table
      .add("features", features,
           fmt::format("templates: a preset ({}), a file, attributes, or auto",
                       preset_names(token_preset_table())))
      .with({Trait::kFlag, Trait::kInput});
  table
      .add("format", format,
           "file format: columns, commented (columns with comment lines, which begin with #), conllu, "
           "attributes (CRFsuite's), or auto: columns or conllu")
      .one_of({"auto", "columns", "commented", "conllu", "attributes"});
  table
      .add("column", column,
           "label column: a number from 0 (empty: the last), or a CoNLL-U name (empty: upos)")
      .with({Trait::kFlag, Trait::kEvaluate});
  table.add("constraints", constraints, "predict only well-formed labels; auto: if the training labels are")
      .one_of({"auto", "none", "bio", "iob2", "iobes"});
  table.add("constrain_training", constrain_training, "also apply the constraints in training");
  table.add("min_count", min_count, "drop features seen less often").at_least(1);
  table
      .add("hash_bits", hash_bits,
           "above 0: hash features, or only the conjunctions of a kernel, into 2^bits rows")
      .at_least(0)
      .at_most(28);
  table.add("prune", prune, "drop weights up to this absolute value from the model").at_least(0);
  table.add("names", names, kNamesHelp).with({Trait::kIfSet});
  describe_kernel(table);
  table
      .add("clusters", clusters,
           "word clusters for %cluster, lines 'bits word count' or 'word bits'; pos and ner then use them")
      .with({Trait::kInput});
  table
      .add("gazetteer", gazetteer,
           "names for ner, one a line, perhaps after a type and a tab; the longest that matches counts")
      .with({Trait::kInput});
  table.add("costs", costs, "a file of lines 'gold predicted cost'; errors not listed cost 1")
      .with({Trait::kInput});
  table
      .add("miss", miss,
           "cost of O where a phrase is: above 1 the model finds more phrases, and more wrong ones; 0: 1.5 with "
           "features=ner, else 1")
      .at_least(0)
      .at_most(kMostCost);
  table.add("partial", partial, "labels may be ? (any) or A|B (one of them)");
  table.add("all_states", all_states, "crf: also learn feature-label pairs that gold never has");
  table.add("all_transitions", all_transitions, "crf: also learn label pairs that gold never has");
}

void TagOptions::describe_kernel(OptionTable& table) {
  table
      .add("kernel", kernel,
           "product of two tokens' features: linear, poly: (s <a,b> + r)^degree, or tanh: tanh(s <a,b> + r)")
      .one_of({"linear", "poly", "tanh"})
      .with({Trait::kFlag});
  table.add("degree", degree, "of kernel=poly: 2 is pairs of features; 3 and 4 need hash_bits")
      .at_least(2)
      .at_most(4)
      .with({Trait::kFlag});
  table.add("s", s, "scale of the product in the kernel").above(0);
  table.add("r", r, "constant of the kernel; the higher it is, the more single features count").at_least(0);
  table
      .add("kernel_min_count", kernel_min_count,
           "drop pairs of the kernel seen less often; above 1 it is no longer exact")
      .at_least(1);
  table
      .add("paired", paired,
           "templates (a preset or a file) that are added; only their features are conjoined by the kernel")
      .with({Trait::kInput});
  table.add("vectors", vectors,
            "compare with support vectors instead of using conjunctions; kernel=tanh always does");
  table
      .add("budget", budget,
           "most support vectors of a model, and after each pass of sgd; the shortest are dropped; 0: all")
      .at_least(0);
  table
      .add("kernel_cache", kernel_cache, "megabytes for products of tokens, in training with support vectors")
      .at_least(0)
      .formerly("cache");
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<TagChoice>(); }

}  // namespace hinge::tag
