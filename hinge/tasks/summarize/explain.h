// Which concepts earned a sentence its place.
#pragma once

#include <string>
#include <vector>

#include "hinge/tasks/summarize/model.h"

namespace hinge::summarize {

struct Contribution {
  std::string bigram;  // as it first stands in the sentence
  double amount;       // its score
  bool shared;         // another chosen sentence has it, too
};

struct SentenceExplanation {
  SummarySentence sentence;
  double own = 0.0;                         // the score of its own features
  double loss = 0.0;                        // what the summary would lose without it
  std::vector<Contribution> contributions;  // largest absolute value first
};

// For every sentence of the topic's summary.
std::vector<SentenceExplanation> explain(const Summarizer& summarizer, const Topic& topic,
                                         Summarizer::Workspace& workspace);

}  // namespace hinge::summarize
