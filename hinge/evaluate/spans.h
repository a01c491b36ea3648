// Phrases, counted exactly as by conlleval of the CoNLL shared tasks, even if B and
// I are out of order; and correct tokens and sentences.
//
// Beyond conlleval: S- (one-token phrase) and E- before B- close a phrase, as in
// IOBES; and if labels are not phrases (POS tags), every token is one, so that F1
// is accuracy.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/evaluate/confusion.h"
#include "hinge/core/state.h"

namespace hinge {

// A phrase as conlleval sees it: tokens [begin, end).
struct Phrase {
  std::size_t begin, end;
  std::string_view type;
};
std::vector<Phrase> phrases_of(std::span<const std::string_view> labels);

class SpanScorer {
 public:
  // One sentence; both of the same length.
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> system);

  // Adds the counts of another scorer; the order does not matter.
  void add(const SpanScorer& other);
  void visit(State& state);

  std::int64_t sentences() const { return sentences_; }

  // If labels are phrases, the text is that of conlleval, line for line.
  Evaluation evaluate() const;

 private:
  struct Counts {
    std::int64_t gold = 0;
    std::int64_t found = 0;
    std::int64_t correct = 0;

    void add(const Counts& other);
  };
  using ByType = std::map<std::string, Counts, std::less<>>;

  void add_phrases(std::span<const std::string_view> gold, std::span<const std::string_view> system);
  void add_tokens(std::span<const std::string_view> gold, std::span<const std::string_view> system);
  static Scores scores_of(const Counts& counts);
  static Counts total(const ByType& types);
  std::string phrase_text(const ByType& types) const;
  std::string token_text() const;

  ByType phrases_;
  ByType labels_;
  Confusions confusions_;  // of labels
  std::int64_t tokens_ = 0;
  std::int64_t correct_tokens_ = 0;
  std::int64_t sentences_ = 0;
  std::int64_t correct_sentences_ = 0;
  bool phrases_seen_ = false;  // a label such as B-NP, in gold or system
};

}  // namespace hinge
