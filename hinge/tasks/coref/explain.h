// Why a mention was linked as it was: how much each feature adds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hinge/tasks/coref/model.h"

namespace hinge::coref {

struct Contribution {
  std::string feature;  // "pair m.head=dog a.head=cat"
  double amount;        // its weight, if the chosen antecedent has it and the rival not; or minus that
};

struct Explanation {
  // A span, or none for a new cluster.
  std::optional<Span> chosen, rival;
  double margin = 0.0;                      // score of the chosen one minus that of the rival
  std::vector<Contribution> contributions;  // largest absolute value first, without zeros
};

struct MentionExplanation {
  Span mention;
  Explanation why;
};

// Of all mentions that the model finds, in the order of the text: its choice against the next best.
std::vector<MentionExplanation> explain(const Resolver& resolver, const Document& document);

// The choice for the mention `span`. The default is the model's choice against the next
// best; with `antecedent` that one against the best other choice. Throws InputError if a span is
// no mention, or the antecedent not one of the candidates.
Explanation explain(const Resolver& resolver, const Document& document, const Span& span,
                    const std::optional<Span>& antecedent);

}  // namespace hinge::coref
