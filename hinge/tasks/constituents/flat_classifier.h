// The second auxiliary classifier of Taskar et al. (2004, section 6): does a phrase
// cover just these words? It looks at one span at a time, at its words and tags. Theirs
// is a maximum entropy model; this one counts (naive Bayes), so it needs no training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/files/bytes.h"

namespace hinge::constituents {

class FlatClassifier {
 public:
  FlatClassifier();

  void count(std::span<const Key> keys, bool phrase);
  void add(const FlatClassifier& other);

  // How much the keys speak for a phrase, from 0 to kGrades - 1.
  std::uint8_t grade(std::span<const Key> keys) const;
  static constexpr std::uint8_t kGrades = 8;

  void write(ByteWriter& out) const;
  static FlatClassifier load(ByteReader& in);

 private:
  struct Counts {
    float yes = 0.0f, no = 0.0f;
  };
  std::vector<Counts> counts_;  // hashed
  Counts all_;
};

// What the auxiliary classifiers say of a span: the grade of the flat one, and the
// probability of a phrase under the generative model.
inline std::uint8_t auxiliary(std::uint8_t grade, float probability) {
  const int sure = probability < 0.01f  ? 0
                   : probability < 0.1f ? 1
                   : probability < 0.5f ? 2
                   : probability < 0.9f ? 3
                                        : 4;
  return static_cast<std::uint8_t>(grade * 8 + sure);
}

}  // namespace hinge::constituents
