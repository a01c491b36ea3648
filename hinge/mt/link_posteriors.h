// The probability of each link of one sentence pair, by either model.
//
// Symbols: m made words, each made by one of n given words or by none (null).
#pragma once

#include <span>
#include <vector>

#include "hinge/mt/jumps.h"

namespace hinge::mt {

// Translation probabilities in, probabilities of links out. One per thread, reused.
struct LinkScores {
  std::size_t m = 0;
  std::size_t n = 0;
  std::vector<float> translation;       // [m][n]: P(made word | given word)
  std::vector<float> null_translation;  // [m]: P(made word | null)
  std::vector<float> link;              // [m][n]: P(made word j is linked to given word i)
  std::vector<float> null;              // [m]: P(it has no link); sums to 1 with the row of j

  void resize(std::size_t made, std::size_t given);
};

// The first model: links are independent, near the diagonal. Dyer, Chahuneau, Smith
// (NAACL 2013), section 2.
struct DiagonalSums {
  double log_likelihood;
  double distance;  // the expected sum of diagonal_distance
};
DiagonalSums diagonal_posteriors(double null_probability, double tension, LinkScores& scores);

// The second model: a hidden Markov model whose state is the given word of the last
// linked word, by forward-backward in probability space, each column scaled to sum 1.
// Null words as in Och and Ney (Computational Linguistics 2003), section 2.1.2: they keep the
// state, so the next jump starts from there.
class JumpChain {
 public:
  explicit JumpChain(double null_probability) : null_probability_(static_cast<float>(null_probability)) {}

  // Returns the log likelihood; adds the expected jumps to `counts`.
  double posteriors(const Jumps& jumps, LinkScores& scores, JumpCounts& counts);

 private:
  void reset(const Jumps& jumps, const LinkScores& scores);
  double forward(const LinkScores& scores);
  void backward(LinkScores& scores);
  void count_jumps(const LinkScores& scores, JumpCounts& counts);

  float null_probability_;
  std::vector<float> to_;       // [n + 1 states][n]: P(not null) P(jump from state to word)
  std::vector<float> from_;     // [n][n + 1]: the same, transposed
  std::vector<float> state_;    // [m + 1][n + 1]: P(state after j words | those words)
  std::vector<float> scale_;    // [m]: P(word j | words before)
  std::vector<float> later_;    // [n + 1]: P(words after j | state) / P(they | words until j)
  std::vector<float> earlier_;  // the same at j - 1
  std::vector<float> arrival_;  // [n]: what a jump to each word at j is worth
  std::vector<float> jumped_;   // [n + 1][n]: sum over j of state * arrival
};

}  // namespace hinge::mt
