// ROUGE: how much of the reference summaries a candidate summary has, in words that
// follow each other (Lin, "ROUGE: a package for automatic evaluation of summaries", 2004).
//
//   ROUGE-1, -2   words and bigrams, each counted at most as often as in the reference
//   ROUGE-L       the longest common subsequence of the whole texts (section 3.1)
//   ROUGE-Lsum    for every reference sentence, the union of its longest common
//                 subsequences with the candidate's sentences (section 3.2)
//   ROUGE-SU4     words, and pairs of words with at most four words between them (section 5)
//
// Words, ROUGE-1, -2, -L and -Lsum are those of PyPI's rouge-score 0.1.2. What it lacks
// (SU4, stop words, the word limit, summed references) follows the script ROUGE-1.5.5.
//
// A text is read once into hashes of its n-grams; scoring merges sorted lists. Equal
// hashes count as equal words: of a million words, two are confused with a chance of 3e-8.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/evaluate/precision_recall.h"

namespace hinge {

enum class RougeType : std::uint8_t { kOne, kTwo, kL, kLsum, kSu4 };
inline constexpr std::size_t kRougeTypes = 5;
std::string_view rouge_name(RougeType type);  // "rouge1", ..., "rougeLsum", "rougeSU4"

enum class RougeReferences : std::uint8_t {
  kAverage,     // the mean of precision, recall and F1 over the references
  kBest,        // the reference with the highest F1, as rouge-score
  kBestRecall,  // the reference with the highest recall, as ROUGE-1.5.5 -f B
  kSummed,      // matches and lengths summed over the references, as ROUGE-1.5.5 -f A
};

struct RougeOptions {
  bool stem = true;                // words longer than three letters
  bool remove_stop_words = false;  // before stemming
  // 0, or how many words of a candidate count. A word is what stands between white space.
  std::size_t word_limit = 0;
  bool limit_references = false;  // ROUGE-1.5.5 -l cuts the references as well
  RougeReferences references = RougeReferences::kAverage;
  // The mean over all sets that leave out one reference (section 2.1; with kBest this is
  // the paper's). Makes scores comparable with those of a reference against the others.
  bool jackknife = false;
};

// A text ready for scoring. Read with the same options, texts can be compared.
struct RougeText {
  std::vector<std::uint64_t> words;          // hashes of the stems
  std::vector<std::uint8_t> is_stop;         // [words]
  std::vector<std::uint32_t> sentence_ends;  // ends in `words`
  // Sorted, with repetitions.
  std::vector<std::uint64_t> unigrams;
  std::vector<std::uint64_t> bigrams;
  std::vector<std::uint64_t> skip_bigrams;  // and words, for SU4
};

// The hash of two words that follow each other.
constexpr std::uint64_t bigram_key(std::uint64_t first, std::uint64_t second) {
  return (first << 23 | first >> 41) + second;
}

// Turns text into words: runs of ASCII letters and digits, in lower case. Has a buffer,
// so use one per thread; all give the same words.
class RougeReader {
 public:
  explicit RougeReader(const RougeOptions& options) : options_(options) {}

  // A line of the text is a sentence.
  RougeText candidate(std::string_view text);
  RougeText reference(std::string_view text);
  // The sentences are taken as they are.
  RougeText candidate(std::span<const std::string_view> sentences);
  RougeText reference(std::span<const std::string_view> sentences);

 private:
  RougeText read(std::span<const std::string_view> sentences, std::size_t word_limit);
  void read_sentence(std::string_view sentence, RougeText& text);
  void end_word(RougeText& text);

  RougeOptions options_;
  std::string word_;
};

// Percentages. Without references, or if a text is empty: zeros. Thread-safe.
PrecisionRecall rouge(RougeType type, const RougeText& candidate, std::span<const RougeText> references,
                      const RougeOptions& options = {});

using RougeScores = std::array<PrecisionRecall, kRougeTypes>;
RougeScores rouge(const RougeText& candidate, std::span<const RougeText> references,
                  const RougeOptions& options = {});

// Means over the texts of a corpus.
class RougeCorpus {
 public:
  void add(const RougeScores& scores) { texts_.push_back(scores); }

  std::size_t size() const { return texts_.size(); }
  const RougeScores& text(std::size_t i) const { return texts_[i]; }
  RougeScores means() const;
  RougeScores standard_errors() const;  // of the means; 0 for fewer than two texts
  // Scores: F1 of ROUGE-2, -1, -L, -Lsum and -SU4. The detail has precision, recall, F1 and
  // the standard error of F1 of each.
  Evaluation evaluate() const;

 private:
  std::vector<RougeScores> texts_;
};

// The share of the references' bigrams that a candidate has. Bigrams are sets: repeating
// one earns nothing, so the sum over the bigrams a summary covers is its recall.
//
//   recall(Y) = sum_k |Y and R_k| / sum_k |R_k|
//
// Bigrams do not cross the ends of sentences.
class BigramRecall {
 public:
  // If `drop_stop_bigrams`, bigrams of two stop words do not count.
  BigramRecall(std::span<const RougeText> references, bool drop_stop_bigrams);

  // How many references have the bigram; 0 for most.
  std::uint32_t count(std::uint64_t bigram) const;
  std::uint64_t total() const { return total_; }  // sum_k |R_k|

  double recall(const RougeText& candidate) const;  // in percent

  // Sorted, without repetitions.
  static std::vector<std::uint64_t> bigrams_of(const RougeText& text, bool drop_stop_bigrams);

 private:
  bool drop_stop_bigrams_;
  std::vector<std::uint64_t> bigrams_;  // sorted
  std::vector<std::uint32_t> counts_;   // [bigrams]
  std::uint64_t total_ = 0;
};

}  // namespace hinge
