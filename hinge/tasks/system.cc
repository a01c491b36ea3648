#include "hinge/tasks/system.h"

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/threads.h"

namespace hinge {

std::string write_model(const TrainingSet& set, const Weights& w, Json meta) {
  ModelWriter writer;
  set.save(w, writer, meta);
  writer.add("meta", meta.dump_sorted());
  return writer.bytes();
}

void Predictor::check(const PredictSettings& settings) const {
  if (settings.html && !writes_html())
    fail<OptionError>("--html: the task of this model has no web page to look at; leave the flag out");
}

void Predictor::predict(const Source& input, OutputFile& out, const PredictSettings& settings,
                        Workers& workers) const {
  check(settings);
  predict_text(
      input, format(), workers, [&] { return slice_predictor(settings); }, write_to(out));
}

std::unique_ptr<TrainingSet> TaskChoice::load(const Source& source) const {
  Workers one(1);
  return load(source, one);
}

void TaskChoice::read_only(const std::vector<std::string>& columns) {
  fail<OptionError>("{}: reads no columns, so a model that fills in {} is of no use; leave the models out",
                    options().owner(), join(columns, ", "));
}

LabelSet read_labels(const Description& description) {
  LabelSet labels;
  for (const std::string& label : description.texts("labels")) labels.intern(label);
  return labels;
}

void require_task(const ModelFile& model, std::string_view task) {
  const std::string other = model.description().task();
  if (other == task) return;
  fail<ModelError>("{}: is a model of the task {}, but {} is being trained; give one of the same task",
                   model.name(), other, task);
}

}  // namespace hinge
