// Sets of documents to summarize, one topic after the other:
//
//   a file     JSON lines: {"id": ..., "docs": [text, ...], "refs": [text, ...]}
//              A document may be an object, too, in "documents": {"name", "text"},
//              {"name", "sentences": [text, ...]}, or {"name", "trees": ["(S ...)", ...]}
//              with a tree per sentence.
//   a folder   TOPIC/docs/* and TOPIC/refs/*, a file per document and reference; or the
//              layout of Opinosis: topics/NAME.txt.data with a document per line, and
//              summaries-gold/NAME/* with a reference per file
//
// References may be missing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hinge/corpus/text_source.h"
#include "hinge/tasks/rereadable.h"
#include "hinge/tasks/summarize/memory.h"

namespace hinge::summarize {

enum class Encoding { kUtf8, kLatin1 };
Encoding parse_encoding(std::string_view name);

class TopicReader {
 public:
  // The encoding is that of a folder's files; JSON is UTF-8. The source must outlive it.
  TopicReader(const Source& source, Encoding encoding);

  // False at the end. Throws InputError naming file and line.
  bool next(Topic& topic);
  std::size_t line() const { return lines_ ? lines_->number() : 0; }  // of the last topic in a file
  const std::string& name() const { return name_; }

 private:
  bool read(Topic& topic);
  std::string where() const;  // of the last topic: "file:line", "folder/topic", "name: topic 3"
  void list_folder(const std::string& path);
  Topic read_folder(const std::string& topic) const;
  Topic read_opinosis(const std::string& file) const;
  std::string text_of(const std::string& path) const;

  std::string name_;
  Encoding encoding_;
  std::shared_ptr<const Topics> memory_;
  std::optional<LineReader> lines_;
  std::vector<std::string> paths_;  // of a folder's topics
  bool opinosis_ = false;
  std::size_t next_ = 0;  // of memory or paths
};

// Calls use(topics) for all topics in order, some at a time. Throws InputError if there are none, or one
// lacks references where they are needed.
void each_topics(const Source& source, Encoding encoding, bool need_references,
                 const Rereadable<Topic>::Use& use);
std::vector<Topic> read_topics(const Source& source, Encoding encoding, bool need_references);

// A topic from one JSON object; `where` begins messages.
Topic parse_topic(std::string_view line, const std::string& where);

}  // namespace hinge::summarize
