// The sentences of a topic as words, each perhaps with parts that can be left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hinge/corpus/brackets.h"
#include "hinge/corpus/sentences.h"
#include "hinge/evaluate/rouge.h"
#include "hinge/tasks/summarize/memory.h"
#include "hinge/tasks/summarize/trees.h"

namespace hinge::summarize {

// Words are split, stemmed and compared as ROUGE does.
struct Sentence {
  // A part that may be dropped if its parent is kept. Part 0 is what always stays.
  struct Part {
    std::uint32_t parent = 0;
    std::uint32_t kinds = 0;   // bits of the kinds of subtree in cuts.h
    std::uint32_t length = 0;  // words between white space, as people count them
  };

  std::uint32_t document = 0;
  std::uint32_t position = 0;  // in its document, from 0
  std::uint32_t siblings = 1;  // sentences in its document
  std::string text;
  std::vector<std::uint64_t> words;   // stems
  std::vector<std::uint8_t> is_stop;  // [words]
  std::vector<std::uint8_t> capital;  // [words]: begins with one, inside the sentence
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

// Reads topics; one per thread.
class TopicSplitter {
 public:
  // Plain sentences get trees from `trees`, which must outlive it; null: none.
  TopicSplitter(const TextOptions& options, const TreeMaker* trees)
      : options_(options), reader_(RougeOptions{}) {
    if (trees != nullptr && options.compress) trees_.emplace(*trees);
  }
  // Throws InputError if a tree is malformed.
  TopicText split(const Topic& topic);

 private:
  void add_plain(std::string_view text, Sentence& sentence);
  void add_tree(const BracketTree& tree, Sentence& sentence);
  void add_words(std::string_view text, std::uint32_t part, Sentence& sentence);

  TextOptions options_;
  RougeReader reader_;
  std::optional<TreeMaker::Workspace> trees_;
  std::vector<TextRange> ranges_;
};

// A tree of a topic, by the numbers of its document and there; false if it is empty. Throws
// InputError if it is malformed.
bool parse_tree(const Topic& topic, std::size_t document, std::size_t number, BracketTree& tree);

// Calls use(word) for the words of a text as ROUGE reads them: runs of ASCII letters and digits.
template <typename Use>
void each_rouge_word(std::string_view text, const Use& use) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > at) use(text.substr(at, end - at));
    at = end + 1;
  }
}

// The kept parts of a sentence as text; all of it if everything is kept.
std::string text_of(const Sentence& sentence, std::span<const char> kept_parts);

}  // namespace hinge::summarize
