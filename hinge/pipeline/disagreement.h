// Where a model and labelled data disagree: among the training examples it fits worst
// are those with wrong labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hinge/pipeline/job.h"

namespace hinge {

// The slack of every example: by how much the output that violates the margin most, with its
// cost, beats gold: max_y [score(y) + cost(y)] - score(gold). 0: gold wins by the whole cost.
// The data is read with the options of the model.
std::vector<double> slacks(const ModelFile& model, const Source& labelled, Workers& workers,
                           JobObserver& observer);

// What the model would change in one labelled example, for people: "'saw': NN, the model
// says VBD". Empty if the task predicts no lines.
std::string changes(const Predictor& predictor, std::string_view example, std::string_view file,
                    std::size_t line, Workers& workers);

}  // namespace hinge
