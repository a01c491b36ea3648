#include "hinge/learn/dual/rounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "hinge/core/gradient.h"
#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

struct Products {
  double along_w = 0.0;  // w . d
  double squared = 0.0;  // |d|^2
};

// Sums per place in a line, so that they need no order within it.
Products products(const Weights& w, const LineVector& d) {
  std::array<double, kLine> along_w{}, squared{};
  d.each_line(w.size(), [&](std::size_t first, const float* values, auto count) {
    for (std::size_t k = 0; k < count; ++k) {
      along_w[k] += static_cast<double>(w[first + k]) * values[k];
      squared[k] += static_cast<double>(values[k]) * values[k];
    }
  });
  return {std::reduce(along_w.begin(), along_w.end()), std::reduce(squared.begin(), squared.end())};
}

double squared_norm(const LineVector& d) {
  std::array<double, kLine> sums{};
  for (std::size_t n = 0; n < d.lines().size(); ++n) {
    const float* values = d.values(n);
    for (std::size_t k = 0; k < kLine; ++k) sums[k] += static_cast<double>(values[k]) * values[k];
  }
  return std::reduce(sums.begin(), sums.end());
}

// The highest point of t slope - t^2 / 2 bend.
double best_step(double slope, double bend, double limit) {
  if (!(slope > 0.0)) return 0.0;
  if (!(bend > 0.0)) return 1.0;
  return std::min(slope / bend, limit);
}

}  // namespace

void Ascent::add(const Ascent& other) {
  linear += other.linear;
  curvature += other.curvature;
  limit = std::min(limit, other.limit);
}

void Overlap::learn(double squared, double squares, std::size_t shards) {
  // Too small a sigma costs more than too large a one, so it leans that way. The
  // geometric mean with the last one keeps it from swinging. On CoNLL-2000, with
  // 64 to 256 examples per round, no fixed sigma did better for all learners.
  constexpr double kCaution = 1.2;
  if (!(squares > 0.0)) return;
  const double most = static_cast<double>(shards);
  last_ = std::clamp(kCaution * std::sqrt(sigma(shards) * squared / squares), 1.0, most);
}

void Rounds::Told::add(const Told& other) {
  ascent.add(other.ascent);
  squared += other.squared;
  stopped |= other.stopped;
}

Rounds::Rounds(const Shards& shards, Workers& workers)
    : shards_(shards),
      workers_(workers),
      locals_(workers, [] { return std::nullopt; }),
      told_(shards.mine()),
      sum_(shards) {}

AveragedWeights& Rounds::local(const AveragedWeights& w) {
  std::optional<Local>& local = locals_.local();
  if (!local) {
    local.emplace(Local{AveragedWeights(w.current().size(), Averaging::kNone), w.starts()});
    local->w.start_from(w.current());
    local->w.track_changes();
  } else if (local->starts != w.starts()) {
    local->w.start_from(w.current());
    local->starts = w.starts();
  }
  return local->w;
}

std::vector<LineVector> Rounds::improve_all(ShardedDual& dual, const AveragedWeights& w, double sigma,
                                            const Pieces& pieces, ShardedPass& pass) {
  std::vector<LineVector> changes(shards_.mine());
  pass.each(workers_, [&](std::size_t s, Pass& part) {
    AveragedWeights& copy = local(w);
    try {
      dual.improve(pieces[s], sigma, copy, part);
    } catch (const Interrupted&) {  // keep the steps so far
    }
    changes[s] = copy.take_change(w.current(), 1.0 / sigma);
    told_[s] = {
        .ascent = dual.ascent(pieces[s]), .squared = squared_norm(changes[s]), .stopped = pass.stopped()};
  });
  return changes;
}

bool Rounds::round(ShardedDual& dual, AveragedWeights& w, Overlap& overlap, const Pieces& pieces,
                   ShardedPass& pass) {
  pass.whole().decoding.start();  // includes the shards' steps
  std::vector<LineVector> changes = improve_all(dual, w, overlap.sigma(shards_.count()), pieces, pass);
  pass.whole().decoding.stop();
  pass.whole().updating.start();
  for (LineVector& change : changes) sum_.add(std::move(change));
  const LineVector direction = sum_.finish();
  Told all{};
  for (const Told& shard : gather_values(this_communicator(), std::span<const Told>(told_))) all.add(shard);
  const auto [along_w, squared] = products(w.current(), direction);
  const Ascent& ascent = all.ascent;
  const double step = best_step(ascent.linear - along_w, ascent.curvature + squared, ascent.limit);
  workers_.each(shards_.mine(), [&](std::size_t s) { dual.move(pieces[s], step); });
  w.add(step, direction);
  locals_.each([&](std::optional<Local>& copy) { copy->w.copy_lines(w.current(), direction); });
  w.end_step();
  dual.ended(step * ascent.linear);
  overlap.learn(squared, all.squared, shards_.count());
  pass.whole().updating.stop();
  return !all.stopped;
}

bool Rounds::run(ShardedDual& dual, AveragedWeights& w, Overlap& overlap, const ShardOrders& orders,
                 std::int64_t length, ShardedPass& pass) {
  const std::size_t examples = shards_.end(shards_.count() - 1);
  const std::size_t whole = static_cast<std::size_t>(length);
  const std::size_t rounds = std::max<std::size_t>(1, (examples + whole - 1) / whole);
  Pieces pieces(orders.size());
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t s = 0; s < orders.size(); ++s) {
      const std::size_t begin = share_begin(orders[s].size(), r, rounds);
      pieces[s] = std::span(orders[s]).subspan(begin, share_begin(orders[s].size(), r + 1, rounds) - begin);
    }
    if (!round(dual, w, overlap, pieces, pass)) return false;
  }
  return true;
}

}  // namespace hinge
