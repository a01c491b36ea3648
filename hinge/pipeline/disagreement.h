// Where a model and labelled data disagree: among the training examples it fits worst
// are those with wrong labels.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/pipeline/job.h"

namespace hinge {

struct Fit {
  // By how much the output that violates the margin most, with its cost, beats gold:
  // max_y [score(y) + cost(y)] - score(gold). 0: gold wins by the whole cost.
  double slack;
  bool agrees;  // the best output without costs has no cost
};

// How the model fits every example. The data is read with the options of the model.
std::vector<Fit> fits(const ModelFile& model, const Source& labelled, Workers& workers,
                      JobObserver& observer);

// What the model would change in one labelled example.
struct Changes {
  std::string text;            // for people: "'saw': NN, the model says VBD"; "" for nothing
  std::optional<bool> agrees;  // absent if its output cannot be compared line by line
};
Changes changes(const Predictor& predictor, std::string_view example, std::string_view file,
                std::size_t line, Workers& workers);

}  // namespace hinge
