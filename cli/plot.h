// Line charts as one self-contained SVG text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hinge::cli {

// `x` and `y` have the same length, possibly 0, in drawing order. Points that are
// not finite, or not positive on a logarithmic axis, are left out.
struct Curve {
  std::string name;
  std::vector<double> x, y;
};

enum class Best { kNone, kHighest, kLowest };

struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
  Best best = Best::kNone;  // a ring marks this point of all curves
};

// `note` is a line in small letters below the title. The panels are in a
// grid of `columns`, with one legend below for all: a curve
// name has the same colour, dash and marker in every panel. All text is UTF-8.
// Equal arguments give equal bytes.
std::string svg_chart(const std::string& title, const std::string& note, const std::vector<Panel>& panels,
                      std::size_t columns);

}  // namespace hinge::cli
