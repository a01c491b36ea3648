#include "hinge/tasks/constituents/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "hinge/core/error.h"
#include "hinge/tasks/constituents/feature_texts.h"

namespace hinge::constituents {
namespace {

std::string part_name(const Grammar& grammar, const ParseForest& forest, const Item& head,
                      std::uint32_t edge) {
  const std::uint32_t rule = forest.rules[edge];
  std::string name;
  if (head.symbol == kNoSymbol) {
    name = fmt::format("root {}", grammar.name(forest.nodes[forest.forest.edges[edge].left].symbol));
  } else if (rule == kNone) {
    name = grammar.name(head.symbol);
  } else {
    name = rule_text(grammar, rule);
  }
  return head.end == head.begin + 1 ? fmt::format("{} over word {}", name, head.begin + 1)
                                    : fmt::format("{} over words {}-{}", name, head.begin + 1, head.end);
}

}  // namespace

std::vector<Reason> explain(const Parser& parser, std::size_t rank, Parser::Workspace& workspace) {
  if (!parser.has_grammar())
    fail<OptionError>("reasons are known for models with a grammar; this one was trained with grammar=none");
  const auto [best, other] = parser.edges_of(0, rank, workspace);
  TreeDecoder& decoder = parser.decoder(workspace);
  const ParseForest& forest = decoder.forest();
  FeatureTexts texts(parser.plan());
  texts.start(decoder.scorer().text());
  std::vector<Reason> reasons;
  const auto add = [&](std::uint32_t edge, double sign) {
    const Item& head = forest.nodes[decoder.head_of(edge)];
    const std::string part = part_name(parser.plan().grammars.fine, forest, head, edge);
    double named = 0.0;
    decoder.scorer().each_named(forest, decoder.head_of(edge), edge, texts,
                                [&](const FeatureName& name, FeatureId id, float value) {
                                  const double weight = static_cast<double>(value) * parser.weights()[id];
                                  named += weight;
                                  if (weight == 0.0) return;
                                  reasons.push_back(
                                      {part, (name.of_rule ? "rule: " : "") + name.input(), sign * weight});
                                });
    if (parser.plan().network.hidden > 0)
      reasons.push_back({part, "network", sign * (decoder.scores()[edge] - named)});
  };
  for (const std::uint32_t edge : best) {
    if (std::ranges::find(other, edge) == other.end()) add(edge, 1.0);
  }
  for (const std::uint32_t edge : other) {
    if (std::ranges::find(best, edge) == best.end()) add(edge, -1.0);
  }
  std::ranges::stable_sort(reasons, std::ranges::greater(),
                           [](const Reason& r) { return std::abs(r.weight); });
  return reasons;
}

}  // namespace hinge::constituents
