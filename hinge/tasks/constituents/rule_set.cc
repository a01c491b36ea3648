#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/task.h"
#include "hinge/tasks/constituents/tree_set.h"

namespace hinge::constituents {
namespace {

class RuleSet final : public TreeSet {
 public:
  RuleSet(TreeParts parts, const ConstOptions& options)
      : TreeSet(std::move(parts), options),
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
        counted_.data.sentences(), counted_.data.words.count(), grammar.tags(),
        grammar.symbols() - grammar.tags(), grammar.rules().size(),
        static_cast<double>(counted_.data.items.values.size()) /
            static_cast<double>(counted_.data.sentences()),
        lost, task_.dimension());
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
    if (parts_.names)
      parts_.names->hashed.write(kHashedNames, used_rows(w.span().first(counted_.plan.hashed()), 1), out);
  }

 private:
  void add_layout(Fingerprint& print) const override {
    print.add(counted_.plan.symbol_keys);
    print.add(counted_.plan.rule_keys);
    print.add(std::array{counted_.plan.network.hidden, counted_.plan.network.input,
                         counted_.plan.embeddings.words()});
  }

  ConstituentTask task_;
};

}  // namespace

std::unique_ptr<TreeSet> make_rule_set(TreeParts parts, const ConstOptions& options) {
  return std::make_unique<RuleSet>(std::move(parts), options);
}

}  // namespace hinge::constituents
