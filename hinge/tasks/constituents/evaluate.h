// Scores of a parser, or of one file of trees against another.
#pragma once

#include "hinge/evaluate/brackets.h"
#include "hinge/tasks/constituents/model.h"

namespace hinge::constituents {

Evaluation evaluate_parser(const Parser& parser, const Treebank& bank, Workers& workers);

// For dev scores: those of the model that the set would save.
Scores score_weights(const TrainingSet& set, const Weights& w, const Treebank& bank, Workers& workers);

// Throws InputError if the files do not have the same words.
Evaluation evaluate_files(const std::string& gold, const std::string& system);

}  // namespace hinge::constituents
