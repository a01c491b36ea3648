// Distributed dual ascent: the examples are divided among K shards, which all improve
// their own dual variables at once.
//
//   max_alpha  D(alpha) = sum alpha Delta - 1/2 |w(alpha)|^2 [ - 1/(4C) sum_i m_i^2 ],
//   w(alpha) = sum alpha psi,  m_i = sum_y alpha_iy    (in brackets: L2-loss)
//
// In a round every shard starts from the common w and takes the usual dual steps on its
// own variables. It sees what they do to w, but not what the other shards do: it
// improves a model of D whose quadratic term is block-diagonal (Lee & Chang, Machine
// Learning 2020, section 3; Lee, Chang, Upadhyay & Roth 2015). The result is a
// direction, delta = alpha' - alpha, with d = sum delta psi. D along it,
//
//   D(alpha + t delta) - D(alpha) = t (l - w . d) - t^2 / 2 (c + |d|^2),
//   l = sum delta Delta [ - 1/(2C) sum_i m_i mu_i ],  c = [ 1/(2C) sum_i mu_i^2 ],
//   mu_i = sum_y delta_iy,
//
// is a concave parabola, so the best step is known exactly:
//
//   t = (l - w . d) / (c + |d|^2), but at most the largest feasible step, which is >= 1.
//
// So D never falls, and it is the D of one machine. Shards exchange d and a few numbers
// each, however many examples they have.
//
// Shards that all mend the same fault of w mend it K times, and then the step is short
// for all that they do. So a shard's changes of w count sigma times for itself (sigma'
// of CoCoA+, Ma et al., ICML 2015). If sigma is |d|^2 / sum_k |d_k|^2, d_k the change of
// shard k, the model of D is exact where all shards end. That is known only after
// the round, so the next round learns from it (Overlap).
//
// The shorter the rounds, the sooner shards see what the others did, and the fewer
// epochs are needed; a pass over the examples therefore takes many rounds.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "hinge/core/options.h"
#include "hinge/learn/steps/averaging.h"
#include "hinge/learn/steps/sharded_pass.h"

namespace hinge {

// D along the change of some variables, without its part in w.
struct Ascent {
  double linear = 0.0;                                     // l
  double curvature = 0.0;                                  // c
  double limit = std::numeric_limits<double>::infinity();  // of feasible steps

  void add(const Ascent& other);
};

// An option of all learners with rounds, and its default.
inline constexpr std::int64_t kRound = 128;
inline void describe_round(OptionTable& table, std::int64_t& round) {
  table
      .add("round", round,
           "with shards, examples of all shards per round: fewer need fewer epochs, but more messages")
      .at_least(1)
      .at_most(1e9);
}

// How far the changes of shards overlapped in earlier rounds of one kind.
class Overlap {
 public:
  // For the next round of this many shards: at first all may mend the same fault.
  double sigma(std::size_t shards) const { return last_ > 0.0 ? last_ : static_cast<double>(shards); }
  // After a round with sigma(): |d|^2 and sum |d_k|^2.
  void learn(double squared, double squares, std::size_t shards);
  void visit(State& state) {
    state(last_);
    state.require(last_ >= 0.0);
  }

 private:
  double last_ = 0.0;  // sigma, or 0 before the first round
};

// The dual variables of this rank's shards, as a learner keeps them.
class ShardedDual {
 public:
  virtual ~ShardedDual() = default;
  // Begins a round: steps on the variables of these examples of a shard from w, which follows
  // them sigma times; a thread always gets the same w. May end early by Interrupted, between steps.
  virtual void improve(std::span<const std::uint32_t> examples, double sigma, AveragedWeights& w,
                       Pass& pass) = 0;
  // D along the change of their variables in this round.
  virtual Ascent ascent(std::span<const std::uint32_t> examples) const = 0;
  // Makes that change `step` times as long.
  virtual void move(std::span<const std::uint32_t> examples, double step) = 0;
  // The round is over, and changed the linear part of D so much.
  virtual void ended(double /*change*/) {}
};

// The examples of each of this rank's shards in the order of a pass.
using ShardOrders = std::vector<std::vector<std::uint32_t>>;

class Rounds {
 public:
  Rounds(const Shards& shards, Workers& workers);

  // Rounds of about `length` examples, of all shards together, over the orders, a piece of every shard in
  // each: improve(), the line search, and the step, also in w, always the same. Returns false if the pass was
  // interrupted, on all ranks.
  bool run(ShardedDual& dual, AveragedWeights& w, Overlap& overlap, const ShardOrders& orders,
           std::int64_t length, ShardedPass& pass);

 private:
  // A copy of w, which shards leave as they found it: a round costs what its steps reach, not
  // what all weights are.
  struct Local {
    AveragedWeights w;
    std::uint64_t starts;  // of the original when it was copied
  };

  // What a shard tells the others of its part of a round.
  struct Told {
    Ascent ascent;
    double squared;  // |d_k|^2
    bool stopped;

    void add(const Told& other);
  };

  using Pieces = std::vector<std::span<const std::uint32_t>>;

  AveragedWeights& local(const AveragedWeights& w);
  bool round(ShardedDual& dual, AveragedWeights& w, Overlap& overlap, const Pieces& pieces,
             ShardedPass& pass);
  std::vector<LineVector> improve_all(ShardedDual& dual, const AveragedWeights& w, double sigma,
                                      const Pieces& pieces, ShardedPass& pass);

  const Shards& shards_;
  Workers& workers_;
  PerThread<std::optional<Local>> locals_;
  std::vector<Told> told_;  // [this rank's shards]
  ShardSum sum_;
};

}  // namespace hinge
