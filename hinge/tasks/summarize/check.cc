#include "hinge/tasks/summarize/check.h"

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "hinge/tasks/summarize/text.h"

namespace hinge::summarize {
namespace {

constexpr FindingKind kKinds[] = {
    {"no-reference", Severity::kError, "topics without a reference summary", "give at least one"},
    {"empty-document", Severity::kWarning, "documents without words", "leave them out"},
    {"empty-reference", Severity::kWarning, "references without words", "leave them out"},
    {"long-reference", Severity::kWarning, "references at least as long as all documents of their topic",
     "check that documents and references are not exchanged"},
};
constexpr const FindingKind& kNoReference = kKinds[0];
constexpr const FindingKind& kEmptyDocument = kKinds[1];
constexpr const FindingKind& kEmptyReference = kKinds[2];
constexpr const FindingKind& kLongReference = kKinds[3];

std::size_t add_words(std::string_view text, Key& key) {
  std::size_t words = 0;
  each_word(text, [&](std::string_view word) {
    key = combine(key, hash_text(word));
    ++words;
  });
  return words;
}

std::size_t add_words(const Topic& topic, std::size_t d, Key& key) {
  const Document& document = topic.documents[d];
  std::size_t words = add_words(document.text, key);
  for (const std::string& sentence : document.sentences) words += add_words(sentence, key);
  BracketTree tree;
  for (std::size_t t = 0; t < document.trees.size(); ++t) {
    if (!parse_tree(topic, d, t, tree)) continue;
    for (const std::string_view word : tree.words) words += add_words(word, key);
  }
  return words;
}

void check_topic(const Topic& topic, std::size_t line, CorpusCheck& check) {
  Key input = 1;
  std::size_t words = 0;
  for (std::size_t d = 0; d < topic.documents.size(); ++d) {
    const std::size_t more = add_words(topic, d, input);
    if (more == 0) check.find(kEmptyDocument, line, "document {} of topic '{}'", d + 1, shown(topic.id));
    words += more;
  }
  Key gold = 1;
  for (std::size_t r = 0; r < topic.references.size(); ++r) {
    const std::size_t length = add_words(topic.references[r], gold);
    if (length == 0) {
      check.find(kEmptyReference, line, "reference {} of topic '{}'", r + 1, shown(topic.id));
    } else if (length >= words) {
      check.find(kLongReference, line, "reference {} of topic '{}': {} words, the documents {}", r + 1,
                 shown(topic.id), length, words);
    }
  }
  if (topic.references.empty()) check.find(kNoReference, line, "topic '{}'", shown(topic.id));
  check.example({.line = line, .text = topic.id, .input = input, .gold = gold, .length = words});
}

}  // namespace

void check_topics(const Source& source, Encoding encoding, CorpusCheck& check) {
  check.name({"topics", "words"});
  TopicReader reader(source, encoding);
  for (bool more = true; more;) {
    try {
      Topic topic;
      more = reader.next(topic);
      if (more) check_topic(topic, reader.line(), check);
    } catch (const InputError& error) {
      check.refuse(error);
    }
  }
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::summarize
