// What the command line, Python and the server ask of a task, whatever it is:
// read a training set, write a model, predict, evaluate, inspect, sample.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

// Examples with their vocabulary, ready to be learned from.
class TrainingSet {
 public:
  virtual ~TrainingSet() = default;
  virtual const Task& task() const = 0;
  virtual std::string summary() const = 0;  // one line: sentences, features, ...
  // Scores of weights on other labelled data, which is read once. `workers` must
  // outlive the scorer.
  virtual std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const = 0;
  // The same for the same examples and features, another for others.
  virtual std::uint64_t fingerprint() const = 0;
  // The weights of a model of this task, features and labels matched by name;
  // what only one side has is zero. Throws ModelError where nothing matches.
  virtual Weights weights_of(const ModelFile& model) const = 0;
  // The same from a file of weights that is no model, where the task reads such.
  virtual Weights weights_of_text(const std::string& path) const { return weights_of(ModelFile::open(path)); }
  // Adds the sections of a model, and what describes it to `meta`.
  virtual void save(const Weights& w, ModelWriter& out, Json& meta) const = 0;
};

// A model file; `meta` is what describes it beyond what the set adds.
std::string write_model(const TrainingSet& set, const Weights& w, Json meta);

// The labels in the description of a model.
LabelSet read_labels(const Description& description);

// Throws ModelError if the model is of another task than the one being trained.
void require_task(const ModelFile& model, std::string_view task);

struct PredictSettings {
  std::size_t n_best = 1;
  bool scores = false;     // marginals for a model of likelihoods, else margins
  bool marginals = false;  // always marginals
  bool constrain = false;  // labels already in the input are kept
};

struct WeightLine {
  std::string feature;
  std::string label;
  float weight;
};

// But for its options immutable: threads may share one.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual OptionTable* options() { return nullptr; }  // of evaluate(); null: none
  // Throws OptionError if the model cannot do what the settings ask for.
  virtual void check(const PredictSettings& /*settings*/) const {}

  // Of tasks that predict sentence by sentence: what one thread needs, and the
  // format of their text. Null for others, which have their own predict().
  virtual std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& /*settings*/) const {
    return nullptr;
  }
  virtual ColumnFormat format() const { return ColumnFormat::kAuto; }
  // The column of CoNLL-U that it fills in, by name; "" for none.
  virtual std::string fills() const { return ""; }

  // In the order of the input; every answer is written as soon as it is there.
  virtual void predict(const Source& input, OutputFile& out, const PredictSettings& settings,
                       Workers& workers) const;
  virtual Evaluation evaluate(const Source& gold, Workers& workers) const = 0;
  virtual std::string summary() const = 0;  // several lines for `inspect`
  virtual std::vector<WeightLine> heaviest(std::size_t n) const = 0;
  // Writes all weights in the format of other tools; false where there is none.
  virtual bool write_weights(const std::string& /*path*/) const { return false; }
};

class TaskChoice;

// What must be learned before a task, from the same data.
struct FirstStage {
  std::unique_ptr<TaskChoice> task;  // null: nothing
  std::int64_t epochs = 0;
  std::string purpose;  // a line for people
};

// A task chosen and configured: options first, then continue_from(), the first
// stage and load(), each if it is wanted.
class TaskChoice {
 public:
  virtual ~TaskChoice() = default;
  virtual OptionTable& options() = 0;
  // A model of it is given to set_first_stage() before load(); see pipeline/job.h.
  virtual FirstStage first_stage() const { return {}; }
  virtual void set_first_stage(std::string /*model*/) {}
  // Training continues from this model: its labels and features stay, even if the
  // data lacks them. The model is not needed later. Throws ModelError if it is of
  // another task.
  virtual void continue_from(const ModelFile& model) = 0;
  // Reads the training data.
  virtual std::unique_ptr<TrainingSet> load(const Source& source) const = 0;
  // Scores of a labelled file against another; an empty `gold` means that the
  // system's file holds both.
  virtual Evaluation evaluate(const std::string& gold, const std::string& system) const = 0;
  // A corpus made up from a seed, in the format of the task.
  virtual void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const = 0;
  // References of what sample() writes for the same seed; false where there are none.
  virtual bool sample_references(std::int64_t /*sentences*/, std::uint64_t /*seed*/,
                                 OutputFile& /*out*/) const {
    return false;
  }
};

}  // namespace hinge
