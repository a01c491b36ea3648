#include "hinge/pipeline/record.h"

#include <nlohmann/json.hpp>

namespace hinge {

nlohmann::ordered_json values_of(const OptionTable& table) {
  nlohmann::ordered_json values;
  for (const Option& option : table.options()) values[option.name()] = option.value();
  return values;
}

std::string model_bytes(const TrainingSet& set, const Weights& w, const ModelRecord& record) {
  nlohmann::json meta{{"hinge", HINGE_VERSION},
                      {"task", record.task.owner()},
                      {"learner", record.learner.owner()},
                      {"seed", record.seed},
                      {"task_options", values_of(record.task)},
                      {"learner_options", values_of(record.learner)}};
  if (is_likelihood(record.loss)) meta["likelihood"] = true;
  return write_model(set, w, std::move(meta));
}

std::string_view stop_name(Stop stop) {
  switch (stop) {
    case Stop::kNot:
      return "";
    case Stop::kEpochs:
      return "epochs";
    case Stop::kInterrupted:
      return "interrupted";
    case Stop::kTime:
      return "time";
    case Stop::kGap:
      return "gap";
    case Stop::kNoBetter:
      return "no better dev score";
    case Stop::kConverged:
      return "converged";
  }
  return "";
}

std::string to_json_line(const EpochReport& r, std::string_view learner) {
  nlohmann::ordered_json line{{"learner", learner},
                              {"epoch", r.epoch},
                              {"updates", r.updates},
                              {"loss", r.loss},
                              {"violation", r.violation},
                              {"decode_seconds", r.decode_seconds},
                              {"update_seconds", r.update_seconds},
                              {"epoch_seconds", r.epoch_seconds},
                              {"training_seconds", r.training_seconds},
                              {"elapsed_seconds", r.elapsed_seconds}};
  if (r.objective) {
    line["primal"] = r.objective->primal;
    if (r.objective->dual) line["dual"] = *r.objective->dual;
    if (const auto gap = r.objective->gap()) line["gap"] = *gap;
    line["gap_is_estimate"] = r.objective->estimate;
  }
  for (const auto& [name, value] : r.dev) line["dev_" + name] = value;
  if (r.stop != Stop::kNot) line["stop"] = stop_name(r.stop);
  return line.dump() + "\n";
}

}  // namespace hinge
