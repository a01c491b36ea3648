// Coreference features by dictionary: the same model as by hashing, with names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "hinge/core/random.h"
#include "hinge/tasks/coref/dictionary.h"
#include "hinge/tasks/coref/explain.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/registry.h"
#include "tests/support/data.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

struct Trained {
  std::unique_ptr<TrainingSet> set;
  ModelFile model;
};

Trained train_on(const std::string& text, const Options& options, const std::string& learner) {
  Options of_learner{{"epochs", "3"}};
  // Else the decay that a weight lacks when it is read depends on its neighbours in memory.
  if (learner == "ops") of_learner.emplace_back("tolerance", "0");
  auto set = load_system("coref", options, Source::of_text(text, "documents"));
  const Weights w = train_quietly(set->task(), {.learner = learner, .options = of_learner}).weights;
  std::string bytes = model_of(*set, w, "coref");
  return {std::move(set), ModelFile::from_bytes(std::move(bytes), "model")};
}

// A model in which every feature has a weight of its own.
Trained random_model(const std::string& text, Options options) {
  options.emplace_back("hash_bits", "0");
  auto set = load_system("coref", options, Source::of_text(text, "documents"));
  Random random(5);
  Weights w(set->task().dimension());
  for (std::size_t d = 0; d < w.size(); ++d) w[d] = static_cast<float>(0.5 + random.uniform());
  std::string bytes = model_of(*set, w, "coref");
  return {std::move(set), ModelFile::from_bytes(std::move(bytes), "model")};
}

std::vector<std::string> names_in(const ModelFile& model) {
  const coref::Resolver resolver(model);
  const coref::TemplateSet& templates = resolver.plan().templates;
  const coref::Dictionary dictionary = coref::read_dictionary(model, templates);
  std::vector<std::string> names;
  for (std::uint32_t id = 0; id < dictionary.keys.size(); ++id)
    names.push_back(
        coref::feature_text(templates, dictionary.names.template_of(id), dictionary.names.values(id)));
  return names;
}

TEST(CorefDictionary, GivesTheSameModelAsHashingWithoutCollisions) {
  const TemporaryFolder folder;
  const std::string templates = folder.write("templates",
                                             "new m.type\nnew m.head\nnew m.article m.seen_head\ntyped "
                                             "head\npair m.type a.type\npair distance\npair a.kind\n");
  const std::string text = sample_text("coref", 60, 1), fresh = sample_text("coref", 60, 2);
  for (const std::string learner : {"perceptron", "mira", "ops", "dcd"}) {
    SCOPED_TRACE(learner);
    const Trained hashed = train_on(text, {{"features", templates}, {"hash_bits", "22"}}, learner);
    const Trained listed =
        train_on(text, {{"features", templates}, {"hash_bits", "0"}, {"dictionary", "all"}}, learner);
    const coref::Resolver by_hash(hashed.model), by_name(listed.model);
    std::set<FeatureId> used;
    by_name.plan().layout.dictionary().each([&](Key key, std::uint32_t id) {
      const FeatureId bucket = by_hash.plan().layout.id(key);
      EXPECT_TRUE(used.insert(bucket).second) << "a collision; choose other samples";
      EXPECT_NEAR(by_name.weights()[id], by_hash.weights()[bucket], 1e-5);
    });
    EXPECT_GT(used.size(), 60u);
    for (FeatureId bucket = 0; bucket < by_hash.weights().size(); ++bucket)
      ASSERT_TRUE(by_hash.weights()[bucket] == 0.0f || used.contains(bucket));
    EXPECT_EQ(predict(listed.model, fresh), predict(hashed.model, fresh));
  }
}

TEST(CorefDictionary, EveryFeatureHasANameOfItsOwn) {
  for (const std::string mentions : {"gold", "predicted"}) {
    const Trained trained = random_model(sample_text("coref", 200, 1),
                                         {{"mentions", mentions}, {"min_count", "3"}, {"dictionary", "all"}});
    const std::vector<std::string> names = names_in(trained.model);
    EXPECT_EQ(names.size(), trained.set->task().dimension());
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
    for (const std::string& name : names) {
      EXPECT_EQ(name.find("=?"), std::string::npos) << name;
      EXPECT_EQ(name.find('?' + std::string(">")), std::string::npos) << name;
    }
  }
}

TEST(CorefDictionary, HoldsOnlyFeaturesOfRightChoicesIfAskedFor) {
  const std::string text = sample_text("coref", 100, 1);
  const std::vector<std::string> all = names_in(random_model(text, {{"dictionary", "all"}}).model);
  const std::vector<std::string> gold = names_in(random_model(text, {}).model);
  EXPECT_LT(gold.size(), all.size() / 2);
  const std::set<std::string> known(all.begin(), all.end());
  for (const std::string& name : gold) EXPECT_TRUE(known.contains(name)) << name;
}

TEST(CorefDictionary, ExplanationsAndInspectionUseTheSameNames) {
  const std::string text = sample_text("coref", 100, 1);
  const Trained trained = random_model(text, {{"mentions", "gold"}, {"dictionary", "all"}});
  const std::unique_ptr<Predictor> predictor = open_predictor(trained.model);
  std::map<std::string, float> weights;
  for (const WeightLine& line : predictor->heaviest(1000000)) weights[line.feature] = line.weight;
  const coref::Resolver resolver(trained.model);
  DocumentReader reader(TextInput(text, "documents"));
  Document document;
  ASSERT_TRUE(reader.next(document));
  const Mention& last = document.mentions.back();
  const coref::Explanation why = coref::explain(resolver, document, {last.begin, last.end}, std::nullopt);
  EXPECT_GT(why.contributions.size(), 50u);
  double sum = 0.0;
  for (const coref::Contribution& part : why.contributions) {
    ASSERT_TRUE(weights.contains(part.feature)) << part.feature;
    EXPECT_EQ(std::abs(part.amount), static_cast<double>(weights[part.feature])) << part.feature;
    sum += part.amount;
  }
  EXPECT_NEAR(sum, why.margin, 1e-9);
}

TEST(CorefDictionary, ContinuedTrainingKeepsFeaturesAndTheirNames) {
  const Trained first = random_model(sample_text("coref", 100, 1), {});
  const auto choice = find_task("coref").choose();
  choice->options().set("hash_bits", "0");
  choice->continue_from(first.model);
  const auto second = choice->load(Source::of_text(sample_text("coref", 50, 2), "more"));
  const ModelFile after =
      ModelFile::from_bytes(model_of(*second, second->weights_of(first.model), "coref"), "after");
  // Features that only the new data has weigh nothing yet, so they are not stored.
  std::vector<std::string> before = names_in(first.model), now = names_in(after);
  EXPECT_GT(second->task().dimension(), before.size());
  std::ranges::sort(before);
  std::ranges::sort(now);
  EXPECT_EQ(before, now);
  const coref::Resolver old(first.model), kept(after);
  old.plan().layout.dictionary().each([&](Key key, std::uint32_t id) {
    const FeatureId there = kept.plan().layout.id(key);
    ASSERT_NE(there, coref::Layout::kNone);
    EXPECT_EQ(kept.weights()[there], old.weights()[id]);
  });
}

}  // namespace
}  // namespace hinge::test
