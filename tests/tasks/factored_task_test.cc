// The extension FactoredTask of chains and of trees of a grammar: best and worst outputs,
// pieces, features of parts.
#include "hinge/core/factored_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hinge/core/random.h"
#include "tests/support/chain_world.h"
#include "tests/support/systems.h"
#include "tests/support/task_checks.h"

namespace hinge::test {
namespace {

using Parts = std::vector<Part>;

struct World {
  std::string name;
  const Task& task;
  const FactoredTask& factored;
  std::unique_ptr<Scratch> scratch;

  World(std::string called, const Task& of)
      : name(std::move(called)),
        task(of),
        factored(*find_extension<FactoredTask>(of)),
        scratch(of.make_scratch()) {}

  Weights weights(std::uint64_t seed) const {
    Random random(seed);
    Weights w(task.dimension());
    for (float& value : w.span()) value = static_cast<float>(4.0 * random.uniform() - 2.0);
    return w;
  }
  Exchange exchange(std::size_t i, const Weights& w, const Parts& allowed, Search search = Search::kAll) {
    Exchange result;
    factored.exchange(i, w, allowed, search, *scratch, result);
    return result;
  }
  Parts gold(std::size_t i) {
    Parts parts;
    factored.gold_parts(i, *scratch, parts);
    return parts;
  }
  // The violation of an output.
  double violation(std::size_t i, const Weights& w, const Parts& output) {
    Parts parts = gold(i);
    std::vector<double> amounts(parts.size(), 1.0);
    parts.insert(parts.end(), output.begin(), output.end());
    amounts.resize(parts.size(), -1.0);
    Gradient psi;
    const double loss = -factored.add_features(i, parts, amounts, *scratch, psi);
    psi.merge();
    return loss - factored.product(w, psi, *scratch);
  }
  // Parts of several outputs.
  Parts some(std::size_t i, std::uint64_t seed) {
    std::set<Part> all;
    for (const Part part : gold(i)) all.insert(part);
    for (std::uint64_t k = 0; k < 4; ++k) {
      for (const Part part : exchange(i, weights(seed + k), {}).best) all.insert(part);
    }
    return {all.begin(), all.end()};
  }
};

constexpr const char* kTrees =
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))\n"
    "(S (NP (PRP she)) (VP (VBZ sees) (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (NNS eyes))))) (. .))\n"
    "(S (NP (PRP she)) (VP (VBZ eats) (NP (NN fish)) (PP (IN with) (NP (NNS eyes)))))\n"
    "(FRAG (NP (NN fish)))\n"
    "(S (NP (NNS eyes)) (VP (VBZ sees) (NP (DT the) (JJ old) (NN fish)) (PP (IN with) (NP (NN dog)))))\n";

// Calls body(world) for chains of several shapes and trees with several features.
template <typename Body>
void everywhere(const Body& body) {
  for (const ChainShape& shape :
       {ChainShape{.name = "plain", .longest = 7}, ChainShape{.name = "one label", .labels = 1},
        ChainShape{.name = "edges", .edge_features = 3, .valued = true, .costly = true},
        ChainShape{.name = "no transitions", .transitions = false}}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(shape.name + ", seed " + std::to_string(seed));
      const ChainWorld chains(shape, seed, 8);
      World world(shape.name, chains.task());
      ASSERT_NO_FATAL_FAILURE(body(world));
    }
  }
  for (const Options& options :
       {Options{}, Options{{"features", "basic"}, {"exact", "true"}}, Options{{"errors", "constituents"}}}) {
    Options all = options;
    all.insert(all.end(), {{"folds", "1"}, {"hash_bits", "14"}});
    SCOPED_TRACE("trees");
    const auto set = load_system("const", all, Source::of_text(kTrees, "trees"));
    World world("trees", set->task());
    ASSERT_NO_FATAL_FAILURE(body(world));
  }
}

TEST(FactoredTask, TheBestIsTheMostViolated) {
  everywhere([](World& world) {
    for (std::size_t i = 0; i < world.task.size(); ++i) {
      const Weights w = world.weights(i);
      const Exchange found = world.exchange(i, w, world.gold(i));
      const Cut cut = cut_at(world.task, i, w, 1.0);
      ASSERT_NEAR(found.loss, cut.loss, 1e-5);
      ASSERT_NEAR(found.margin, cut.margin, 1e-4);
      ASSERT_NEAR(world.violation(i, w, found.best), cut.violation(), 1e-4);
    }
  });
}

TEST(FactoredTask, OfTheGoldPartsOnlyGoldIsMade) {
  everywhere([](World& world) {
    for (std::size_t i = 0; i < world.task.size(); ++i) {
      const Exchange found = world.exchange(i, world.weights(i), world.gold(i));
      ASSERT_EQ(found.worst, world.gold(i));
      ASSERT_NEAR(found.violation, 0.0, 1e-5);
    }
  });
}

TEST(FactoredTask, BestAndWorstAreMadeOfAllowedPartsAndNoneBeyondThemIsKnown) {
  everywhere([](World& world) {
    for (std::size_t i = 0; i < world.task.size(); ++i) {
      if (world.gold(i).empty()) continue;
      const Parts allowed = world.some(i, 7 * i);
      const Weights w = world.weights(100 + i);
      const Exchange found = world.exchange(i, w, allowed, Search::kAllowed);
      for (const Parts& output : {found.worst, found.best}) {
        ASSERT_FALSE(output.empty());
        ASSERT_TRUE(std::ranges::includes(allowed, output));
      }
      ASSERT_NEAR(world.violation(i, w, found.worst), found.violation, 1e-4);
      ASSERT_NEAR(world.violation(i, w, found.best), found.loss - found.margin, 1e-4);
      ASSERT_EQ(world.exchange(i, w, allowed, Search::kAll).worst, found.worst);
      for (std::uint64_t k = 0; k < 4; ++k) {
        const Parts known = world.exchange(i, world.weights(7 * i + k), {}).best;
        ASSERT_GE(world.violation(i, w, known), found.violation - 1e-4);
        ASSERT_LE(world.violation(i, w, known), found.loss - found.margin + 1e-4);
      }
    }
  });
}

TEST(FactoredTask, WithoutPartsNoOutputIsAllowed) {
  everywhere([](World& world) {
    for (std::size_t i = 0; i < world.task.size(); ++i) {
      const Exchange found = world.exchange(i, world.weights(i), {}, Search::kAllowed);
      ASSERT_TRUE(found.worst.empty() && found.best.empty() && found.pieces.empty());
    }
  });
}

// An output is the only one made of its parts.
TEST(FactoredTask, EveryPieceByItselfMakesAnotherOutputThatIsNoBetterThanTheBest) {
  std::size_t several = 0;
  everywhere([&](World& world) {
    for (std::size_t i = 0; i < world.task.size(); ++i) {
      const Weights w = world.weights(200 + i);
      const Exchange found = world.exchange(i, w, world.some(i, 3 * i));
      several += found.pieces.size() > 1;
      Parts all(found.worst);
      for (const Exchange::Piece& piece : found.pieces) {
        Parts one(found.worst);
        for (Parts* output : {&one, &all}) {
          for (std::size_t k = piece.begin; k < piece.middle; ++k)
            ASSERT_EQ(std::erase(*output, found.parts[k]), 1u);
          output->insert(output->end(), found.parts.begin() + static_cast<std::ptrdiff_t>(piece.middle),
                         found.parts.begin() + static_cast<std::ptrdiff_t>(piece.end));
          std::ranges::sort(*output);
        }
        ASSERT_EQ(world.exchange(i, w, one).worst, one);
        ASSERT_GE(world.violation(i, w, one), found.violation - 1e-4);
      }
      ASSERT_EQ(all, found.worst.empty() ? Parts() : found.best);
    }
  });
  EXPECT_GT(several, 10u);
}

TEST(FactoredTask, PartsThatDoNotExistAreIgnored) {
  everywhere([](World& world) {
    for (std::size_t i = 0; i < world.task.size(); ++i) {
      const Weights w = world.weights(i);
      Parts allowed = world.gold(i);
      for (const Part part : {Part{1} << 40, ~Part{0} - 5, ~Part{0}}) allowed.push_back(part);
      ASSERT_EQ(world.exchange(i, w, allowed).worst, world.gold(i));
      Gradient features;
      const Parts strange(allowed.end() - 3, allowed.end());
      const std::vector<double> amounts(strange.size(), 1.0);
      EXPECT_EQ(world.factored.add_features(i, strange, amounts, *world.scratch, features), 0.0);
      EXPECT_TRUE(features.empty());
    }
  });
}

}  // namespace
}  // namespace hinge::test
