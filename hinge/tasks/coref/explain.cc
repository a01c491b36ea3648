#include "hinge/tasks/coref/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "hinge/core/error.h"
#include "hinge/tasks/coref/names.h"

namespace hinge::coref {
namespace {

// Words as people count them: from 1, the last included.
std::size_t mention_at(const DocumentView& data, const Span& span) {
  for (std::size_t m = 0; m < data.size(); ++m) {
    if (data.set.mentions[m].span == span) return m;
  }
  fail<InputError>("words {} to {} are no mention here; give the words of one that the model finds",
                   span.begin + 1, span.end);
}

std::size_t choice_of(const DocumentView& data, std::size_t m, const Span& antecedent) {
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

// What the features of one choice add to its score, by name.
class Parts {
 public:
  Parts(const Resolver& resolver, const Document& document, const DocumentView& data, Scorer& scorer)
      : plan_(resolver.plan()), weights_(resolver.weights()), data_(data), scorer_(scorer) {
    texts_.add(tokens_of(document, plan_.columns), data.set);
  }

  void add(std::size_t m, std::size_t choice, double sign) {
    const auto candidates = data_.candidates_of(m);
    const Candidate* candidate = choice < candidates.size() ? &candidates[choice] : nullptr;
    const auto use = [&](std::size_t kind, Key key) {
      const FeatureId id = plan_.layout.id(key);
      if (id == Layout::kNone || weights_[id] == 0.0f) return;
      find_values(plan_.templates, kind, data_, m, candidate, texts_, values_);
      amounts_[feature_text(plan_.templates, kind, values_)] += sign * static_cast<double>(weights_[id]);
    };
    if (candidate != nullptr) return scorer_.each_pair_key(m, *candidate, use);
    scorer_.each_start_key(m, [&](std::size_t t, Key key) { use(start_kind(plan_.templates, t), key); });
  }

  void copy_to(Explanation& of) const {
    for (const auto& [name, amount] : amounts_) {
      if (amount == 0.0) continue;  // both choices have it
      of.margin += amount;
      of.contributions.push_back({name, amount});
    }
    std::ranges::stable_sort(of.contributions, std::greater(),
                             [](const Contribution& c) { return std::abs(c.amount); });
  }

 private:
  const Plan& plan_;
  std::span<const float> weights_;
  const DocumentView& data_;
  Scorer& scorer_;
  ValueTexts texts_;
  std::vector<std::string> values_;
  std::map<std::string, double> amounts_;
};

// The choices in one document.
class Choices {
 public:
  Choices(const Resolver& resolver, const Document& document)
      : resolver_(resolver),
        document_(document),
        own_(resolver.data_of(document)),
        data_(own_),
        scorer_(resolver.plan().templates, resolver.plan().layout) {
    scorer_.prepare(data_);
    scorer_.weigh(resolver.weights().data());
  }

  const DocumentView& data() const { return data_; }

  Explanation explain(std::size_t m, const std::optional<Span>& antecedent) {
    scorer_.score(m, resolver_.weights().data(), scores_);
    const std::size_t chosen =
        antecedent ? choice_of(data_, m, *antecedent) : best_but(scores_, scores_.size());
    const std::size_t rival = best_but(scores_, chosen);
    Explanation of{
        .chosen = span_of(m, chosen), .rival = span_of(m, rival), .margin = 0.0, .contributions = {}};
    if (chosen == rival) return of;  // the first mention has no other choice
    Parts parts(resolver_, document_, data_, scorer_);
    parts.add(m, chosen, 1.0);
    parts.add(m, rival, -1.0);
    parts.copy_to(of);
    return of;
  }

 private:
  std::optional<Span> span_of(std::size_t m, std::size_t choice) const {
    const auto candidates = data_.candidates_of(m);
    if (choice >= candidates.size()) return std::nullopt;
    return data_.set.mentions[candidates[choice].mention].span;
  }

  const Resolver& resolver_;
  const Document& document_;
  DocumentData own_;
  DocumentView data_;
  Scorer scorer_;
  std::vector<float> scores_;
};

}  // namespace

std::vector<MentionExplanation> explain(const Resolver& resolver, const Document& document) {
  Choices choices(resolver, document);
  std::vector<MentionExplanation> all;
  for (std::size_t m = 0; m < choices.data().size(); ++m)
    all.push_back({choices.data().set.mentions[m].span, choices.explain(m, std::nullopt)});
  return all;
}

Explanation explain(const Resolver& resolver, const Document& document, const Span& span,
                    const std::optional<Span>& antecedent) {
  Choices choices(resolver, document);
  return choices.explain(mention_at(choices.data(), span), antecedent);
}

}  // namespace hinge::coref
