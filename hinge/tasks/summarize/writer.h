// Summaries as JSON lines, with the origins of their sentences.
#pragma once

#include <string>

#include "hinge/tasks/summarize/explain.h"
#include "hinge/tasks/summarize/model.h"

namespace hinge::summarize {

// {"id", "summary", "words", "sentences": [{"document", "sentence", "text"}, ...]}, numbers from
// 1. With scores also "score", "exact" and "bound".
void append_summary(const Topic& topic, const Summary& summary, bool scores, std::string& out);

}  // namespace hinge::summarize
