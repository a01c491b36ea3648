// What a model sees of bigrams, sentences and cuts: few, real-valued features, each also in
// bins where a line would not do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/tasks/summarize/phrases.h"
#include "hinge/tasks/summarize/text.h"

namespace hinge::summarize {

// A bigram in a topic. Counts include sentences that repeat others.
struct BigramFacts {
  double documents = 0;       // that have it
  double all_documents = 1;   // of the topic
  double most_documents = 1;  // of any bigram in the topic
  double sentences = 0;       // that have it
  double occurrences = 0;
  double first_position = 0;   // of the earliest sentence, 0 to 1 within its document
  double in_first = 0;         // share of its sentences that begin a document
  double stop_words = 0;       // 0 to 2
  double capitals = 0;         // share of its occurrences with a capital inside a sentence
  double word_documents = 0;   // documents with its rarer word
  double sentence_length = 0;  // mean of its sentences, in words
  double affinity = 0;         // Phrases::affinity of the bigram
  double word_affinity = 0;    // mean of its words
};

struct SentenceFacts {
  double words = 0;
  double limit = 1;
  double position = 0;  // 0 to 1 within its document
  bool first = false, last = false;
  double similarity = 0;  // cosine of its words to those of all documents
  double stop_share = 0;
  double first_person = 0;  // share of its words
  double second_person = 0;
  double digits = 0;                                            // share of words
  bool question = false, exclamation = false, leaning = false;  // begins with "and", "it", ...
  double capitals = 0;                                          // share of words all in capitals
  double affinity = 0;                                          // mean Phrases::affinity of its words
  double bigram_affinity = 0;
};

// Weights: those of bigrams, of sentences, of cuts.
struct Layout {
  std::size_t bigrams = 0, sentences = 0, cuts = 0;

  std::size_t piece() const { return sentences + cuts; }  // length of a piece's row
  std::size_t dimension() const { return bigrams + piece(); }
};
Layout layout();
// "bigram:documents", "sentence:length", "cut:coordination", in the order of the weights.
std::vector<std::string> feature_names();

// [weights]: which features are used. "all"; "no-phrases": without those that need Phrases;
// "bigrams": of these, only those of bigrams; "documents": only how many documents have a
// bigram, the unlearned system.
std::vector<char> feature_mask(std::string_view features);

// Append a row each.
void append_row(const BigramFacts& facts, std::vector<float>& rows);
void append_row(const SentenceFacts& facts, std::vector<float>& rows);

// What the text of a sentence shows besides its words.
void look_at(const std::string& text, SentenceFacts& facts);

}  // namespace hinge::summarize
