#include "hinge/tasks/system.h"

#include <nlohmann/json.hpp>

namespace hinge {

std::string write_model(const TrainingSet& set, const Weights& w, nlohmann::json meta) {
  ModelWriter writer;
  set.save(w, writer, meta);
  writer.add("meta", meta.dump());
  return writer.bytes();
}

LabelSet read_labels(const nlohmann::json& meta) {
  LabelSet labels;
  for (const auto& label : meta.value("labels", nlohmann::json::array())) {
    if (label.is_string()) labels.intern(label.get<std::string>());
  }
  return labels;
}

}  // namespace hinge
