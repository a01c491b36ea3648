// Charts, read back from the SVG text.
#include "cli/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace hinge::test {
namespace {

using cli::Curve;
using cli::Panel;
using cli::svg_chart;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool is_entity(std::string_view text) {
  return text.starts_with("&amp;") || text.starts_with("&lt;") || text.starts_with("&gt;") ||
         text.starts_with("&quot;");
}

// The position of the '>' that ends a tag, or npos if a quote contains a '<'
// or is not closed.
std::size_t end_of_tag(const std::string& xml, std::size_t at) {
  bool quoted = false;
  for (++at; at < xml.size(); ++at) {
    if (xml[at] == '"') quoted = !quoted;
    if (xml[at] == '<') return std::string::npos;
    if (xml[at] == '>' && !quoted) return at;
  }
  return std::string::npos;
}

// What is wrong with `xml`, or nothing: tags balance under one root, and every
// & begins an entity.
std::string xml_error(const std::string& xml) {
  std::vector<std::string> open;
  int roots = 0;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&' && !is_entity(std::string_view(xml).substr(at)))
      return "raw & in " + xml.substr(at, 40);
    if (static_cast<unsigned char>(xml[at]) < 0x20 && xml[at] != '\n') return "control character";
    if (open.empty() && xml[at] != '<' && xml[at] != '\n') return "text outside of the root";
    if (xml[at] != '<') continue;
    const std::size_t end = end_of_tag(xml, at);
    if (end == std::string::npos) return "bad tag at " + xml.substr(at, 40);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (open.empty() && ++roots > 1) return "two roots";
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) return "unexpected </" + tag + ">";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    // Attribute values must be escaped too, but the jump skipped them.
    for (std::size_t a = tag.find('&'); a != std::string::npos; a = tag.find('&', a + 1))
      if (!is_entity(std::string_view(tag).substr(a))) return "raw & in <" + tag + ">";
    at = end;
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// All texts between `before` and `after`.
std::vector<std::string> all_between(const std::string& text, const std::string& before,
                                     const std::string& after) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    found.push_back(text.substr(at, text.find(after, at) - at));
  }
  return found;
}

struct Pixel {
  double x, y;
};

std::vector<std::vector<Pixel>> lines_of(const std::string& svg) {
  std::vector<std::vector<Pixel>> lines;
  for (const std::string& points : all_between(svg, "<polyline points=\"", "\"")) {
    std::stringstream stream(points);
    lines.emplace_back();
    char comma;
    for (Pixel p; stream >> p.x >> comma >> p.y;) lines.back().push_back(p);
  }
  return lines;
}

std::string legend_of(const std::string& svg) { return svg.substr(svg.find("class=\"legend\"")); }

std::vector<std::string> x_labels(const std::string& svg) {
  std::vector<std::string> labels;
  for (const std::string& text : all_between(svg, "y=\"258\" text-anchor=\"middle\">", "<"))
    labels.push_back(text);
  return labels;
}

std::vector<std::string> y_labels(const std::string& svg) {
  return all_between(svg, "text-anchor=\"end\">", "<");
}

using Labels = std::vector<std::string>;

Panel panel(std::vector<Curve> curves, bool log_x = false, bool log_y = false) {
  return {"title", "x", "y", log_x, log_y, std::move(curves)};
}

std::string checked_chart(const std::vector<Panel>& panels, std::size_t columns = 2) {
  std::string svg = svg_chart("chart", "", panels, columns);
  EXPECT_EQ(xml_error(svg), "");
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "inf"), 0);
  return svg;
}

TEST(Plot, TheXmlCheckSeesWhatIsWrong) {
  EXPECT_EQ(xml_error("<a b=\"&lt;\"><c/>&amp;</a>\n"), "");
  for (const char* wrong :
       {"<a>", "<a></b>", "<a>&</a>", "<a b=\"<\"/>", "<a b=\"&\"/>", "<a/><b/>", "<a/>x", "<a"})
    EXPECT_NE(xml_error(wrong), "") << wrong;
}

TEST(Plot, EighteenLearnersHaveEighteenStylesThatAllPanelsShare) {
  Panel rising = panel({}), falling = panel({});
  for (int k = 0; k < 18; ++k) {
    rising.curves.push_back({"learner" + std::to_string(k) + ".", {1, 2, 3}, {1.0, 2.0 + k, 3.0 + k}});
    falling.curves.insert(falling.curves.begin(), {rising.curves.back().name, {1, 2}, {9.0 + k, 8.0}});
  }
  const std::string svg = checked_chart({rising, falling});
  const std::string legend = legend_of(svg);
  std::set<std::string> styles;
  for (const std::string& style : all_between(legend, "h28\" ", "/>")) styles.insert(style);
  EXPECT_EQ(styles.size(), 18u);
  for (const Curve& curve : rising.curves) {
    EXPECT_EQ(count(legend, ">" + curve.name + "<"), 1);
    const std::size_t first = svg.find("<title>" + curve.name), second = svg.rfind("<title>" + curve.name);
    ASSERT_NE(first, second);
    const auto colour_before = [&](std::size_t at) { return svg.substr(svg.rfind("stroke=", at), 16); };
    const auto dash_after = [&](std::size_t at) {
      const std::size_t fill = svg.find("fill=\"none\"", at);
      return svg.substr(fill, svg.find("/>", fill) - fill);
    };
    EXPECT_EQ(colour_before(first), colour_before(second));
    EXPECT_EQ(dash_after(first), dash_after(second));
  }
}

TEST(Plot, ARingMarksTheBestPointOfAllCurves) {
  Panel highest = panel({{"a", {1, 2, 3}, {1, 7, 5}}, {"b", {1, 2, 3}, {2, 3, 6}}});
  highest.best = cli::Best::kHighest;
  Panel lowest = highest;
  lowest.best = cli::Best::kLowest;
  const std::string svg = checked_chart({highest, lowest, panel({{"a", {1, 2}, {1, 2}}})});
  const auto lines = lines_of(svg);
  const std::vector<std::string> rings = all_between(svg, "<circle class=\"best\" cx=\"", "\" r=");
  ASSERT_EQ(rings.size(), 2u);
  const auto expect_at = [](const std::string& ring, const Pixel& at) {
    EXPECT_NEAR(std::stod(ring), at.x, 0.01);
    EXPECT_NEAR(std::stod(ring.substr(ring.find("cy=\"") + 4)), at.y, 0.01);
  };
  expect_at(rings[0], lines[0][1]);
  expect_at(rings[1], lines[2][0]);
}

TEST(Plot, TheNoteIsBelowTheTitle) {
  const std::string svg = svg_chart("chart", "seed 1 & more", {panel({{"a", {1}, {1}}})}, 1);
  EXPECT_EQ(xml_error(svg), "");
  EXPECT_NE(svg.find(">seed 1 &amp; more</text>"), std::string::npos);
}

TEST(Plot, LargerValuesAreFurtherRightAndFurtherUp) {
  for (const bool log : {false, true}) {
    const auto lines = lines_of(checked_chart({panel({{"a", {1, 2, 4, 8}, {1, 3, 9, 27}}}, log, log)}));
    ASSERT_EQ(lines.size(), 1u);
    ASSERT_EQ(lines[0].size(), 4u);
    for (std::size_t k = 1; k < 4; ++k) {
      EXPECT_GT(lines[0][k].x, lines[0][k - 1].x);
      EXPECT_LT(lines[0][k].y, lines[0][k - 1].y);
    }
  }
}

TEST(Plot, EqualRatiosAreEqualDistancesOnLogAxes) {
  const auto lines = lines_of(checked_chart({panel({{"a", {0.1, 1, 10}, {4, 2, 1}}}, true, true)}));
  EXPECT_NEAR(lines[0][1].x - lines[0][0].x, lines[0][2].x - lines[0][1].x, 0.02);
  EXPECT_NEAR(lines[0][1].y - lines[0][0].y, lines[0][2].y - lines[0][1].y, 0.02);
}

TEST(Plot, TicksAreRoundNumbers) {
  const auto x_ticks = [](std::vector<double> x, bool log) {
    return x_labels(checked_chart({panel({{"a", x, std::vector<double>(x.size(), 1.0)}}, log)}));
  };
  EXPECT_EQ(x_ticks({0, 100}, false), (Labels{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(x_ticks({-0.1, 0.1}, false), (Labels{"-0.10", "-0.05", "0", "0.05", "0.10"}));
  EXPECT_EQ(x_ticks({1, 2, 3}, false), (Labels{"1", "2", "3"}));  // whole numbers, such as epochs
  EXPECT_EQ(x_ticks({0, 4e6}, false), (Labels{"0", "1e6", "2e6", "3e6", "4e6"}));
  EXPECT_EQ(x_ticks({1e-4, 10}, true), (Labels{"1e-4", "0.001", "0.01", "0.1", "1", "10"}));
  EXPECT_EQ(x_ticks({0.5, 20}, true), (Labels{"0.5", "1", "2", "5", "10", "20"}));
  // Two decades inside a longer range.
  EXPECT_EQ(x_ticks({15, 6000}, true), (Labels{"30", "100", "300", "1000", "3000"}));
  EXPECT_EQ(x_ticks({1.1, 1.9}, true), (Labels{"1.2", "1.4", "1.6", "1.8"}));
  EXPECT_LE(x_ticks({1e-90, 1e90}, true).size(), 8u);
}

TEST(Plot, ABadStartDoesNotSqueezeTheRest) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const auto rising = lines_of(checked_chart({panel({{"a", x, {0, 80, 90, 91, 92, 93}}})}));
  EXPECT_GT(rising[0][0].y, 240) << "the first point is below the plot";
  EXPECT_GT(rising[0][3].y - rising[0][5].y, 100) << "the second half has most of the height";
  const auto falling = lines_of(checked_chart({panel({{"a", x, {1e6, 80, 12, 11, 10.5, 10}}})}));
  EXPECT_LT(falling[0][0].y, 0) << "the first point is above the plot";
  EXPECT_GT(falling[0][0].y, -1e5) << "but not where renderers lose precision";
  const auto mild = lines_of(checked_chart({panel({{"a", x, {88, 89, 90, 91, 92, 93}}})}));
  EXPECT_LT(mild[0][0].y, 240) << "an even climb is shown whole";
}

TEST(Plot, PointsThatHaveNoPlaceAreLeftOut) {
  const std::vector<double> x{1, 2, kNan, 4, -5, 0, 7};
  const std::vector<double> y{1, kInf, 3, -kInf, 5, 6, 7};
  EXPECT_EQ(lines_of(checked_chart({panel({{"a", x, y}})}))[0].size(), 4u);
  EXPECT_EQ(lines_of(checked_chart({panel({{"a", x, y}}, true)}))[0].size(), 2u);
  EXPECT_EQ(lines_of(checked_chart({panel({{"a", y, x}}, false, true)}))[0].size(), 2u);
}

TEST(Plot, PanelsWithoutPointsSayNoData) {
  const std::string svg = checked_chart({panel({}), panel({{"a", {}, {}}}), panel({{"a", {kNan}, {1}}}),
                                         panel({{"b", {1}, {-1}}}, false, true)});
  EXPECT_EQ(count(svg, "no data"), 4);
  EXPECT_TRUE(lines_of(svg).empty());
  EXPECT_EQ(count(legend_of(svg), ">a<"), 1);
  EXPECT_EQ(count(legend_of(svg), ">b<"), 1);
}

TEST(Plot, ChartsOfNothingAreCharts) {
  EXPECT_EQ(count(checked_chart({}, 0), "class=\"panel\""), 0);
  EXPECT_EQ(count(checked_chart({panel({})}, 0), "class=\"panel\""), 1);
  EXPECT_EQ(xml_error(svg_chart("", "", {Panel{}}, 100)), "");
}

TEST(Plot, EqualAndExtremeValuesStayInsideThePanel) {
  const double largest = std::numeric_limits<double>::max(),
               least = std::numeric_limits<double>::denorm_min();
  for (const double value : {0.0, 1.0, -93.4, 1e6, 1e-9, 1e-99, -1e99, 1.0 + 1e-15, largest, least}) {
    for (const bool log : {false, true}) {
      const Curve two{"two", {1, 1}, {value, std::nextafter(value, 0.0)}};
      const std::string svg = checked_chart({panel({two, {"one", {1}, {value}}}, log, log)});
      for (const auto& line : lines_of(svg)) {
        for (const Pixel& p : line) {
          EXPECT_TRUE(p.x > 0 && p.x < 380 && p.y > 0 && p.y < 240) << value << ": " << p.x << "," << p.y;
        }
      }
      EXPECT_LE(y_labels(svg).size(), 10u) << value;
    }
  }
  checked_chart({panel({{"far apart", {-9e99, 9e99}, {1e-99, 9e99}}})});
}

TEST(Plot, ASinglePointIsMarkedAndManyAreNot) {
  const auto marks = [](std::size_t n) {
    const std::vector<double> values(n, 1.0);
    const std::string svg = checked_chart({panel({{"a", values, values}})});
    return count(svg.substr(0, svg.find("class=\"legend\"")), "<path") - 2;  // the grid and the axes
  };
  EXPECT_EQ(marks(1), 1);
  EXPECT_EQ(marks(100), 0);
}

TEST(Plot, TextIsEscaped) {
  const std::string name = "<&\">\x01";
  const Panel odd{name, name, name, false, false, {{name, {1, 2}, {1, 2}}}};
  const std::string svg = svg_chart(name, name, {odd}, 1);
  EXPECT_EQ(xml_error(svg), "");
  EXPECT_EQ(count(legend_of(svg), ">&lt;&amp;&quot;&gt; <"), 1);
  EXPECT_EQ(svg, svg_chart(name, name, {odd}, 1));
}

TEST(Plot, CoordinatesHaveAtMostTwoDecimals) {
  const auto svg = checked_chart({panel({{"a", {1. / 3, 2. / 3, 1. / 7}, {1. / 3, 1. / 9, 1. / 11}}})});
  for (const std::string& points : all_between(svg, "points=\"", "\""))
    for (const std::string& decimals : all_between(points, ".", ","))
      EXPECT_LE(decimals.substr(0, decimals.find(' ')).size(), 2u) << points;
}

}  // namespace
}  // namespace hinge::test
