#include "hinge/tasks/system.h"

namespace hinge {

std::string write_model(const TrainingSet& set, const Weights& w, Json meta) {
  ModelWriter writer;
  set.save(w, writer, meta);
  writer.add("meta", meta.dump_sorted());
  return writer.bytes();
}

LabelSet read_labels(const Description& description) {
  LabelSet labels;
  for (const std::string& label : description.texts("labels")) labels.intern(label);
  return labels;
}

}  // namespace hinge
