// Lines of an EnumeratedTask: finds the corners of each example's envelope by
// walking from winner to winner, and computes the cost between corners from
// scratch.
#include <algorithm>
#include <limits>

#include "tests/support/enumerated_task.h"

namespace hinge::test {
namespace {

struct Line {
  double height;
  double slope;
  double loss;
};
using Lines = std::vector<std::vector<Line>>;  // [examples][candidates]

void add_corners(const std::vector<Line>& lines, std::vector<double>& corners) {
  const Line* winner = &lines[0];
  for (const Line& line : lines) {
    if (line.slope < winner->slope || (line.slope == winner->slope && line.height > winner->height))
      winner = &line;
  }
  while (true) {
    const Line* next = nullptr;
    double corner = std::numeric_limits<double>::infinity();
    for (const Line& line : lines) {
      if (line.slope <= winner->slope) continue;
      const double t = (winner->height - line.height) / (line.slope - winner->slope);
      if (t > corner || (t == corner && line.slope <= next->slope)) continue;
      corner = t;
      next = &line;
    }
    if (next == nullptr) return;
    corners.push_back(corner);
    winner = next;
  }
}

double cost_at(const Lines& lines, double t) {
  double sum = 0.0;
  for (const std::vector<Line>& example : lines) {
    const Line* best = &example[0];
    for (const Line& line : example) {
      if (line.height + t * line.slope >= best->height + t * best->slope) best = &line;
    }
    sum += best->loss;
  }
  return sum;
}

class EnumeratedLines final : public LineSearch {
 public:
  explicit EnumeratedLines(const EnumeratedTask& task)
      : task_(task), w_(task.dimension()), spreads_(task.dimension(), 0.0) {
    for (std::size_t i = 0; i < task.size(); ++i) {
      for (std::size_t y = 1; y < task.examples()[i].size(); ++y) {
        const Cut cut = task.cut_of(i, y);
        for (const Entry& entry : cut.psi.entries()) spreads_[entry.id] = 1.0;
      }
    }
  }

  void move_to(const Weights& w) override { w_ = w; }
  double cost() const override { return cost_at(lines_along({}), 0.0); }
  std::span<const double> spreads() const override { return spreads_; }

  LinePoint best_on_line(const SparseVector& direction, Scratch&) const override {
    const Lines lines = lines_along(direction);
    std::vector<double> corners;
    for (const std::vector<Line>& example : lines) add_corners(example, corners);
    std::ranges::sort(corners);
    LinePoint best{.step = 0.0, .cost = cost_at(lines, 0.0)};
    if (corners.empty()) return best;
    std::vector<double> points{corners.front() - 1.0, corners.back() + 1.0};
    for (std::size_t k = 1; k < corners.size(); ++k) points.push_back(0.5 * (corners[k - 1] + corners[k]));
    for (const double t : points) {
      if (const double cost = cost_at(lines, t); cost < best.cost) best = {.step = t, .cost = cost};
    }
    return best;
  }

 private:
  Lines lines_along(const SparseVector& direction) const {
    Weights d(task_.dimension());
    axpy(1.0, direction, d);
    Lines lines;
    for (const std::vector<Candidate>& example : task_.examples()) {
      lines.emplace_back();
      for (const Candidate& candidate : example)
        lines.back().push_back({dot(w_, candidate.features), dot(d, candidate.features), candidate.loss});
    }
    return lines;
  }

  const EnumeratedTask& task_;
  Weights w_;
  std::vector<double> spreads_;
};

}  // namespace

std::unique_ptr<LineSearch> EnumeratedTask::make_line_search() const {
  return std::make_unique<EnumeratedLines>(*this);
}

}  // namespace hinge::test
