#include "hinge/tasks/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/html.h"

namespace hinge {

std::string write_model(const TrainingSet& set, const Weights& w, Json meta) {
  ModelWriter writer;
  set.save(w, writer, meta);
  writer.add("meta", meta.dump_sorted());
  return writer.bytes();
}

void Predictor::check(const PredictSettings& settings) const {
  if (settings.html && settings.json)
    fail<OptionError>("--html and --json cannot be combined; leave one out");
  if (settings.annotate && !reads_columns())
    fail<OptionError>("the task of this model reads no columns that other models could fill in; leave them out");
  if (settings.html && page_title().empty())
    fail<OptionError>("--html: the task of this model has no web page to look at; leave the flag out");
}

void check_explain(const ExplainSettings& settings) {
  if (settings.html && settings.json)
    fail<OptionError>("--html and --json cannot be combined; leave one out");
}

void Predictor::predict(const Source& input, OutputFile& out, const PredictSettings& settings,
                        Workers& workers) const {
  check(settings);
  write_page(settings.html ? page_title() : "", out, [&] { write_predictions(input, out, settings, workers); });
}

void Predictor::explain(const Source& input, OutputFile& out, const ExplainSettings& settings,
                        Workers& workers) const {
  check_explain(settings);
  write_page(settings.html ? kExplainTitle : "", out, [&] { write_explanations(input, out, settings, workers); });
}

void Predictor::write_predictions(const Source& input, OutputFile& out, const PredictSettings& settings,
                                  Workers& workers) const {
  predict_text(
      input, format(), workers, [&] { return slice_predictor(settings); }, write_to(out));
}

void Predictor::write_explanations(const Source& input, OutputFile& out, const ExplainSettings& settings,
                                   Workers& workers) const {
  if (slice_explainer(settings) == nullptr)
    fail<OptionError>("the task of this model cannot explain its output; 'hinge inspect' shows its weights");
  predict_text(
      input, format(), workers, [&] { return slice_explainer(settings); }, write_to(out));
}

void append_rank(std::size_t rank, double score, std::optional<double> probability, std::string& out) {
  fmt::format_to(std::back_inserter(out), "# {} {:.6f}", rank, score);
  if (probability) fmt::format_to(std::back_inserter(out), " {:.6g}", *probability);
}

Json ranked_json(double score, std::optional<double> probability) {
  Json json;
  json.set("score", score);
  if (probability) json.set("probability", *probability);
  return json;
}

// Scores are sums of floats, so the best may seem likelier than certain.
std::optional<double> probability_of(double score, std::optional<double> log_sum) {
  return log_sum ? std::optional(std::min(1.0, std::exp(score - *log_sum))) : std::nullopt;
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
  fail<ModelError>("{}: is a model of the task {}, but one of {} is needed here; give one of that task",
                   model.name(), other, task);
}

}  // namespace hinge
