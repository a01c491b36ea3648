// Scores a summarizer on topics with references, and summaries already written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/evaluate/rouge.h"
#include "hinge/tasks/source.h"
#include "hinge/tasks/summarize/model.h"
#include "hinge/tasks/summarize/options.h"

namespace hinge::summarize {

struct TopicScore {
  RougeScores rouge;
  double recall = 0.0;  // of bigrams, in percent
  double words = 0.0;
};

// Scores summaries against the references of their topics; one per thread.
class TopicScorer {
 public:
  TopicScorer(const ScoreOptions& options, Lines lines)
      : options_(options.rouge()), lines_(lines), reader_(options_) {}

  // One sentence per line.
  TopicScore score(const Topic& topic, std::string_view summary);
  TopicScore score(const Topic& topic, std::span<const SummarySentence> summary);

 private:
  RougeOptions options_;
  Lines lines_;
  RougeReader reader_;
};

// ROUGE-2 F1 first; means over topics.
Evaluation evaluation_of(const std::vector<TopicScore>& scores);

Evaluation evaluate_summarizer(const Summarizer& summarizer, const Source& source,
                               const ScoreOptions& options, Workers& workers);

// Summaries as `hinge predict` writes them, or any JSON lines with "summary" (and perhaps
// "id"), against the references of the same topics in the same order.
Evaluation evaluate_files(const std::string& gold, const std::string& system,
                          const SummarizeOptions& options);

}  // namespace hinge::summarize
