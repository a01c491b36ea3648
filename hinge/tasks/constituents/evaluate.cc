#include "hinge/tasks/constituents/evaluate.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/shared_work.h"
#include "hinge/core/state_bytes.h"
#include "hinge/core/threads.h"

namespace hinge::constituents {
namespace {

// One per thread.
struct ThreadScorer {
  explicit ThreadScorer(const Parser& parser) : workspace(parser) {}

  Parser::Workspace workspace;
  BracketScorer scorer;
  BracketTree tree;
  std::vector<std::string_view> tags;
};

}  // namespace

Evaluation evaluate_parser(const Parser& parser, const Treebank& bank, Workers& workers) {
  PerThread<ThreadScorer> scorers(workers, [&] { return ThreadScorer(parser); });
  share_items(bank.size(), workers, [&](std::size_t i) {
    check_interrupt();
    ThreadScorer& local = scorers.local();
    bank.read(i, local.tree);
    bank.given_tags(i, local.tree, local.tags);
    parser.load({local.tree.words, local.tags, {}}, local.workspace);
    local.scorer.add(local.tree, parser.best(local.workspace));
  });
  BracketScorer all;
  scorers.each([&](const ThreadScorer& local) { all.add(local.scorer); });
  add_ranks(all);
  return all.evaluate();
}

Scores score_weights(const TrainingSet& set, const Weights& w, const Treebank& bank, Workers& workers) {
  const ModelFile file = ModelFile::from_bytes(write_model(set, w, Json().set("task", "const")), "dev");
  return evaluate_parser(Parser(file), bank, workers).scores;
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path) {
  BracketReader gold(gold_path), system(system_path);
  BracketTree gold_tree, system_tree;
  BracketScorer scorer;
  while (gold.next(gold_tree)) {
    if (!system.next(system_tree))
      fail<InputError>("{}: ends before the tree at {}; both files must have the same sentences", system_path,
                       gold.where());
    if (gold_tree.words != system_tree.words)
      fail<InputError>("{}: has other words than {}; both files must have the same sentences", system.where(),
                       gold.where());
    scorer.add(gold_tree, system_tree);
  }
  if (system.next(system_tree))
    fail<InputError>("{}: goes on after the end of {}; both files must have the same sentences",
                     system.where(), gold_path);
  if (scorer.sentences() == 0) fail<InputError>("{}: has no trees to evaluate", gold_path);
  return scorer.evaluate();
}

}  // namespace hinge::constituents
