#include "hinge/tasks/constituents/training_set.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/core/threads.h"
#include "hinge/evaluate/brackets.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/task.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::constituents {
namespace {

class ConstTrainingSet final : public TrainingSet {
 public:
  ConstTrainingSet(const Source& source, const ConstOptions& options, Workers& workers)
      : options_(options),
        bank_(read_treebank(source, options.cleaning(), options.longest)),
        counted_(count_treebank(bank_, options, workers)),
        task_(counted_.data, counted_.plan,
              options.errors == "rules" ? Errors::kRules : Errors::kConstituents, options.exact) {}

  const Task& task() const override { return task_; }

  std::string summary() const override {
    const Grammar& grammar = counted_.plan.grammars.fine;
    const std::string lost =
        options_.exact
            ? "nothing pruned"
            : fmt::format("pruning would lose {:.2f} % of gold",
                          100.0 * static_cast<double>(counted_.lost) / static_cast<double>(counted_.items));
    return fmt::format(
        "{} trees, {} words, {} tags, {} symbols, {} rules, {:.0f} candidates per sentence ({}), {} weights",
        counted_.data.sentences(), counted_.data.words.size(), grammar.tags(),
        grammar.symbols() - grammar.tags(), grammar.rules().size(),
        static_cast<double>(counted_.data.items.size()) / static_cast<double>(counted_.data.sentences()),
        lost, task_.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Dev>(*this, source, workers);
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    const ParseData& data = counted_.data;
    Fingerprint print;
    print.add(data.begin);
    print.add(data.item_begin);
    print.add(data.items);
    print.add(data.values);
    print.add(data.aux);
    print.add(data.tags);
    print.add(data.gold_begin);
    for (const BinaryNode& node : data.gold)
      print.add(std::array<std::uint32_t, 4>{node.symbol, node.begin, node.end, node.rule});
    print.add(counted_.plan.symbol_keys);
    print.add(counted_.plan.rule_keys);
    print.add(std::array{counted_.plan.network.hidden, counted_.plan.network.input,
                         counted_.plan.embeddings.words()});
    for (const std::string_view word : data.words) print.add(word);
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "const");
    const Description& theirs = model.description();
    if (theirs.text("features") != options_.features || theirs.whole("hash_bits") != options_.hash_bits)
      fail<ModelError>("{}: has features={} hash_bits={}, this training {} and {}; use the same",
                       model.name(), theirs.text("features"), theirs.whole("hash_bits"), options_.features,
                       options_.hash_bits);
    Weights w(task_.dimension());
    read_weights(model, w);
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    write_counts(counted_, options_, out, meta);
    write_weights(w, out);
  }

 private:
  // Development data, pruned once.
  struct Dev {
    Dev(const ConstTrainingSet& set, const Source& source, Workers& workers)
        : bank(read_treebank(source, set.options_.cleaning(), set.options_.longest)) {
      const Counted& counted = set.counted_;
      const Grammar& grammar = counted.plan.grammars.coarse;
      const CoarseModel model(
          grammar, RuleModel::estimate(grammar, counted.coarse_counts.rules, counted.coarse_counts.roots),
          counted.tags);
      items.resize(bank.trees.size());
      values.resize(bank.trees.size());
      tags.resize(bank.trees.size());
      aux.resize(bank.trees.size());
      PerThread<Pruner> pruners(workers, [&] {
        Pruner pruner(model, set.options_.prune, set.options_.exact);
        if (counted.plan.aux) pruner.add_auxiliary(counted.plan, counted.flat);
        return pruner;
      });
      workers.each(bank.trees.size(), [&](std::size_t i) {
        check_interrupt();
        std::vector<Symbol> given;
        if (set.options_.tags == "gold") {
          std::vector<std::string_view> names;
          tags_of(bank.trees[i], names);
          find_tags(grammar, names, given);
        }
        const PrunedSentence pruned = pruners.local().prune(bank.trees[i].words, given);
        items[i].assign(pruned.items.begin(), pruned.items.end());
        values[i].assign(pruned.values.begin(), pruned.values.end());
        tags[i].assign(pruned.tags.begin(), pruned.tags.end());
        aux[i].assign(pruned.aux.begin(), pruned.aux.end());
      });
    }

    Treebank bank;
    std::vector<std::vector<Item>> items;
    std::vector<std::vector<float>> values;
    std::vector<std::vector<Symbol>> tags;
    std::vector<std::vector<std::uint8_t>> aux;
  };

  // Scores development data; one per thread.
  struct DevScorer {
    explicit DevScorer(const ConstTrainingSet& set) : decoder(set.counted_.plan, set.options_.exact) {}

    TreeDecoder decoder;
    BracketScorer counts;
    std::vector<std::uint32_t> edges;
    Derivation derivation;
    BracketTree tree;
  };

  Scores score(const Dev& dev, const Weights& w, Workers& workers) const {
    PerThread<DevScorer> scorers(workers, [this] { return DevScorer(*this); });
    each_until_error(workers, dev.bank.trees.size(), [&](std::size_t i) {
      check_interrupt();
      DevScorer& local = scorers.local();
      const BracketTree& gold = dev.bank.trees[i];
      local.decoder.load({gold.words, dev.items[i], dev.values[i], dev.tags[i], dev.aux[i]});
      local.decoder.score(w.data());
      local.decoder.search().best(local.decoder.forest().forest, local.decoder.scores(), local.edges);
      local.tree.clear();
      if (local.edges.empty()) {
        // No phrases, and the likeliest tags.
        local.tree.words = gold.words;
        const auto& names = counted_.plan.grammars.fine.tag_names().names();
        for (std::uint32_t word = 0; word < gold.words.size(); ++word)
          local.tree.nodes.push_back({names[dev.tags[i][word]], word, word + 1, word + 1, true});
      } else {
        local.decoder.read_tree(local.edges, local.derivation);
        unbinarize(counted_.plan.grammars.fine, local.derivation, "-", gold.words, local.tree);
      }
      local.counts.add(gold, local.tree);
    }).rethrow();
    BracketScorer all;
    scorers.each([&](const DevScorer& local) { all.add(local.counts); });
    return all.evaluate().scores;
  }

  ConstOptions options_;
  Treebank bank_;
  Counted counted_;
  ConstituentTask task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ConstOptions& options,
                                               Workers& workers) {
  return std::make_unique<ConstTrainingSet>(source, options, workers);
}

}  // namespace hinge::constituents
