#include "hinge/tasks/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "hinge/corpus/characters.h"
#include "hinge/evaluate/spans.h"
#include "hinge/tasks/html.h"

namespace hinge {
namespace {

constexpr double kRow = 42;     // between the levels of a tree
constexpr double kGap = 16;     // between words
constexpr double kMargin = 12;  // around a drawing

auto to(std::string& out) { return std::back_inserter(out); }

// About how wide a text is; pages know no fonts before they are shown.
double width_of(std::string_view text, double size) {
  double width = 0.0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const bool wide = character.kind == CharacterKind::kIdeograph || character.kind == CharacterKind::kWideEnd;
    width += wide ? 1.0 : character.kind == CharacterKind::kUpper ? 0.72 : 0.57;
    at += character.length;
  }
  return width * size;
}

constexpr double kWordSize = 15, kTagSize = 11, kLabelSize = 12;

void draw_text(double x, double y, std::string_view style, std::string_view text, std::string& out) {
  if (text.empty()) return;
  fmt::format_to(to(out), "<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}{}>", x, y, style.empty() ? "" : " class=\"", style,
                 style.empty() ? "" : "\"");
  append_html_text(text, out);
  out += "</text>";
}

void open_drawing(double width, double height, std::string& out) {
  fmt::format_to(to(out), "<div class=\"tree\"><svg width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n",
                 width, height);
}

// A margin without a rival is infinite and says nothing.
bool is_shown(const std::optional<double>& score) { return score && std::isfinite(*score); }

std::string text_with(std::string_view label, const std::optional<double>& score) {
  return is_shown(score) ? fmt::format("{} {:.2f}", label, *score) : std::string(label);
}

}  // namespace

void draw_rank(std::size_t rank, double score, std::optional<double> probability, std::string& out) {
  fmt::format_to(to(out), "<p class=\"rank\">rank {}, score {:.4f}", rank, score);
  if (probability) fmt::format_to(to(out), ", probability {:.4g}", *probability);
  out += "</p>\n";
}

namespace {

void draw_phrases(std::span<const DrawnToken> tokens, std::string& out) {
  std::vector<std::string_view> labels;
  for (const DrawnToken& token : tokens) labels.push_back(token.label);
  const std::vector<Phrase> phrases = phrases_of(labels);
  auto next = phrases.begin();
  std::optional<double> lowest;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (t > 0) out += ' ';
    const bool begins = next != phrases.end() && next->begin == t;
    if (begins) {
      fmt::format_to(to(out), "<span class=\"phrase\" style=\"--hue: {}\">", hue_of(tokens[t].number));
      lowest.reset();
    }
    append_html_text(tokens[t].word, out);
    if (next == phrases.end() || t < next->begin) continue;
    if (tokens[t].score) lowest = std::min(lowest.value_or(*tokens[t].score), *tokens[t].score);
    if (t + 1 < next->end) continue;
    out += "<sub>";
    append_html_text(text_with(next->type, lowest), out);
    out += "</sub></span>";
    ++next;
  }
}

}  // namespace

void draw_tags(std::span<const DrawnToken> tokens, bool phrases, std::string& out) {
  out += "<p>";
  if (phrases) {
    draw_phrases(tokens, out);
  } else {
    for (const DrawnToken& token : tokens) {
      fmt::format_to(to(out), "<span class=\"word\" style=\"--hue: {}\">", hue_of(token.number));
      append_html_text(token.word, out);
      out += "<small>";
      append_html_text(token.label, out);
      out += "</small>";
      if (is_shown(token.score)) fmt::format_to(to(out), "<i>{:.2f}</i>", *token.score);
      out += "</span>";
    }
  }
  out += "</p>\n";
}

namespace {

struct Arc {
  std::size_t left, right;  // words from 0
  std::size_t word;         // the dependent
  std::size_t level = 1;
};

// An arc is above all shorter ones that it covers or crosses.
std::vector<Arc> stack_arcs(std::span<const DrawnWord> words) {
  std::vector<Arc> arcs;
  for (std::size_t m = 0; m < words.size(); ++m) {
    const std::size_t head = words[m].head;
    if (head > 0) arcs.push_back({std::min(m, head - 1), std::max(m, head - 1), m});
  }
  std::ranges::stable_sort(arcs, {}, [](const Arc& arc) { return arc.right - arc.left; });
  std::vector<std::size_t> highest(words.size());  // [gap after the word]
  for (Arc& arc : arcs) {
    for (std::size_t gap = arc.left; gap < arc.right; ++gap) arc.level = std::max(arc.level, highest[gap] + 1);
    for (std::size_t gap = arc.left; gap < arc.right; ++gap) highest[gap] = arc.level;
  }
  return arcs;
}

// The middle of each word: words do not touch, and labels fit below their arcs.
std::vector<double> place_words(std::span<const DrawnWord> words, const std::vector<Arc>& arcs) {
  const auto width = [&](std::size_t m) {
    return std::max(width_of(words[m].word, kWordSize), width_of(words[m].tag, kTagSize));
  };
  std::vector<double> steps;  // from the middle of a word to the next
  for (std::size_t m = 0; m + 1 < words.size(); ++m) steps.push_back((width(m) + width(m + 1)) / 2 + kGap);
  for (const Arc& arc : arcs) {  // the shortest first
    const double label = width_of(text_with(words[arc.word].label, words[arc.word].score), kLabelSize) + 26;
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(arc.left);
    const auto last = steps.begin() + static_cast<std::ptrdiff_t>(arc.right);
    const double missing = (label - std::accumulate(first, last, 0.0)) / static_cast<double>(last - first);
    if (missing > 0.0) std::for_each(first, last, [&](double& step) { step += missing; });
  }
  std::vector<double> middle{kMargin + std::max(width(0) / 2, 24.0)};
  for (const double step : steps) middle.push_back(middle.back() + step);
  return middle;
}

void draw_arrow_head(double x, double y, std::string& out) {
  fmt::format_to(to(out), "<path class=\"head\" d=\"M{:.1f} {:.1f}l-3.5 -7h7z\"/>", x, y);
}

}  // namespace

void draw_dependencies(std::span<const DrawnWord> words, std::string& out) {
  if (words.empty()) return;
  constexpr double kStep = 24, kTop = 20, kShift = 6, kRound = 8;
  const std::vector<Arc> arcs = stack_arcs(words);
  const std::vector<double> middle = place_words(words, arcs);
  std::size_t levels = 0;
  for (const Arc& arc : arcs) levels = std::max(levels, arc.level);
  const double ground = kTop + kStep * static_cast<double>(levels + 1);
  open_drawing(middle.back() + std::max(width_of(words.back().word, kWordSize) / 2, 24.0) + kMargin, ground + 40, out);
  for (const Arc& arc : arcs) {
    const double y = ground - kStep * static_cast<double>(arc.level);
    const bool head_left = arc.right == arc.word;
    // Arcs leave a head beside its middle, where its own arc ends.
    const double left = middle[arc.left] + (head_left ? kShift : 0.0);
    const double right = middle[arc.right] - (head_left ? 0.0 : kShift);
    fmt::format_to(to(out), "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}q0 -{4} {4} -{4}H{3:.1f}q{4} 0 {4} {4}V{1:.1f}\"/>", left, ground,
                   y + kRound, right - kRound, kRound);
    draw_arrow_head(middle[arc.word], ground, out);
    const DrawnWord& word = words[arc.word];
    draw_text((left + right) / 2, y - 4, "label", text_with(word.label, word.score), out);
  }
  for (std::size_t m = 0; m < words.size(); ++m) {
    if (words[m].head == 0) {
      fmt::format_to(to(out), "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", middle[m], kTop, ground - 6);
      draw_arrow_head(middle[m], ground, out);
      draw_text(middle[m], kTop - 5, "label", text_with(words[m].label.empty() ? "root" : words[m].label, words[m].score), out);
    }
    draw_text(middle[m], ground + 17, "", words[m].word, out);
    draw_text(middle[m], ground + 32, "tag", words[m].tag, out);
    out += '\n';
  }
  out += "</svg></div>\n";
}

namespace {

struct Place {
  double x = 0.0;
  std::size_t depth = 0;
};

// Words side by side, a phrase above the middle of its first and last child. Children come after
// their parents.
std::vector<Place> place_nodes(const BracketTree& tree) {
  std::vector<Place> places(tree.nodes.size());
  double right = kMargin;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const BracketNode& node = tree.nodes[k];
    if (!node.word && node.next > k + 1) continue;
    const double word = node.word ? width_of(tree.words[node.begin], kWordSize) : 0.0;
    const double width = std::max(word, width_of(node.label, kLabelSize));
    places[k].x = right + width / 2;
    right += width + kGap;
  }
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    for (std::size_t child = k + 1; child < tree.nodes[k].next; child = tree.nodes[child].next)
      places[child].depth = places[k].depth + 1;
  }
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    if (tree.nodes[k].next == k + 1) continue;
    std::size_t last = k + 1;
    for (std::size_t child = k + 1; child < tree.nodes[k].next; child = tree.nodes[child].next) {
      last = child;
    }
    places[k].x = (places[k + 1].x + places[last].x) / 2;
  }
  return places;
}

}  // namespace

void draw_tree(const BracketTree& tree, std::span<const char> marked, std::string& out) {
  if (tree.nodes.empty()) return;
  std::vector<Place> places = place_nodes(tree);
  double left = kMargin, right = 0.0;  // a label above a short word may be wider than the word
  for (std::size_t k = 0; k < places.size(); ++k) {
    const BracketNode& node = tree.nodes[k];
    const double half = std::max(width_of(node.label, kLabelSize), node.word ? width_of(tree.words[node.begin], kWordSize) : 0.0) / 2;
    left = std::min(left, places[k].x - half);
    right = std::max(right, places[k].x + half);
  }
  for (Place& place : places) place.x += kMargin - left;
  const double width = right + 2 * kMargin - left;
  const auto y_of = [&](std::size_t k) { return kMargin + 14 + kRow * static_cast<double>(places[k].depth); };
  double ground = 0.0;  // of the words
  for (std::size_t k = 0; k < places.size(); ++k) ground = std::max(ground, y_of(k) + 22);
  open_drawing(width, ground + 14, out);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const BracketNode& node = tree.nodes[k];
    for (std::size_t child = k + 1; child < node.next; child = tree.nodes[child].next)
      fmt::format_to(to(out), "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", places[k].x, y_of(k) + 5,
                     places[child].x, y_of(child) - 13);
    const bool stands_out = !marked.empty() && marked[k] != 0;
    draw_text(places[k].x, y_of(k), stands_out ? "label differs" : "label", node.label, out);
    if (node.word) {
      if (y_of(k) + 22 < ground)
        fmt::format_to(to(out), "<line class=\"down\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", places[k].x,
                       y_of(k) + 5, ground - 15);
      draw_text(places[k].x, ground, "", tree.words[node.begin], out);
    }
    out += '\n';
  }
  out += "</svg></div>\n";
}

}  // namespace hinge
