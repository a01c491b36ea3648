// Why a model decided as it did, in one form for all tasks; `hinge explain` writes it.
#pragma once

#include <string>
#include <vector>

#include "hinge/tasks/system.h"

namespace hinge {

// How much a feature favours what was chosen over its rival.
struct DecisionReason {
  std::string feature;
  double amount;
  std::string chosen = {}, rival = {};  // parts that the feature is about, if these are not the whole
};

struct Decision {
  std::string where;                         // "FILE:LINE", or a place in other input
  std::string item;                          // what it is about: a word, a mention, a text
  std::string chosen, rival;                 // equal: there is no other choice, and then no reasons
  double margin = 0.0;                       // score of what was chosen minus that of the rival
  std::vector<std::string> rival_also = {};  // what else differs if the rival is chosen
  std::vector<DecisionReason> reasons;       // the heaviest first
  // On a web page, in place of the texts of both; may be empty.
  std::string chosen_drawing = {}, rival_drawing = {};
};

// As a few lines of text, one of JSON, or a box of a web page.
void append_decision(const Decision& decision, const ExplainSettings& settings, std::string& out);

// After those of a sentence.
void end_decisions(const ExplainSettings& settings, std::string& out);

// From a task's own list, whose items have a feature and an amount.
template <typename Contributions>
std::vector<DecisionReason> reasons_of(const Contributions& contributions) {
  std::vector<DecisionReason> reasons;
  for (const auto& one : contributions) {
    DecisionReason& reason = reasons.emplace_back(DecisionReason{one.feature, one.amount});
    if constexpr (requires { one.chosen; }) {
      reason.chosen = one.chosen;
      reason.rival = one.rival;
    } else if constexpr (requires { one.label; one.rival; }) {
      reason.chosen = one.label;
      reason.rival = one.rival;
    }
  }
  return reasons;
}

}  // namespace hinge
