// Sets of documents with their summaries, in memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/tasks/source.h"

namespace hinge::summarize {

// UTF-8, in one of three forms: text, which is split; sentences; or trees (Penn brackets, one
// per sentence), whose words are the text.
struct Document {
  std::string name;
  std::string text;
  std::vector<std::string> trees;
  std::vector<std::string> sentences = {};
};

struct Topic {
  std::string id;
  std::vector<Document> documents;
  std::vector<std::string> references;
  std::string where = {};  // "file:line"; begins messages
};

// Throws InputError "topic 3: ..." if a text is not UTF-8.
struct Topics final : MemoryData {
  explicit Topics(std::vector<Topic> given);
  std::size_t examples() const override { return topics.size(); }

  std::vector<Topic> topics;
};

}  // namespace hinge::summarize
