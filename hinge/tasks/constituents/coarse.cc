#include "hinge/tasks/constituents/coarse.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hinge::constituents {

RuleModel RuleModel::estimate(const Grammar& grammar, std::span<const double> rules,
                              std::span<const double> roots) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  std::vector<double> totals(grammar.symbols());
  for (std::size_t r = 0; r < rules.size(); ++r) totals[grammar.rules()[r].parent] += rules[r];
  RuleModel model;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const double total = totals[grammar.rules()[r].parent];
    model.rules.push_back(rules[r] > 0.0 ? static_cast<float>(std::log(rules[r] / total)) : kNever);
  }
  double all = 0.0;
  for (const double count : roots) all += count;
  for (const double count : roots)
    model.roots.push_back(count > 0.0 ? static_cast<float>(std::log(count / all)) : kNever);
  return model;
}

CoarseModel::CoarseModel(const Grammar& grammar, const RuleModel& rules, TagModel tags)
    : tags_(std::move(tags)) {
  grammar_.symbols = grammar.symbols();
  grammar_.tags = grammar.tags();
  for (std::size_t s = 0; s < grammar.symbols(); ++s)
    is_phrase_.push_back(s >= grammar.tags() && !grammar.is_partial(static_cast<Symbol>(s)));
  for (std::size_t r = 0; r < grammar.rules().size(); ++r) {
    const Rule& rule = grammar.rules()[r];
    const float p = std::exp(rules.rules[r]);
    if (p == 0.0f) continue;
    const bool unary = rule.right == kNoSymbol;
    (unary ? grammar_.unary : grammar_.rules).push_back({rule.parent, rule.left, unary ? 0u : rule.right, p});
  }
  std::ranges::stable_sort(grammar_.rules, {}, &CkyRule::parent);
  for (const float root : rules.roots) grammar_.root.push_back(std::exp(root));
}

void CoarseModel::prune(std::span<const std::string_view> words, std::span<const Symbol> given,
                        float threshold, Workspace& workspace, std::vector<Item>& items,
                        std::vector<Symbol>& tags) const {
  const std::size_t n = words.size(), T = grammar_.tags;
  workspace.tag_scores.resize(n * T);
  workspace.ratios.resize(n * T);
  for (std::size_t i = 0; i < n; ++i) {
    const auto scores = std::span(workspace.tag_scores).subspan(i * T, T);
    tags_.probabilities(words[i], scores);
    if (!given.empty() && given[i] != kNoSymbol) {
      std::ranges::fill(scores, 0.0f);
      scores[given[i]] = 1.0f;
    }
    for (std::size_t t = 0; t < T; ++t)
      workspace.ratios[i * T + t] =
          scores[t] / static_cast<float>(tags_.prior(static_cast<std::uint16_t>(t)));
  }
  items.clear();
  tags.assign(n, 0);
  workspace.best.assign(n, 0.0f);
  workspace.phrases.assign((n + 1) * (n + 1), 0.0f);
  const auto see_tag = [&](std::size_t tag, std::size_t i, float p) {
    if (p <= workspace.best[i]) return;
    workspace.best[i] = p;
    tags[i] = static_cast<Symbol>(tag);
  };
  if (workspace.chart.fill(grammar_, n, workspace.ratios)) {
    workspace.chart.each_likely(
        threshold, [&](std::size_t symbol, std::size_t begin, std::size_t end, float p) {
          items.push_back({static_cast<Symbol>(symbol), static_cast<std::uint16_t>(begin),
                           static_cast<std::uint16_t>(end)});
          if (symbol < T) see_tag(symbol, begin, p);
          if (is_phrase_[symbol]) workspace.phrases[begin * (n + 1) + end] += p;
        });
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (workspace.best[i] > 0.0f) continue;
    const auto scores = std::span(workspace.tag_scores).subspan(i * T, T);
    for (std::size_t t = 0; t < T; ++t) {
      see_tag(t, i, scores[t]);
      if (scores[t] > 0.0f)
        items.push_back(
            {static_cast<Symbol>(t), static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i + 1)});
    }
  }
  std::ranges::sort(items, Item::before);
}

}  // namespace hinge::constituents
