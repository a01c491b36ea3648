// Decodes every example under fixed weights, in parallel, and passes on the results
// in the order of the examples. Waves bound the memory. Each rank decodes the
// examples of its own shards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/shards.h"
#include "hinge/core/threads.h"
#include "hinge/learn/steps/gradient_bytes.h"

namespace hinge {

// How much the most violated output of an example violates its margin.
struct Violation {
  double loss;
  double margin;
  bool exact;
};

class AllDecoder {
 public:
  AllDecoder(const Task& task, Workers& workers)
      : task_(task), workers_(workers), shards_(shards_of(task)), scratches_(task, workers) {}

  const Shards& shards() const { return shards_; }

  // Calls use(i, cut) for every example of which wanted(i, cut), on every rank; both
  // may change the cut. Returns false early if stop() is true before a wave.
  template <typename Stop, typename Wanted, typename Use>
  bool run(const Weights& w, const Stop& stop, const Wanted& wanted, const Use& use) {
    Communicator& communicator = this_communicator();
    if (communicator.size() == 1) {
      return decode_own(w, stop, [&](std::size_t, std::size_t i, Cut& cut) {
        if (wanted(i, cut)) use(i, cut);
      });
    }
    Bytes mine;
    bool done = false;
    agree_on(communicator, [&] {
      done = decode_own(w, stop, [&](std::size_t, std::size_t i, Cut& cut) {
        if (!wanted(i, cut)) return;
        put_value(std::uint64_t{i}, mine);
        put_cut(cut, mine);
      });
    });
    if (any_rank(communicator, !done)) return false;
    Cut cut;
    for (const Bytes& bytes : communicator.gather(std::exchange(mine, {}))) {
      for (std::span<const std::byte> in(bytes); !in.empty();) {
        const std::size_t i = take_value<std::uint64_t>(in);
        take_cut(in, cut);
        use(i, cut);
      }
    }
    return true;
  }

  // use(shard, i, violation) for every example of this rank's shards, without psi,
  // which then takes no memory. A failure ends it on all ranks.
  template <typename Stop, typename Use>
  void measure(const Weights& w, const Stop& stop, const Use& use) {
    std::vector<Violation> violations(kWave);
    PerThread<Cut> cuts(workers_, [] { return Cut(); });
    agree_on(this_communicator(), [&] {
      each_wave([&](std::size_t shard, std::size_t begin, std::size_t count) {
        stop();
        workers_.each(count, [&](std::size_t k) {
          Cut& cut = cuts.local();
          task_.most_violated(begin + k, w, /*loss_weight=*/1.0, scratches_.local(), cut);
          violations[k] = {cut.loss, cut.margin, cut.exact};
        });
        for (std::size_t k = 0; k < count; ++k) {
          check_violation(violations[k].loss, violations[k].margin, begin + k);
          use(shard, begin + k, violations[k]);
        }
        return true;
      });
    });
  }

  // run() as the decoding of a pass, counted and timed there. False if cancelled.
  template <typename Wanted, typename Use>
  bool run_pass(const Weights& w, Pass& pass, const Wanted& wanted, const Use& use) {
    std::vector<Totals> totals(shards_.mine());
    pass.decoding.start();
    const bool done = run(
        w, [&pass] { return pass.cancelled(); },
        [&](std::size_t i, Cut& cut) {
          count(i, cut, pass, totals);
          return wanted(i, cut);
        },
        use);
    if (done) add_up(totals, pass);
    pass.decoding.stop();
    return done;
  }

  // The pass as a sum of dense vectors over shards: add(cut, vector) adds a cut to
  // that of its shard; the sum takes the place of the zeros in `vector`.
  template <typename Add>
  bool sum_pass(const Weights& w, Pass& pass, ShardSum& sum, Weights& vector, const Add& add) {
    std::vector<Totals> totals(shards_.mine());
    bool done = false;
    pass.decoding.start();
    agree_on(this_communicator(), [&] {
      sum.clear();
      std::size_t shard = shards_.first();
      const auto move_to = [&](std::size_t next) {
        for (; shard < next; ++shard) sum.add(vector);
      };
      done = decode_own(
          w, [&pass] { return pass.cancelled(); },
          [&](std::size_t of, std::size_t i, Cut& cut) {
            move_to(of);
            count(i, cut, pass, totals);
            add(cut, vector);
          });
      if (done) move_to(shards_.last());
    });
    done = !any_rank(this_communicator(), !done);
    if (done) {
      sum.finish(vector);
      add_up(totals, pass);
    }
    pass.decoding.stop();
    return done;
  }

 private:
  static constexpr std::size_t kWave = 256;

  // Of one shard: sums of floats depend on their order.
  struct Totals {
    double loss = 0.0;
    double violation = 0.0;
    std::int64_t examples = 0;
  };

  // body(shard, begin, count) for waves that do not cross shards.
  template <typename Body>
  bool each_wave(const Body& body) const {
    for (std::size_t s = shards_.first(); s < shards_.last(); ++s) {
      for (std::size_t begin = shards_.begin(s); begin < shards_.end(s); begin += kWave) {
        if (!body(s, begin, std::min(kWave, shards_.end(s) - begin))) return false;
      }
    }
    return true;
  }

  template <typename Stop, typename Use>
  bool decode_own(const Weights& w, const Stop& stop, const Use& use) {
    cuts_.resize(kWave);
    return each_wave([&](std::size_t shard, std::size_t begin, std::size_t count) {
      if (stop()) return false;
      workers_.each(count, [&](std::size_t k) {
        task_.most_violated(begin + k, w, /*loss_weight=*/1.0, scratches_.local(), cuts_[k]);
      });
      for (std::size_t k = 0; k < count; ++k) {
        check_cut(cuts_[k], begin + k);
        use(shard, begin + k, cuts_[k]);
      }
      return true;
    });
  }

  void count(std::size_t i, const Cut& cut, Pass& pass, std::vector<Totals>& totals) const {
    Totals& total = totals[shards_.shard_of(i) - shards_.first()];
    ++pass.examples;
    ++total.examples;
    total.loss += cut.loss;
    total.violation += std::max(0.0, cut.violation());
  }

  static void add_up(const std::vector<Totals>& totals, Pass& pass) {
    pass.examples = 0;
    for (const Totals& total : gather_values(this_communicator(), std::span(totals))) {
      pass.examples += total.examples;
      pass.loss += total.loss;
      pass.violation += total.violation;
    }
  }

  const Task& task_;
  Workers& workers_;
  Shards shards_;
  ScratchPool scratches_;
  std::vector<Cut> cuts_;
};

}  // namespace hinge
