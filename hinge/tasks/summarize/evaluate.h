// Scores a summarizer on topics with references, and summaries already written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/evaluate/rouge.h"
#include "hinge/tasks/source.h"
#include "hinge/tasks/summarize/data.h"
#include "hinge/tasks/summarize/options.h"

namespace hinge::summarize {

class Summarizer;

struct TopicScore {
  RougeScores rouge;
  double recall = 0.0;  // of bigrams, in percent
  double words = 0.0;
};

// A choice of pieces against the references of the topic.
TopicScore score_choice(const TopicText& text, const TopicData& data, std::span<const char> chosen,
                        const RougeOptions& options);

// ROUGE-2 F1 first; means over topics.
Evaluation evaluation_of(const std::vector<TopicScore>& scores);

Evaluation evaluate_summarizer(const Summarizer& summarizer, const Source& source,
                               const ScoreOptions& options, Workers& workers);

// Summaries as `hinge predict` writes them, or any JSON lines with "summary" (and perhaps
// "id"), against the references of the same topics in the same order.
Evaluation evaluate_files(const std::string& gold, const std::string& system,
                          const SummarizeOptions& options);

}  // namespace hinge::summarize
