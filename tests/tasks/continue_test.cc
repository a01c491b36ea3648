// Training that goes on from a model keeps what the new data lacks.
#include <gtest/gtest.h>

#include "hinge/tasks/registry.h"
#include "hinge/tasks/rerank/model.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

// A model, learned from `text` and, where there is one, from where `before` ended.
std::string learn(const std::string& task, const Options& options, const std::string& path,
                  const std::string& before = "", const std::string& epochs = "3") {
  const auto choice = find_task(task).choose();
  for (const auto& [name, value] : options) choice->options().set(name, value);
  if (before.empty()) {
    const auto set = choice->load(path);
    return model_of(
        *set, train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", epochs}}}).weights,
        task);
  }
  const ModelFile model = ModelFile::from_bytes(before, "before");
  choice->continue_from(model);
  const auto set = choice->load(path);
  return model_of(*set, set->weights_of(model), task);
}

TEST(ContinueFrom, AHashedTaggerPredictsWhatItDidBeforeItLearnsMore) {
  const TemporaryFolder folder;
  const std::string first = folder.write("first", "the D\ncat N\nsat V\n\na D\ndog N\nran V\n");
  const std::string second = folder.write("second", "dogs N\nran V\n");
  const Options options{{"features", "pos"}, {"hash_bits", "14"}};
  const std::string before = learn("tag", options, first);
  const ModelFile after = ModelFile::from_bytes(learn("tag", options, second, before), "after");
  EXPECT_EQ(after.description().texts("labels"), (std::vector<std::string>{"D", "N", "V"}));
  const std::string text = "the D\ndog N\nsat V\n\n";
  EXPECT_EQ(predict(after, text), predict(ModelFile::from_bytes(before, "before"), text));
}

TEST(ContinueFrom, AParserKeepsLabelsAndWeights) {
  const TemporaryFolder folder;
  const auto word = [](int id, const std::string& form, int head, const std::string& label) {
    return std::to_string(id) + "\t" + form + "\t_\tX\tX\t_\t" + std::to_string(head) + "\t" + label +
           "\t_\t_\n";
  };
  const std::string text =
      word(1, "the", 2, "det") + word(2, "cat", 3, "subj") + word(3, "sat", 0, "root") + "\n";
  const std::string first = folder.write("first", text);
  const std::string second = folder.write("second", word(1, "go", 0, "root") + "\n");
  const std::string before = learn("dep", {}, first, "", "10");
  const ModelFile after = ModelFile::from_bytes(learn("dep", {}, second, before), "after");
  EXPECT_EQ(predict(after, text), text);
}

TEST(ContinueFrom, ARerankerKeepsFeaturesThatNewListsLack) {
  const TemporaryFolder folder;
  const std::string first =
      folder.write("first", "0 ||| bad ||| old= -1 both= 0 loss= 1\n0 ||| good ||| old= 1 both= 1 loss= 0\n");
  const std::string second = folder.write(
      "second", "0 ||| bad ||| new= -1 both= 0 loss= 1\n0 ||| good ||| new= 1 both= 1 loss= 0\n");
  const std::string before = learn("rerank", {{"cost", "loss"}}, first);
  const ModelFile after = ModelFile::from_bytes(learn("rerank", {{"cost", "loss"}}, second, before), "after");
  EXPECT_EQ(rerank::Reranker(after).names(), (std::vector<std::string>{"old", "both"}));
}

}  // namespace
}  // namespace hinge::test
