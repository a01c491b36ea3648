// The points that `hinge train --search` tries: a grid, or random ones.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/train.h"
#include "hinge/core/random.h"

namespace hinge::cli {

// Values of options, and of "learner".
using Point = NamedValues;

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// "C=0.1,1" and so on; "auto" is left out. Throws OptionError naming the text.
std::vector<Axis> parse_axes(const std::vector<std::string>& search);
bool is_random(const std::vector<std::string>& search);  // holds "auto"

// The job of the flags with these values.
Job job_at(JobSettings settings, const TrainFlags& flags, const Point& point);

// All combinations; C varies fastest and rises, so that each can start from the last.
// An option that only some of the learners have is left out for the others.
std::vector<Point> grid_points(const std::vector<Axis>& axes, const JobSettings& settings);

// Draws points: of every axis a value, and values of those options of the learner that set a
// scale (draw_value()), unless the flags give them. The first point has the defaults. The same
// seed gives the same points.
class RandomPoints {
 public:
  RandomPoints(std::vector<Axis> axes, const JobSettings& settings, const TrainFlags& flags);

  Point next();

 private:
  void draw(const OptionTable& table, Point& point);

  std::vector<Axis> axes_;
  JobSettings settings_;
  const TrainFlags& flags_;
  std::set<std::string> fixed_;  // names of options that are not drawn
  Random random_;
  bool first_ = true;
};

// A value near the option's own, evenly on a log scale: of a number that must be above 0, such as
// C, up to 32 times less or more; of `epochs` up to 3 times. "" for other options, which no scale
// suits; name their values with --search name=a,b.
std::string draw_value(const Option& option, Random& random);

std::string text_of(const Point& point);

}  // namespace hinge::cli
