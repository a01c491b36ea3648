#include "hinge/tasks/coref/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "hinge/core/error.h"

namespace hinge::coref {
namespace {

// Words as people count them: from 1, the last included.
std::size_t mention_at(const DocumentData& data, const Span& span) {
  for (std::size_t m = 0; m < data.size(); ++m) {
    if (data.set.mentions[m].span == span) return m;
  }
  fail<InputError>("words {} to {} are no mention here; give the words of one that the model finds",
                   span.begin + 1, span.end);
}

std::size_t choice_of(const DocumentData& data, std::size_t m, const Span& antecedent) {
  const auto candidates = data.candidates_of(m);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (data.set.mentions[candidates[c].mention].span == antecedent) return c;
  }
  fail<InputError>(
      "words {} to {} are no possible antecedent of this mention; give an earlier mention within the window",
      antecedent.begin + 1, antecedent.end);
}

std::size_t best_but(const std::vector<float>& scores, std::size_t excluded) {
  std::size_t best = excluded;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (c != excluded && (best == excluded || scores[c] > scores[best])) best = c;
  }
  return best;
}

}  // namespace

Explanation explain(const Resolver& resolver, const Document& document, const Span& span,
                    const std::optional<Span>& antecedent) {
  const Plan& plan = resolver.plan();
  const DocumentData data = resolver.data_of(document);
  const std::size_t m = mention_at(data, span);
  Scorer scorer(plan.templates, plan.layout);
  scorer.prepare(data);
  scorer.weigh(resolver.weights().data());
  std::vector<float> scores;
  scorer.score(m, resolver.weights().data(), scores);
  const std::size_t chosen = antecedent ? choice_of(data, m, *antecedent) : best_but(scores, scores.size());
  const std::size_t rival = best_but(scores, chosen);
  const auto candidates = data.candidates_of(m);
  const auto span_of = [&](std::size_t choice) -> std::optional<Span> {
    if (choice >= candidates.size()) return std::nullopt;
    return data.set.mentions[candidates[choice].mention].span;
  };
  Explanation of{.chosen = span_of(chosen), .rival = span_of(rival), .margin = 0.0, .contributions = {}};
  if (chosen == rival) return of;  // the first mention has no other choice
  std::map<std::string, double> amounts;
  const auto add = [&](std::size_t choice, double sign) {
    const auto& templates = choice < candidates.size() ? plan.templates.pairs : plan.templates.starts;
    const auto use = [&](std::size_t t, Key key) {
      const double amount = sign * static_cast<double>(resolver.weights()[plan.layout.id(key)]);
      amounts[templates[t].source] += amount;
      of.margin += amount;
    };
    choice < candidates.size() ? scorer.each_pair_key(m, candidates[choice], use)
                               : scorer.each_start_key(m, use);
  };
  add(chosen, 1.0);
  add(rival, -1.0);
  for (const auto& [name, amount] : amounts) {
    if (amount != 0.0) of.contributions.push_back({name, amount});
  }
  std::ranges::stable_sort(of.contributions, std::greater(),
                           [](const Contribution& c) { return std::abs(c.amount); });
  return of;
}

}  // namespace hinge::coref
