// What the command line, Python and the server need from every task: read a
// training set, write a model, predict, evaluate, inspect, sample.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/options.h"
#include "hinge/core/scores.h"
#include "hinge/core/task.h"
#include "hinge/features/label_set.h"
#include "hinge/files/output_file.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/predict_text.h"
#include "hinge/tasks/source.h"

namespace hinge {

class CorpusCheck;
struct FindingKind;

// Examples and their vocabulary, ready for learning.
class TrainingSet {
 public:
  virtual ~TrainingSet() = default;
  // What learners train; lives as long as the set.
  virtual const Task& task() const = 0;
  virtual std::string summary() const = 0;  // one line: sentences, features, ...
  // Scores weights on other labelled data, which is read once. `workers` must
  // outlive the scorer.
  virtual std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const = 0;
  // How many of these scores are main ones, to be shown while training.
  virtual std::size_t main_scores() const { return 1; }
  // Scores weights on the training data itself, for tasks where these say more than a loss; empty
  // for others. `workers` must outlive the scorer.
  virtual std::function<Scores(const Weights&)> train_scorer(Workers& /*workers*/) const { return {}; }
  // Equal for equal examples and features, else different.
  virtual std::uint64_t fingerprint() const = 0;
  // The weights of a model of this task, matched by feature and label names;
  // unmatched ones are zero. Throws ModelError if nothing matches.
  virtual Weights weights_of(const ModelFile& model) const = 0;
  // The same from a plain weights file, if the task reads such files.
  virtual Weights weights_of_text(const std::string& path) const { return weights_of(ModelFile::open(path)); }
  // Adds the sections of a model, and its description to `meta`.
  virtual void save(const Weights& w, ModelWriter& out, Json& meta) const = 0;
};

// The bytes of a model file; the set adds its own description to `meta`.
std::string write_model(const TrainingSet& set, const Weights& w, Json meta);

// The labels in the description of a model.
LabelSet read_labels(const Description& description);

// Throws ModelError if the model is of another task than the one being trained.
void require_task(const ModelFile& model, std::string_view task);

struct PredictSettings {
  std::size_t n_best = 1;
  bool scores = false;     // marginals if the model was trained by likelihood, else margins
  bool marginals = false;  // always marginals
  bool constrain = false;  // keep labels already in the input
  bool html = false;       // a page to look at; see Predictor::page_title()
  bool json = false;       // a line of JSON per sentence, document, list or topic
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // by any thread
  // For predictors without a slice_predictor(): fills in columns of CoNLL-U by other models, every
  // line in its place; empty: there are none.
  std::function<std::string(const Source&)> annotate;
};

// "# rank score" above an output of an n-best list, or "# rank score probability"; without a line end.
void append_rank(std::size_t rank, double score, std::optional<double> probability, std::string& out);

// The same as fields of an output in JSON.
Json ranked_json(double score, std::optional<double> probability);

// The probability of an output of this score; absent if the log of the sum over all outputs is.
std::optional<double> probability_of(double score, std::optional<double> log_sum);

struct ExplainSettings {
  std::size_t top = 10;  // reasons per decision, the heaviest first
  bool json = false;     // a line of JSON per decision
  bool html = false;     // a page to look at
};

// The title of their page.
inline constexpr std::string_view kExplainTitle = "Explanations";
// Throws OptionError if the settings contradict each other.
void check_explain(const ExplainSettings& settings);

struct WeightLine {
  std::string feature;
  std::string label;
  float weight;
};

// Uses a model file. Immutable except for its options: threads may share one.
class Predictor {
 public:
  virtual ~Predictor() = default;
  // Options of evaluate(); null if there are none.
  virtual OptionTable* options() { return nullptr; }
  // Of its web page; empty: it has none.
  virtual std::string_view page_title() const { return ""; }
  virtual bool reads_columns() const { return false; }  // uses PredictSettings::annotate
  // Throws OptionError if the model cannot do what the settings ask for. Overrides call this
  // one, too.
  virtual void check(const PredictSettings& settings) const;

  // For tasks that predict sentence by sentence: a predictor for one thread, and
  // the text format. Null for others, which override write_predictions().
  virtual std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& /*settings*/) const {
    return nullptr;
  }
  virtual ColumnFormat format() const { return ColumnFormat::kAuto; }
  // The name of the CoNLL-U column it fills in; "" for none.
  virtual std::string fills() const { return ""; }
  // For tasks that read another format: labelled data as CoNLL-U, and a writer of
  // lines to predict as CoNLL-U, so that other models can fill in columns. Slices with a CoNLL-U
  // layout then come back. Throws OptionError if the model needs no columns.
  virtual Source columns_of(const Source& source) const { return source; }
  virtual std::unique_ptr<SlicePredictor> column_writer() const { return nullptr; }

  // In input order; output is flushed as soon as it is available.
  void predict(const Source& input, OutputFile& out, const PredictSettings& settings, Workers& workers) const;
  // Why the model decides as it does, decision by decision (tasks/decision.h): by an explainer for
  // one thread, or by overriding write_explanations(). Throws OptionError if the task cannot tell.
  virtual std::unique_ptr<SlicePredictor> slice_explainer(const ExplainSettings& /*settings*/) const {
    return nullptr;
  }
  void explain(const Source& input, OutputFile& out, const ExplainSettings& settings, Workers& workers) const;
  // Scores on labelled data.
  virtual Evaluation evaluate(const Source& gold, Workers& workers) const = 0;
  virtual std::string summary() const = 0;  // several lines for `inspect`
  // The n weights of largest absolute value, with feature names.
  virtual std::vector<WeightLine> heaviest(std::size_t n) const = 0;
  // Writes all weights in another tool's format; false if there is none.
  virtual bool write_weights(const std::string& /*path*/) const { return false; }

 protected:
  // What is in the page, if there is to be one. `settings` are checked.
  virtual void write_predictions(const Source& input, OutputFile& out, const PredictSettings& settings,
                                 Workers& workers) const;
  virtual void write_explanations(const Source& input, OutputFile& out, const ExplainSettings& settings,
                                  Workers& workers) const;
};

class TaskChoice;

// What must be trained before a task, on the same data.
struct FirstStage {
  std::unique_ptr<TaskChoice> task;  // null: nothing
  std::int64_t epochs = 0;
  std::string purpose;  // a line for the log
};

// A task being configured: set the options first; then, each if wanted,
// continue_from(), the first stage, load().
class TaskChoice {
 public:
  virtual ~TaskChoice() = default;
  // Set these before anything else.
  virtual OptionTable& options() = 0;
  // What to train first under these options. Pass its model to set_first_stage() before load(); see
  // pipeline/job.h.
  virtual FirstStage first_stage() const { return {}; }
  virtual void set_first_stage(std::string /*model*/) {}
  // Continues training from this model: its labels and features stay, even if the
  // data lacks them. The model is not needed later. Throws ModelError if it belongs
  // to another task.
  virtual void continue_from(const ModelFile& model) = 0;
  // The data is annotated, in these columns: others will not be there when the model is
  // used, and are not to be read.
  // Throws OptionError if the task reads no columns.
  virtual void read_only(const std::vector<std::string>& columns);
  // Labelled data as CoNLL-U, if the task has another format, before it is annotated. load() and
  // scorer() read the result.
  virtual Source columns_of(const Source& source) const { return source; }
  // Reads the training data.
  virtual std::unique_ptr<TrainingSet> load(const Source& source, Workers& workers) const = 0;
  std::unique_ptr<TrainingSet> load(const Source& source) const;  // on one thread
  // Scores one labelled file against another; if `gold` is empty, `system` holds
  // both.
  virtual Evaluation evaluate(const std::string& gold, const std::string& system) const = 0;
  // What `hinge check` looks for in labelled text: reports every example and label, and what
  // only this task knows to be odd. Examples that load() would refuse do not end it.
  virtual void check(const Source& /*source*/, CorpusCheck& /*check*/) const {}
  virtual std::span<const FindingKind> finding_kinds() const { return {}; }
  // A corpus generated from a seed, in the task's format.
  virtual void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const = 0;
  // The references for sample() with the same seed; false if there are none.
  virtual bool sample_references(std::int64_t /*sentences*/, std::uint64_t /*seed*/,
                                 OutputFile& /*out*/) const {
    return false;
  }
};

}  // namespace hinge
