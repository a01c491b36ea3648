// Minimum error rate training: the weights whose chosen outputs score best on the
// metric of the whole training set.
//
//   min_w  cost( y_1(w), ..., y_n(w) ),   y_i(w) = argmax_y w . Phi(x_i, y)
//
// Och (ACL 2003). The cost is piecewise constant, neither convex nor a sum over
// examples, but known exactly along a line (LineSearch). A pass is one ascent: find
// the best point on every coordinate and on some random directions, take the step
// that gains most, repeat until none gains. Passes start at different points. The
// model is the mean of their end points, which does better on other data than the
// best of them (Foster and Kuhn, WMT 2009, on how much of that best is luck).
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/line_task.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct MertOptions {
  std::int64_t epochs = 20;
  std::int64_t directions = 0;
  double range = 3.0;
  double tolerance = 1e-3;
  bool average = true;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "ascents: the first from the initial weights, others from random points")
        .at_least(1);
    table.add("directions", directions, "random directions tried besides the coordinates")
        .at_least(0)
        .at_most(1e6);
    table.add("range", range, "how far from the best weights an ascent starts, relative to their mean size")
        .above(0);
    table.add("tolerance", tolerance, "an ascent ends when no step gains this fraction of the cost")
        .at_least(0)
        .at_most(1);
    table.add("average", average, "keep the mean of the end points of all ascents, not just the best");
  }
};

// Throws OptionError if there are too many features.
std::unique_ptr<Learner> make_mert(const Task& task, const MertOptions& options, Workers& workers);

}  // namespace hinge
