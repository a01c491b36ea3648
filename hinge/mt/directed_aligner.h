// The models of one direction, trained by EM: every made word has at most one link.
#pragma once

#include <span>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/mt/alignment.h"
#include "hinge/mt/diagonal.h"
#include "hinge/mt/jumps.h"
#include "hinge/mt/link_posteriors.h"
#include "hinge/mt/translation_table.h"
#include "hinge/mt/word_pairs.h"

namespace hinge::mt {

enum class AlignModel : std::uint8_t { kDiagonal, kJumps };

struct DirectedOptions {
  double null_probability;
  double alpha;
  double tension;
  bool fit_tension;
};

// Memory: 4 bytes per cell and 12 per pair of words, besides those of WordPairs.
class DirectedAligner {
 public:
  // All must outlive the aligner.
  DirectedAligner(const Bitext& text, const WordPairs& pairs, Direction direction,
                  const DirectedOptions& options, Workers& workers);

  // The models share the translation table, so one can start from the other's.
  void use(AlignModel model) { model_ = model; }

  // The E step; returns the log likelihood of the made side.
  double expect();
  // The M step, for the probabilities of the last E step, perhaps changed by the caller.
  void maximize();

  std::vector<float>& links() { return links_; }               // per cell of WordPairs
  std::span<const float> null_words() const { return null_; }  // per token of the made side
  const TranslationTable& table() const { return table_; }
  const Jumps& jumps() const { return jumps_; }
  double tension() const { return tension_; }

  // The most probable link (or none) of each made word, after an E step, which minimizes
  // the expected number of wrong ones.
  Alignment best() const;

 private:
  // The E step's sums over a fixed share of the sentences, merged in order.
  struct Sums {
    double log_likelihood = 0.0;
    double distance = 0.0;
    JumpCounts jumps;
  };
  struct Room;

  void expect_sentence(std::size_t i, Room& room, Sums& sums);
  void gather(std::size_t i, LinkScores& scores) const;
  void scatter(std::size_t i, const LinkScores& scores);
  void fit_tension();

  const Bitext& text_;
  const WordPairs& pairs_;
  Direction direction_;
  DirectedOptions options_;
  Workers& workers_;
  AlignModel model_ = AlignModel::kDiagonal;
  TranslationTable table_;
  TensionCounts tension_counts_;
  double tension_;
  Jumps jumps_;
  Sums sums_;
  std::vector<float> links_;
  std::vector<float> null_;
};

// Sets the links of both directions to their product: the probability that both have a
// link, as if they were independent.
void agree_on(std::span<float> forward, std::span<float> reverse, Workers& workers);

}  // namespace hinge::mt
