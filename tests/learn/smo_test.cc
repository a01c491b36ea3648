// Structured SMO: the factored dual is the dual, its marginals stay those of outputs, and
// it stops where it should.
#include "hinge/learn/smo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/core/k_best_task.h"
#include "hinge/learn/dual/factored_dual.h"
#include "tests/support/chain_world.h"
#include "tests/support/dense_qp.h"
#include "tests/support/systems.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

constexpr const char* kTrees =
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))\n"
    "(S (NP (PRP she)) (VP (VBZ sees) (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (NNS eyes))))) (. .))\n"
    "(S (NP (PRP she)) (VP (VBZ eats) (NP (NN fish)) (PP (IN with) (NP (NNS eyes)))))\n"
    "(FRAG (NP (NN fish)))\n"
    "(S (NP (NN fish)) (VP (VBZ eats) (NP (NP (NNS eyes)) (PP (IN with) (NP (NN dog))))))\n";

std::unique_ptr<TrainingSet> load_trees() {
  const Options options{{"folds", "1"},    {"hash_bits", "8"}, {"features", "basic"},
                        {"exact", "true"}, {"vertical", "1"},  {"horizontal", "0"}};
  return load_system("const", options, Source::of_text(kTrees, "trees"));
}

// All outputs as a list: gold without features, the others with minus psi.
EnumeratedTask enumerated(const Task& task) {
  constexpr std::size_t kMost = 5000;
  const auto& k_best = *find_extension<KBestTask>(task);
  const auto scratch = task.make_scratch();
  const Weights w(task.dimension());
  std::vector<std::vector<Candidate>> lists;
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < task.size(); ++i) {
    k_best.most_violated_k(i, w, 0.0, kMost, *scratch, cuts);
    EXPECT_LT(cuts.size(), kMost);
    std::vector<Candidate> list(1);
    for (Cut& cut : cuts) {
      cut.psi.merge();
      if (cut.psi.empty() && cut.loss == 0.0) continue;
      Candidate rival{.loss = cut.loss};
      rival.features.append(to_sparse(cut.psi), -1.0f);
      list.push_back(std::move(rival));
    }
    lists.push_back(std::move(list));
  }
  return {std::move(lists), task.dimension()};
}

Options options_for(const std::string& loss) {
  return {{"C", "0.5"}, {"epochs", "3000"}, {"epsilon", "1e-6"}, {"loss", loss}};
}

void expect_the_optimum(const Task& task, const EnumeratedTask& lists, const std::string& loss) {
  const Optimum optimum = dense_optimum(lists, {.loss = loss == "l2" ? Loss::kL2 : Loss::kL1, .C = 0.5});
  for (const Task* either : {&task, static_cast<const Task*>(&lists)}) {
    SCOPED_TRACE(loss + (either == &task ? ", factored" : ", unfactored"));
    const TrainResult result = train_quietly(
        *either, {.learner = "smo", .options = options_for(loss), .objective = ObjectiveWhen::kEnd});
    const Objective end = result.history.back().objective.value();
    EXPECT_NEAR(end.primal, optimum.value, 1e-4 * optimum.value);
    EXPECT_NEAR(end.dual.value(), optimum.value, 1e-4 * optimum.value);
    EXPECT_GE(end.primal, end.dual.value() - 1e-6 * optimum.value);
  }
}

TEST(Smo, TheFactoredDualOfChainsIsTheDual) {
  for (const ChainShape& shape :
       {ChainShape{.name = "plain"}, ChainShape{.name = "edges", .edge_features = 3, .valued = true},
        ChainShape{.name = "costs", .labels = 4, .costly = true}}) {
    SCOPED_TRACE(shape.name);
    const ChainWorld world(shape, 11, 12);
    for (const std::string loss : {"l1", "l2"}) expect_the_optimum(world.task(), world.enumerated(), loss);
  }
}

TEST(Smo, TheFactoredDualOfTreesIsTheDual) {
  const auto set = load_trees();
  const EnumeratedTask lists = enumerated(set->task());
  for (const std::string loss : {"l1", "l2"}) expect_the_optimum(set->task(), lists, loss);
}

// The task with random gains and curvatures, so that mass moves to and fro without end.
class Erratic final : public Task, public FactoredTask {
 public:
  explicit Erratic(const Task& inner) : inner_(inner), factored_(*find_extension<FactoredTask>(inner)) {}

  std::size_t size() const override { return inner_.size(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override { return inner_.make_scratch(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    inner_.most_violated(i, w, loss_weight, scratch, cut);
  }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    inner_.support(i, scratch, blocks);
  }
  const Extension* extension(std::string_view name) const override {
    return offer<FactoredTask>(*this, name);
  }
  void gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const override {
    factored_.gold_parts(i, scratch, parts);
  }
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                Scratch& scratch, Exchange& exchange) const override {
    factored_.exchange(i, w, allowed, search, scratch, exchange);
  }
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                      Scratch& scratch, Gradient& features) const override {
    return factored_.add_features(i, parts, amounts, scratch, features);
  }
  double product(const Weights&, const Gradient&, Scratch&) const override {
    return -8.0 * random_.uniform();
  }
  double squared_length(const Gradient&, Scratch&) const override {
    return 40.0 * random_.uniform() * random_.uniform();
  }

 private:
  const Task& inner_;
  const FactoredTask& factored_;
  mutable Random random_{5};
};

// Takes outputs away one after the other, each with as much mass as it can have. Returns
// their mass; whatever is left over is not that of outputs.
std::int64_t take_all(const Task& task, std::size_t i, std::map<Part, std::int64_t>& masses) {
  const auto& factored = *find_extension<FactoredTask>(task);
  const auto scratch = task.make_scratch();
  const Weights w(task.dimension());
  std::int64_t taken = 0;
  while (!masses.empty()) {
    std::vector<Part> support;
    for (const auto& [part, mass] : masses) support.push_back(part);
    Exchange found;
    factored.exchange(i, w, support, Search::kAllowed, *scratch, found);
    if (found.worst.empty()) break;
    std::int64_t least = masses.at(found.worst[0]);
    for (const Part part : found.worst) least = std::min(least, masses.at(part));
    for (const Part part : found.worst) {
      if ((masses.at(part) -= least) == 0) masses.erase(part);
    }
    taken += least;
  }
  return taken;
}

void expect_consistent(const Task& task, FactoredDual& dual, std::optional<std::int64_t> total) {
  for (std::size_t i = 0; i < task.size(); ++i) {
    std::map<Part, std::int64_t> masses;
    for (const PartMass& part : dual.marginals(i)) {
      ASSERT_GT(part.mass, 0) << "example " << i;
      masses[part.part] = part.mass;
    }
    if (masses.empty()) continue;  // a sentence without words, or no mass
    const std::int64_t taken = take_all(task, i, masses);
    ASSERT_TRUE(masses.empty()) << "example " << i;
    ASSERT_EQ(taken, total.value_or(taken)) << "example " << i;
  }
}

void make_steps(const Task& task, Loss loss, std::size_t steps) {
  const Erratic erratic(task);
  Workers workers(1);
  FactoredDual dual(erratic, workers, {.loss = loss, .C = 0.3});
  Random random(3);
  Weights w(task.dimension());
  std::size_t moved = 0;
  for (std::size_t visit = 0; moved < steps; ++visit) {
    ASSERT_LT(visit, 20 * steps) << "hardly anything moves";
    if (visit % 16 == 0) {
      for (float& value : w.span()) value = static_cast<float>(4.0 * random.uniform() - 2.0);
    }
    const std::size_t i = random.below(task.size());
    dual.find(i, w, random.below(2) == 0 ? Search::kAll : Search::kAllowed);
    moved += dual.move(i);
  }
  const auto whole = loss == Loss::kL1 ? std::optional(FactoredDual::kWhole) : std::nullopt;
  ASSERT_NO_FATAL_FAILURE(expect_consistent(task, dual, whole));
  EXPECT_TRUE(std::isfinite(dual.value()));
}

TEST(FactoredDual, MarginalsAreThoseOfOutputsAfterAMillionSteps) {
  const ChainWorld world({.name = "chains", .longest = 5}, 3, 6);
  make_steps(world.task(), Loss::kL1, 1000000);
  make_steps(world.task(), Loss::kL2, 50000);
  const auto set = load_trees();
  make_steps(set->task(), Loss::kL1, 20000);
  make_steps(set->task(), Loss::kL2, 5000);
}

TEST(FactoredDual, EveryStepRaisesTheDualAndTheWeightsAreThoseOfTheMarginals) {
  const ChainWorld world({.name = "chains", .labels = 4, .longest = 5}, 4, 12);
  Workers workers(1);
  for (const Loss loss : {Loss::kL1, Loss::kL2}) {
    FactoredDual dual(world.task(), workers, {.loss = loss, .C = 0.5});
    double value = dual.value();
    EXPECT_EQ(value, 0.0);
    Random random(4);
    for (int visit = 0; visit < 500; ++visit) {
      const std::size_t i = random.below(world.task().size());
      dual.find(i, dual.weights(), visit % 3 == 0 ? Search::kAllowed : Search::kAll);
      dual.move(i);
      const double now = dual.value();
      EXPECT_GE(now, value - 1e-6) << "visit " << visit;
      value = now;
    }
    EXPECT_GT(value, 0.0);
    const Weights exact = dual.model();
    for (std::size_t d = 0; d < exact.size(); ++d) EXPECT_NEAR(dual.weights()[d], exact[d], 1e-5);
  }
}

TEST(Smo, StopsWhereNoExampleIsFartherFromOptimalThanEpsilon) {
  const ChainWorld world({.name = "chains", .labels = 4, .longest = 5}, 5, 30);
  for (const std::string epsilon : {"0.1", "0.01", "0.0001"}) {
    for (const std::string shrink : {"true", "false"}) {
      SCOPED_TRACE(epsilon + " " + shrink);
      const TrainResult result = train_quietly(
          world.task(),
          {.learner = "smo",
           .options = {{"C", "0.5"}, {"epochs", "5000"}, {"epsilon", epsilon}, {"shrink", shrink}},
           .objective = ObjectiveWhen::kEnd});
      EXPECT_EQ(result.history.back().stop, Stop::kConverged);
      // The last pass visited all; steps on one example may move others away a little.
      EXPECT_EQ(result.history.back().examples, 30);
      const Objective end = result.history.back().objective.value();
      EXPECT_LE(*end.gap(), 0.5 * 30 * std::stod(epsilon) * 2);
    }
  }
}

TEST(Smo, ShrinkingVisitsFewerExamplesAndEndsAtTheSameOptimum) {
  const ChainWorld world({.name = "chains", .labels = 4, .longest = 5}, 6, 60);
  const auto run = [&](const std::string& shrink) {
    return train_quietly(world.task(),
                         {.learner = "smo",
                          .options = {{"epochs", "200"}, {"epsilon", "1e-5"}, {"shrink", shrink}},
                          .objective = ObjectiveWhen::kEnd})
        .history;
  };
  const auto with = run("true"), without = run("false");
  EXPECT_NEAR(with.back().objective->primal, without.back().objective->primal,
              1e-4 * without.back().objective->primal);
  EXPECT_LT(with[2].examples, 60);
  EXPECT_EQ(without[2].examples, 60);
}

TEST(Smo, TrainsTheSameBitsWithAnyNumberOfThreads) {
  const auto set = load_trees();
  const ChainWorld world({.name = "chains"}, 7, 14);
  for (const Task* task : {&set->task(), static_cast<const Task*>(&world.task())}) {
    TrainingRun run{.learner = "smo", .options = {{"epochs", "18"}}, .objective = ObjectiveWhen::kEveryEpoch};
    const TrainResult alone = train_quietly(*task, run);
    for (const int threads : {2, 3}) {
      run.threads = threads;
      const TrainResult result = train_quietly(*task, run);
      EXPECT_TRUE(std::ranges::equal(result.weights.span(), alone.weights.span()));
      EXPECT_EQ(result.history.back().objective->dual, alone.history.back().objective->dual);
    }
  }
}

TEST(Smo, IsRefusedByATaskWithoutPartsAndByOneWithoutFixedGold) {
  const EnumeratedTask inner = random_multiclass(2, 8, 3, 4);
  const ChainWorld partial({.name = "partial", .partial = true}, 2, 8);
  const auto message_of = [](const Task& task) -> std::string {
    Workers workers(1);
    try {
      configured("smo", {})->start(task, workers);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(
      message_of(WrappedTask(inner))
          .starts_with("smo needs outputs made of parts, which this task lacks; learners that suit it: "
                       "perceptron, mira, arow, ops"))
      << message_of(WrappedTask(inner));
  EXPECT_TRUE(message_of(partial.task()).starts_with("smo needs gold that does not depend on the weights"))
      << message_of(partial.task());
}

TEST(Smo, CatchesALossThatIsNegative) {
  Candidate gold, rival{.loss = -0.25};
  gold.features.add(0, 1.0f);
  rival.features.add(1, 1.0f);
  const EnumeratedTask task({{gold}, {gold, rival}}, 2);
  Workers workers(1);
  const auto learner = configured("smo", {})->start(task, workers);
  Weights w(2);
  w[1] = 1.0f;  // so that the rival is found
  learner->start_from(w);
  Random random(1);
  EXPECT_THROW(run_pass(*learner, {0, 1}, random), InputError);
}

}  // namespace
}  // namespace hinge::test
