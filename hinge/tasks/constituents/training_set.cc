#include "hinge/tasks/constituents/training_set.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/constituents/evaluate.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/task.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::constituents {
namespace {

class ConstTrainingSet final : public TrainingSet {
 public:
  ConstTrainingSet(const Source& source, const ConstOptions& options, const Known& known, Workers& workers)
      : options_(options),
        bank_(read_training(source, options)),
        counted_(count_treebank(bank_, options, known, workers)),
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
    auto dev = std::make_shared<Treebank>(read_dev(source, options_));
    return [this, dev, &workers](const Weights& w) { return score_weights(*this, w, *dev, workers); };
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
    const auto require_same = [&](std::string_view name, std::string_view theirs, std::string_view ours) {
      if (theirs != ours)
        fail<ModelError>("{}: has {}={}, this training {}; use the same", model.name(), name, theirs, ours);
    };
    const Description& theirs = model.description();
    require_same("grammar", theirs.text("grammar"), options_.grammar);
    require_same("features", theirs.text("features"), options_.features);
    const auto whole = [&](std::string_view name) { return std::to_string(theirs.whole(name)); };
    require_same("hash_bits", whole("hash_bits"), std::to_string(options_.hash_bits));
    require_same("vertical", whole("vertical"), std::to_string(options_.order().vertical));
    require_same("horizontal", whole("horizontal"), std::to_string(options_.order().horizontal));
    const Parser parser(model);
    const NeuralLayout& network = parser.plan().network;
    require_same("hidden", std::to_string(network.hidden), std::to_string(counted_.plan.network.hidden));
    require_same("numbers per word", std::to_string(network.input),
                 std::to_string(counted_.plan.network.input));
    Weights w(task_.dimension());
    counted_.plan.copy_weights(parser.plan(), parser.weights(), w);
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    write_counts(counted_, options_, out, meta);
    write_weights(w, out);
  }

 private:
  ConstOptions options_;
  Treebank bank_;
  Counted counted_;
  ConstituentTask task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ConstOptions& options,
                                               const Known& known, Workers& workers) {
  return std::make_unique<ConstTrainingSet>(source, options, known, workers);
}

}  // namespace hinge::constituents
