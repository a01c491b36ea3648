// The best and the worst label sequence of a chain among those of given label pairs, for
// structured SMO: a few pairs per token, so its time hardly depends on the number of labels.
#pragma once

#include <span>
#include <vector>

#include "hinge/decode/viterbi.h"

namespace hinge {

// The labels of token - 1 and token; `from` is 0 for the first token.
struct LabelPair {
  std::uint32_t token;
  LabelId from, to;
};

// Keeps its memory between calls.
class RestrictedPath {
 public:
  // Fills `path` with the sequence of highest or lowest score all of whose pairs are among
  // `allowed`, sorted by token. Returns false if there is none, or no token.
  bool best(const ChainScores& scores, std::span<const LabelPair> allowed, std::vector<LabelId>& path) {
    return run(scores, allowed, 1.0, path);
  }
  bool worst(const ChainScores& scores, std::span<const LabelPair> allowed, std::vector<LabelId>& path) {
    return run(scores, allowed, -1.0, path);
  }

 private:
  bool run(const ChainScores& scores, std::span<const LabelPair> allowed, double sign,
           std::vector<LabelId>& path);

  std::vector<double> high_;     // [tokens][labels] the highest sign * score of a prefix
  std::vector<LabelId> before_;  // [tokens][labels] the label before, on that prefix
};

}  // namespace hinge
