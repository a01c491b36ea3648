// A panel is drawn in three steps: convert points to axis units (the value or its
// log10), choose ranges in these units, and map the ranges linearly to pixels.
#include "cli/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

#include "hinge/tasks/html.h"

namespace hinge::cli {
namespace {

constexpr double kPlotWidth = 380;  // the area between the axes
constexpr double kPlotHeight = 240;
constexpr double kAbovePlot = 34;  // for the panel's title
constexpr double kBelowPlot = 52;  // tick labels and the name of the axis
constexpr double kRightOfPlot = 26;
constexpr double kLabelGap = 6;   // between an axis and its tick labels
constexpr double kNameRoom = 26;  // left of the y tick labels
constexpr double kTitleRoom = 52;  // and for the note
constexpr double kMargin = 12;
constexpr double kFontSize = 12;
constexpr double kLegendRow = 20;
constexpr double kLegendSample = 34;
constexpr double kLegendGap = 24;
constexpr std::size_t kMarkedPoints = 15;  // a curve with more has no markers
constexpr double kHuge = 1e100;            // beyond it, or its inverse on a log axis, counts as infinite

// The colours of Okabe and Ito (2008), which colour-blind people can distinguish,
// without black (the axes) and yellow (too pale on white).
constexpr std::array<std::string_view, 6> kColours{"#0072b2", "#d55e00", "#009e73",
                                                   "#cc79a7", "#56b4e9", "#e69f00"};
constexpr std::array<std::string_view, 4> kDashes{"", "7 3", "2 2.5", "9 3 2 3"};
// Disc, square, triangle, diamond: one per dash, since a curve of a single point
// has no line to show its dash.
constexpr std::array<std::string_view, 4> kMarkers{"m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z",
                                                   "m-2.3-2.3h4.6v4.6h-4.6z", "m0-3l3 5.2h-6z",
                                                   "m0-3.2l3.2 3.2-3.2 3.2-3.2-3.2z"};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double span() const { return high - low; }
};

struct Point {
  double x, y;
};

struct Line {
  std::string_view name;
  std::vector<Point> points;  // in axis units, never empty
};

struct Tick {
  double at;  // in axis units
  std::string label;
};

struct Axis {
  Range range;
  double pixels = 0.0;
  std::vector<Tick> ticks;

  // Points off the panel are kept, since lines lead there, but clamped: renderers
  // store coordinates as floats or fixed-point numbers.
  double place(double at) const {
    return std::clamp((at - range.low) / range.span() * pixels, -10 * pixels, 10 * pixels);
  }
};

struct PanelView {
  const Panel* panel;
  std::vector<Line> lines;
  Axis x, y;
};

// --- Text ---

std::string escape(std::string_view text) {
  std::string result;
  append_html_text(text, result);
  return result;
}

// Without font metrics: the average of common sans-serif fonts, rounded up.
double width_of(std::string_view text) {
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return 7.0 * static_cast<double>(std::count_if(text.begin(), text.end(), starts_character));
}

// A coordinate with at most two decimals; adding 0 turns -0 into 0.
std::string number(double value) { return fmt::format("{}", std::round(value * 100) / 100 + 0.0); }

// A <text> of at most `room` pixels, with smaller letters if needed.
std::string fitted_text(std::string_view attributes, std::string_view text, double size, double room) {
  const double width = width_of(text) * size / kFontSize;
  if (width > room) size *= room / width;
  return fmt::format("<text {} font-size=\"{}\">{}</text>\n", attributes, number(size), escape(text));
}

// --- Ticks ---

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)); }

// 1.5e-7 rather than 1.5e-07.
std::string scientific(double value, int decimals) {
  const std::string text = fmt::format("{:.{}e}", value, decimals);
  const std::size_t e = text.find('e');
  return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

// Enough digits to distinguish neighbouring ticks.
std::string tick_label(double value, double step, double largest) {
  if (value == 0.0) return "0";
  if (largest >= 1e6 || largest < 1e-3)
    return scientific(value, std::max(0, exponent_of(value) - exponent_of(step)));
  return fmt::format("{:.{}f}", value, std::max(0, -exponent_of(step)));
}

// The smallest of 1, 2, 5 times a power of ten that fits in `span` at most `most` times.
double nice_step(double span, double most) {
  const double least = span / most;
  const double power = std::pow(10.0, exponent_of(least));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

std::vector<Tick> linear_ticks(const Range& range, double step) {
  std::vector<Tick> ticks;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const auto last = static_cast<long long>(std::floor(range.high / step));
  for (auto k = static_cast<long long>(std::ceil(range.low / step)); k <= last; ++k) {
    const double value = static_cast<double>(k) * step;
    ticks.push_back({value, tick_label(value, step, largest)});
  }
  return ticks;
}

// These multiples of every decade, or of every so many.
std::vector<Tick> decade_ticks(const Range& range, double most, std::span<const double> factors) {
  const int stride = static_cast<int>(std::ceil(range.span() / most));
  std::vector<Tick> ticks;
  for (int d = static_cast<int>(std::floor(range.low / stride)) * stride; d <= range.high; d += stride) {
    for (const double factor : factors) {
      const double at = d + std::log10(factor);
      const double value = factor * std::pow(10.0, d);
      const bool short_enough = d >= -3 && d <= 5;
      if (at >= range.low && at <= range.high)
        ticks.push_back({at, short_enough ? fmt::format("{:g}", value) : scientific(value, 0)});
    }
  }
  return ticks;
}

// Decades; more if few of them are visible; evenly spaced values if even that
// would leave fewer than three ticks.
std::vector<Tick> log_ticks(const Range& range, double most) {
  std::vector<std::vector<double>> choices{{1.0, 2.0, 5.0}};
  if (range.span() > 2.5) choices = {{1.0}, {1.0, 3.0}, {1.0, 2.0, 5.0}};
  std::vector<Tick> ticks;
  for (const std::vector<double>& factors : choices) {
    ticks = decade_ticks(range, most, factors);
    if (ticks.size() >= 3) return ticks;
  }
  const Range values{std::pow(10.0, range.low), std::pow(10.0, range.high)};
  ticks = linear_ticks(values, nice_step(values.span(), 5));
  for (Tick& tick : ticks) tick.at = std::log10(tick.at);
  return ticks;
}

// --- Ranges ---

// Adds margins, and widens a range that is too narrow for distinct ticks.
Range padded(Range range, double margin, bool log) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  double pad = margin * range.span();
  if (range.span() <= std::max(1e-6 * largest, 1 / kHuge)) {
    pad = 0.05 * largest;
    if (log) pad = std::log10(2.0);
    if (pad <= 1 / kHuge) pad = 1.0;
  }
  return {range.low - pad, range.high + pad};
}

// The first epochs must not squeeze the rest into a corner: the side where most
// curves start is cut to the range of their second halves, if that magnifies the
// rest threefold. Curves of at most three points count whole. Log axes are not
// cut.
Range y_range(const std::vector<Line>& lines, bool log) {
  Range all, settled;
  int rising = 0;
  for (const Line& line : lines) {
    const std::size_t half = line.points.size() > 3 ? line.points.size() / 2 : 0;
    for (const Point& point : line.points) all.add(point.y);
    for (std::size_t k = half; k < line.points.size(); ++k) settled.add(line.points[k].y);
    rising += line.points.back().y >= line.points.front().y ? 1 : -1;
  }
  const Range cut = rising >= 0 ? Range{settled.low, all.high} : Range{all.low, settled.high};
  return !log && cut.span() > 0 && all.span() > 3 * cut.span() ? cut : all;
}

Axis x_axis(const std::vector<Line>& lines, bool log) {
  Range range;
  bool whole = true;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      range.add(point.x);
      whole = whole && point.x == std::round(point.x);
    }
  }
  Axis axis{padded(range, 0.02, log), kPlotWidth, {}};
  const double most = kPlotWidth / 60;
  const double step = nice_step(axis.range.span(), most);
  // No ticks between whole epochs.
  axis.ticks =
      log ? log_ticks(axis.range, most) : linear_ticks(axis.range, whole ? std::max(1.0, step) : step);
  return axis;
}

Axis y_axis(const std::vector<Line>& lines, bool log) {
  Axis axis{padded(y_range(lines, log), 0.05, log), kPlotHeight, {}};
  const double most = kPlotHeight / 36;
  axis.ticks =
      log ? log_ticks(axis.range, most) : linear_ticks(axis.range, nice_step(axis.range.span(), most));
  return axis;
}

bool drawable(double value, bool log) {
  return std::isfinite(value) && std::abs(value) < kHuge && (!log || value > 1 / kHuge);
}

PanelView view_of(const Panel& panel) {
  PanelView view{&panel, {}, {}, {}};
  for (const Curve& curve : panel.curves) {
    assert(curve.x.size() == curve.y.size());
    Line line{curve.name, {}};
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      if (!drawable(curve.x[k], panel.log_x) || !drawable(curve.y[k], panel.log_y)) continue;
      line.points.push_back({panel.log_x ? std::log10(curve.x[k]) : curve.x[k],
                             panel.log_y ? std::log10(curve.y[k]) : curve.y[k]});
    }
    if (!line.points.empty()) view.lines.push_back(std::move(line));
  }
  if (view.lines.empty()) return view;
  view.x = x_axis(view.lines, panel.log_x);
  view.y = y_axis(view.lines, panel.log_y);
  return view;
}

// --- Drawing ---

// Opens a group in the colour of curve name `index`; viewers show the title as a
// tooltip.
std::string coloured_group(std::size_t index, std::string_view name) {
  const std::string_view colour = kColours[index % kColours.size()];
  return fmt::format("<g stroke=\"{0}\" fill=\"{0}\"><title>{1}</title>", colour, escape(name));
}

std::size_t pattern_of(std::size_t index) { return index / kColours.size() % kDashes.size(); }

std::string dash_of(std::size_t index) {
  const std::string_view dash = kDashes[pattern_of(index)];
  return dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash);
}

std::string draw_line(const PanelView& view, const Line& line, std::size_t style) {
  std::string points, markers;
  for (const Point& point : line.points) {
    const std::string x = number(view.x.place(point.x));
    const std::string y = number(kPlotHeight - view.y.place(point.y));
    points += fmt::format("{}{},{}", points.empty() ? "" : " ", x, y);
    markers += fmt::format("M{} {}{}", x, y, kMarkers[pattern_of(style)]);
  }
  std::string text = coloured_group(style, line.name);
  text += fmt::format("<polyline points=\"{}\" fill=\"none\"{}/>", points, dash_of(style));
  if (line.points.size() <= kMarkedPoints) text += fmt::format("<path d=\"{}\" stroke=\"none\"/>", markers);
  return text + "</g>\n";
}

std::string draw_axes(const PanelView& view) {
  std::string grid, labels;
  for (const Tick& tick : view.x.ticks) {
    const std::string x = number(view.x.place(tick.at));
    grid += fmt::format("M{} 0V{}", x, kPlotHeight);
    labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x,
                          kPlotHeight + kLabelGap + kFontSize, tick.label);
  }
  for (const Tick& tick : view.y.ticks) {
    const double y = kPlotHeight - view.y.place(tick.at);
    grid += fmt::format("M0 {}H{}", number(y), kPlotWidth);
    labels += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", -kLabelGap,
                          number(y + 0.35 * kFontSize), tick.label);
  }
  return fmt::format("<path d=\"{}\" stroke=\"#e4e4e4\"/>\n{}", grid, labels);
}

std::string draw_frame(const Panel& panel, double left) {
  const auto centred = [](std::string_view place) { return fmt::format("{} text-anchor=\"middle\"", place); };
  const double middle = kPlotWidth / 2;
  std::string text =
      fmt::format("<path d=\"M0 0V{}H{}\" stroke=\"#777\" fill=\"none\"/>\n", kPlotHeight, kPlotWidth);
  text += fitted_text(centred(fmt::format("x=\"{}\" y=\"-10\" font-weight=\"bold\"", middle)), panel.title,
                      kFontSize, 0.9 * kPlotWidth);
  text += fitted_text(centred(fmt::format("x=\"{}\" y=\"{}\"", middle, kPlotHeight + 38)), panel.x_label,
                      kFontSize, kPlotWidth);
  text += fitted_text(centred(fmt::format("transform=\"translate({} {}) rotate(-90)\"",
                                          number(kFontSize - left), kPlotHeight / 2)),
                      panel.y_label, kFontSize, kPlotHeight);
  return text;
}

std::size_t index_of(const std::vector<std::string_view>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// A ring around the best point, which is the first of several.
std::string draw_best(const PanelView& view) {
  if (view.panel->best == Best::kNone) return "";
  const double sign = view.panel->best == Best::kHighest ? 1.0 : -1.0;
  const Point* best = nullptr;
  for (const Line& line : view.lines) {
    for (const Point& point : line.points) {
      if (best == nullptr || sign * point.y > sign * best->y) best = &point;
    }
  }
  return fmt::format("<circle class=\"best\" cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"none\" stroke=\"#222\"/>\n",
                     number(view.x.place(best->x)), number(kPlotHeight - view.y.place(best->y)));
}

// The origin is the upper left corner of the plot; `left` is the space beside it.
std::string draw_panel(const PanelView& view, const std::vector<std::string_view>& names, double left) {
  if (view.lines.empty())
    return draw_frame(*view.panel, left) +
           fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#777\">no data</text>\n",
                       kPlotWidth / 2, kPlotHeight / 2);
  std::string text = draw_axes(view) + draw_frame(*view.panel, left);
  text += "<g clip-path=\"url(#plot-area)\" stroke-width=\"1.4\" stroke-linejoin=\"round\">\n";
  for (const Line& line : view.lines) text += draw_line(view, line, index_of(names, line.name));
  return text + "</g>\n" + draw_best(view);
}

struct Legend {
  std::vector<std::string_view> names;  // in order of first appearance
  double entry_width = 0.0;
  std::size_t columns = 1, rows = 0;
};

std::vector<std::string_view> names_of(const std::vector<Panel>& panels) {
  std::vector<std::string_view> names;
  for (const Panel& panel : panels)
    for (const Curve& curve : panel.curves)
      if (index_of(names, curve.name) == names.size()) names.push_back(curve.name);
  return names;
}

// As few rows as fit in `width`, filled evenly.
Legend legend_of(const std::vector<Panel>& panels, double width) {
  Legend legend{names_of(panels)};
  if (legend.names.empty()) return legend;
  for (const std::string_view name : legend.names)
    legend.entry_width = std::max(legend.entry_width, kLegendSample + width_of(name) + kLegendGap);
  const auto divided_up = [](std::size_t a, std::size_t b) { return (a + b - 1) / b; };
  const auto fitting = std::max<std::size_t>(1, static_cast<std::size_t>(width / legend.entry_width));
  legend.rows = divided_up(legend.names.size(), fitting);
  legend.columns = divided_up(legend.names.size(), legend.rows);
  return legend;
}

// Reads down the columns, like a list.
std::string draw_legend(const Legend& legend, double left, double top) {
  std::string text = "<g class=\"legend\" stroke-width=\"1.4\">\n";
  for (std::size_t k = 0; k < legend.names.size(); ++k) {
    const std::size_t column = k / legend.rows, row = k % legend.rows;
    const double x = left + static_cast<double>(column) * legend.entry_width;
    const double y = top + (static_cast<double>(row) + 0.5) * kLegendRow;
    const std::string_view colour = kColours[k % kColours.size()];
    text += fmt::format("<path d=\"M{} {}h28\" stroke=\"{}\"{}/>", number(x), number(y), colour, dash_of(k));
    text += fmt::format("<path d=\"M{} {}{}\" fill=\"{}\"/>", number(x + 14), number(y),
                        kMarkers[pattern_of(k)], colour);
    text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", number(x + kLegendSample),
                        number(y + 0.35 * kFontSize), escape(legend.names[k]));
  }
  return text + "</g>\n";
}

// The same for all panels, so that their plots line up.
double room_for_labels(const std::vector<PanelView>& views) {
  double widest = 0.0;
  for (const PanelView& view : views)
    for (const Tick& tick : view.y.ticks) widest = std::max(widest, width_of(tick.label));
  return kNameRoom + widest + kLabelGap;
}

std::string draw_head(const std::string& title, const std::string& note, double width, double height) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
      "font-size=\"{2}\" fill=\"#222\">\n<title>{3}</title>\n"
      "<defs><clipPath id=\"plot-area\"><rect width=\"{4}\" height=\"{5}\"/></clipPath></defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      number(width), number(height), kFontSize, escape(title), kPlotWidth, kPlotHeight);
  const std::string place = fmt::format("x=\"{}\" y=\"26\" text-anchor=\"middle\"", number(width / 2));
  const std::string below = fmt::format("x=\"{}\" y=\"44\" text-anchor=\"middle\"", number(width / 2));
  text += fitted_text(place, title, 16, width - 2 * kMargin);
  return note.empty() ? text : text + fitted_text(below, note, 11, width - 2 * kMargin);
}

}  // namespace

std::string svg_chart(const std::string& title, const std::string& note, const std::vector<Panel>& panels,
                      std::size_t columns) {
  std::vector<PanelView> views;
  for (const Panel& panel : panels) views.push_back(view_of(panel));
  columns = std::clamp<std::size_t>(columns, 1, std::max<std::size_t>(1, panels.size()));
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double left = room_for_labels(views);
  const double panel_width = left + kPlotWidth + kRightOfPlot;
  const double panel_height = kAbovePlot + kPlotHeight + kBelowPlot;

  const double grid_width = static_cast<double>(columns) * panel_width;
  const double grid_height = static_cast<double>(rows) * panel_height;
  const Legend legend = legend_of(panels, grid_width);
  const double legend_width = static_cast<double>(legend.columns) * legend.entry_width;
  const double width = std::max(grid_width, legend_width) + 2 * kMargin;
  const double legend_top = kTitleRoom + grid_height + kMargin;
  const double height = legend_top + static_cast<double>(legend.rows) * kLegendRow + kMargin;

  std::string text = draw_head(title, note, width, height);
  for (std::size_t p = 0; p < views.size(); ++p) {
    const std::size_t column = p % columns, row = p / columns;
    const double x = (width - grid_width) / 2 + static_cast<double>(column) * panel_width + left;
    const double y = kTitleRoom + static_cast<double>(row) * panel_height + kAbovePlot;
    text += fmt::format("<g class=\"panel\" transform=\"translate({} {})\">\n{}</g>\n", number(x), number(y),
                        draw_panel(views[p], legend.names, left));
  }
  return text + draw_legend(legend, (width - legend_width + kLegendGap) / 2, legend_top) + "</svg>\n";
}

}  // namespace hinge::cli
