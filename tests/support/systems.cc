#include "tests/support/systems.h"

#include "hinge/files/output_file.h"
#include "hinge/pipeline/job.h"
#include "hinge/tasks/registry.h"

namespace hinge::test {

std::unique_ptr<TrainingSet> load_system(const std::string& task, const Options& options,
                                         const Source& source) {
  const std::unique_ptr<TaskChoice> choice = find_task(task).choose();
  for (const auto& [name, value] : options) choice->options().set(name, value);
  Workers workers(1);
  JobObserver silent;
  return load_set(*choice, source, workers, silent);
}

std::string model_of(const TrainingSet& set, const Weights& w, const std::string& task, bool likelihood) {
  Json meta = Json().set("task", task);
  if (likelihood) meta.set("likelihood", true);
  return write_model(set, w, std::move(meta));
}

std::string predict(const ModelFile& model, const std::string& text, const PredictSettings& settings,
                    int threads) {
  const TemporaryFolder folder;
  const std::string input = folder.write("input", text);
  OutputFile out(folder.path("output"));
  Workers workers(threads);
  open_predictor(model)->predict(input, out, settings, workers);
  out.commit();
  return TemporaryFolder::read(folder.path("output"));
}

Evaluation evaluate(const ModelFile& model, const Source& gold, int threads) {
  Workers workers(threads);
  return open_predictor(model)->evaluate(gold, workers);
}

Scores dev_scores(const TrainingSet& set, const Source& dev, const Weights& w, int threads) {
  Workers workers(threads);
  return set.scorer(dev, workers)(w);
}

std::string sample_text(const std::string& task, std::int64_t sentences, std::uint64_t seed) {
  const TemporaryFolder folder;
  OutputFile out(folder.path("sample"));
  find_task(task).choose()->sample(sentences, seed, out);
  out.commit();
  return TemporaryFolder::read(folder.path("sample"));
}

std::string sample_examples(const std::string& task, std::int64_t examples, std::uint64_t seed) {
  const std::int64_t sentences = task == "coref" ? 16 : task == "summarize" ? 25 : 1;  // of an example
  return sample_text(task, sentences * examples, seed);
}

void write_lists(std::int64_t sentences, const std::string& lists, const std::string& references) {
  const auto task = find_task("rerank").choose();
  OutputFile lists_out(lists), references_out(references);
  task->sample(sentences, 1, lists_out);
  task->sample_references(sentences, 1, references_out);
  lists_out.commit();
  references_out.commit();
}

Options options_for(const std::string& task) {
  if (task == "rerank") return {{"cost", "lm"}};  // any feature will do
  return {};
}

std::vector<std::string> learners_for(const std::string& task) {
  const bool marginals = task != "summarize" && task != "rerank";
  return {"mira", "perceptron", "dcd", "ops", marginals ? "crf" : "cutting-plane"};
}

}  // namespace hinge::test
