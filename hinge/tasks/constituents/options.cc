#include "hinge/tasks/constituents/options.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/columns.h"
#include "hinge/sample/sampler.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/constituents/check.h"
#include "hinge/tasks/constituents/evaluate.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/training_set.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::constituents {
namespace {

class ConstChoice final : public TaskChoice, public Cacheable {
 public:
  ConstChoice() : table_("const") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  void continue_from(const ModelFile& model) override { known_ = std::make_unique<Known>(read_known(model)); }

  void read_only(const std::vector<std::string>& columns) override {
    for (const char* name : {"upos", "xpos"}) {
      if (std::ranges::find(columns, name) != columns.end()) options_.tag_column = name;
    }
    if (options_.tag_column.empty())
      fail<OptionError>("const: needs tags in upos or xpos, but the models fill in {}; give a tagger",
                        join(columns, ", "));
  }
  Source columns_of(const Source& source) const override { return tree_columns(source, options_.keep_empty); }

  std::unique_ptr<TrainingSet> load(const Source& source, Workers& workers) const override {
    check_features();
    return make_training_set(source, options_, *known_, workers);
  }

  void check_cache() const override { check_features(); }
  void compile(const Source& source, Workers& workers, SpillSpace& space,
               BlockCacheWriter& out) const override {
    compile_training_set(source, options_, *known_, workers, space, out);
  }
  std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const override {
    return open_training_set(cache, options_);
  }

  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (gold.empty())
      fail<OptionError>(
          "const: scores need two files; give the right trees with --gold and the others with --system");
    return evaluate_files(gold, system);
  }

  void check(const Source& source, CorpusCheck& check) const override { check_trees(source, check); }
  std::span<const FindingKind> finding_kinds() const override { return constituents::finding_kinds(); }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    Sampler sampler(seed);
    for (std::int64_t s = 0; s < sentences; ++s) {
      const std::string tree = sampler.next().tree;
      out.write("(ROOT " + tree + ")\n");
    }
  }

 private:
  void check_features() const {
    if (!options_.embeddings.empty() && !has_network(options_.features))
      fail<OptionError>("const: embeddings are read by a network, but features={}; use features=span+neural",
                        options_.features);
    if (options_.names && options_.features == "generative")
      fail<OptionError>(
          "const: names=true is for hashed features, but features=generative has none; leave it out");
    if (options_.grammar == "none" && options_.features != "span")
      fail<OptionError>("const: grammar=none needs features=span, but features={}", options_.features);
  }

  ConstOptions options_;
  OptionTable table_;
  std::unique_ptr<Known> known_ = std::make_unique<Known>();
};

}  // namespace

FeatureKind parse_kind(std::string_view name) {
  if (name == "generative") return FeatureKind::kGenerative;
  if (name == "basic" || name == "neural") return FeatureKind::kBasic;
  return name.starts_with("lexical") ? FeatureKind::kLexical : FeatureKind::kSpan;
}

bool has_network(std::string_view features) { return features.ends_with("neural"); }

std::size_t ConstOptions::tag_index() const {
  return tag_column.empty() ? kXpos : static_cast<std::size_t>(conllu_column(tag_column));
}

Markovization ConstOptions::order() const {
  const bool span = parse_kind(features) == FeatureKind::kSpan || has_network(features);
  return {.vertical = vertical > 0 ? vertical
                      : span       ? 1
                                   : 2,
          .horizontal = horizontal >= 0 ? horizontal
                        : span          ? 0
                                        : 2};
}

void ConstOptions::describe(OptionTable& table) {
  table
      .add("grammar", grammar,
           "rules: trees of the treebank's grammar; none: any tree of labelled spans, which is fastest "
           "(features=span)")
      .one_of({"rules", "none"})
      .with({Trait::kFlag});
  table
      .add("features", features,
           "span: words, tags and lengths of spans and splits; neural: a hidden layer over words; "
           "lexical: words at the ends of spans; lexical+aux: and what two other models say; basic: the "
           "rules; generative: relative frequencies")
      .one_of({"span", "neural", "span+neural", "lexical", "lexical+aux", "basic", "generative"})
      .with({Trait::kFlag});
  table
      .add("vertical", vertical,
           "a phrase knows this many labels, its own and those above; 0: 1 for span, else 2")
      .at_least(0)
      .at_most(10);
  table
      .add("horizontal", horizontal,
           "the rest of a phrase knows this many children before it; -1: 0 for span, else 2")
      .at_least(-1)
      .at_most(10);
  table
      .add("errors", errors,
           "what a wrong tree costs: its rules at their places, or its phrases and tags, that gold lacks")
      .one_of({"rules", "constituents"});
  table
      .add(
          "tags", tags,
          "chart: found while parsing, from the words; gold: those of the input trees; with --tagger its own")
      .one_of({"chart", "gold"});
  table.add("prune", prune, "leave out phrases that the generative model finds less probable")
      .at_least(0)
      .at_most(1);
  table.add("exact", exact, "prune nothing; slow");
  table.add("folds", folds, "each part of the training data is pruned by a model of the others; 1: by all")
      .at_least(1)
      .at_most(1000);
  table.add("longest", longest, "leave out training and dev trees with more words; 0: none").at_least(0);
  table.add("hash_bits", hash_bits, "features are hashed into 2^bits weights")
      .at_least(1)
      .at_most(static_cast<double>(kMostHashBits));
  table.add("min_count", min_count, "grammar=none: drop features that fewer phrases have").at_least(1);
  table.add("clusters", clusters, "a Brown 'paths' file, for features of words").with({Trait::kInput});
  table.add("hidden", hidden, "size of the hidden layer of neural, rounded up to a multiple of 16")
      .at_least(1)
      .at_most(static_cast<double>(kMostHidden));
  table
      .add("embeddings", embeddings,
           "word vectors for neural: text, or word2vec's *.bin; empty: random ones of 64 numbers")
      .with({Trait::kInput});
  table.add("keep_functions", keep_functions, "keep NP-SBJ and NP=2; otherwise they become NP");
  table.add("keep_empty", keep_empty, "keep empty elements (-NONE-)");
  table.add("names", names, kNamesHelp).with({Trait::kIfSet});
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<ConstChoice>(); }

}  // namespace hinge::constituents
