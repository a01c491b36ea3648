// The sentences of a topic as words, each perhaps with parts that can be left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/corpus/sentences.h"
#include "hinge/evaluate/rouge.h"
#include "hinge/tasks/summarize/memory.h"

namespace hinge::summarize {

// Words are counted, stemmed and compared as ROUGE does.
struct Sentence {
  // A part that may be dropped if its parent is kept. Part 0 is what always stays.
  struct Part {
    std::uint32_t parent = 0;
    std::uint32_t kinds = 0;  // bits of the kinds of subtree in cuts.h
  };

  std::uint32_t document = 0;
  std::uint32_t position = 0;  // in its document, from 0
  std::uint32_t siblings = 1;  // sentences in its document
  std::string text;
  std::vector<std::uint64_t> words;   // stems
  std::vector<std::uint8_t> is_stop;  // [words]
  std::vector<std::uint32_t> part;    // [words]
  std::vector<Part> parts{1};
  std::vector<std::string> leaves;       // of a tree
  std::vector<std::uint32_t> leaf_part;  // [leaves]
};

struct TopicText {
  std::string id;
  std::vector<std::string> documents;  // names
  std::vector<Sentence> sentences;     // with at least a word each
  std::vector<RougeText> references;
};

struct TextOptions {
  Lines lines = Lines::kWrapped;
  bool compress = false;  // find parts in trees
};

// Reads topics; one per thread. `where` begins messages about trees.
class TopicSplitter {
 public:
  explicit TopicSplitter(const TextOptions& options) : options_(options), reader_(RougeOptions{}) {}
  TopicText split(const Topic& topic, const std::string& where);

 private:
  void add_tree(const std::string& tree, const std::string& where, Sentence& sentence);
  void add_words(std::string_view text, std::uint32_t part, Sentence& sentence);

  TextOptions options_;
  RougeReader reader_;
  std::vector<TextRange> ranges_;
};

// The kept parts of a sentence as text; all of it if everything is kept.
std::string text_of(const Sentence& sentence, std::span<const char> kept_parts);

}  // namespace hinge::summarize
