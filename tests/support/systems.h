// Tasks as the command line uses them: from files to models and back, without
// the command line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hinge/model/model_file.h"
#include "hinge/tasks/system.h"
#include "tests/support/data.h"
#include "tests/support/training.h"

namespace hinge::test {

// Includes first stages: see hinge/pipeline/job.h.
std::unique_ptr<TrainingSet> load_system(const std::string& task, const Options& options,
                                         const Source& source);

// A model as `hinge train` writes it.
std::string model_of(const TrainingSet& set, const Weights& w, const std::string& task,
                     bool likelihood = false);

// The output of `hinge predict`.
std::string predict(const ModelFile& model, const std::string& text, const PredictSettings& settings = {},
                    int threads = 1);

// The result of `hinge evaluate`.
Evaluation evaluate(const ModelFile& model, const Source& gold, int threads = 1);

// Scores of weights on labelled data.
Scores dev_scores(const TrainingSet& set, const Source& dev, const Weights& w, int threads = 1);

// Sentences of `hinge sample`.
std::string sample_text(const std::string& task, std::int64_t sentences, std::uint64_t seed);
// About so many examples of it.
std::string sample_examples(const std::string& task, std::int64_t examples, std::uint64_t seed);

// N-best lists, and the references for them.
void write_lists(std::int64_t sentences, const std::string& lists, const std::string& references);

// What a task needs to be trained on sample_examples().
Options options_for(const std::string& task);
// Learners of different kinds that the task allows.
std::vector<std::string> learners_for(const std::string& task);

}  // namespace hinge::test
