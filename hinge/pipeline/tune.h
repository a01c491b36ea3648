// The tuning loop: decode with some weights, merge the n-best list with those of
// all rounds before, learn weights from the merged lists, decode with these
// (Och, ACL 2003).
//
// All lies in one folder, so that a loop that was killed goes on where it was,
// to the same result:
//
//   runK.weights                what the decoder was given in iteration K
//   runK.nbest, .nbest.gz       what it answered
//   runK.out, runK.log          what it printed, and its messages
//   runK.merged                 the lists of the iterations up to K, of the last
//                               one only; a cache as in corpus/nbest/cache.h
//   state.json                  the settings, and what came of each iteration
//
// An iteration decodes and learns; the last one only decodes, so that every
// weights have been tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/pipeline/decoder.h"
#include "hinge/pipeline/job.h"

namespace hinge {

struct TuneSettings {
  std::string folder = "tune.work";
  std::string source;  // a sentence a line, as many as there are references
  std::int64_t iterations = 15;
  double tolerance = 0.001;  // see Iteration::change
  double few = 0.002;        // share of new hypotheses below which, twice running, the loop ends
  double step = 1.0;         // how far to go from the old weights to the learned (Hopkins and May's Psi)
  bool restart = false;      // forget what the folder holds
  // Names and values of whatever else the result depends on, beyond the options
  // of task and learner: a loop can be resumed only where all are the same.
  std::vector<std::pair<std::string, std::string>> identity;
};

struct Iteration {
  std::uint64_t fresh = 0;       // hypotheses that no iteration before had
  std::uint64_t hypotheses = 0;  // in the merged lists
  double decoded = 0.0;          // score of the first hypotheses of the decoder's lists
  // Where it has learned: the score of the learned weights on the merged lists,
  // and by how much they differ from those decoded with: the largest difference
  // of a weight over the larger norm of the two.
  std::optional<double> learned;
  std::optional<double> change;
};

enum class TuneStop { kNot, kNothingNew, kFewNew, kSmallChange, kIterations, kInterrupted };

// Sees the training of each iteration, too.
class TuneObserver : public JobObserver {
 public:
  // `score` is its name: bleu, ..., cost; `done` is not empty where a loop is resumed.
  virtual void begins(const std::string& score, const std::vector<Iteration>& done) = 0;
  virtual void decodes(std::int64_t iteration) = 0;
  virtual void learns(std::int64_t iteration) = 0;
  virtual void iteration_done(std::int64_t iteration, const Iteration& what, TuneStop stop) = 0;
};

struct TuneResult {
  std::vector<Iteration> history;
  TuneStop stop = TuneStop::kNot;
  std::size_t best = 0;  // the iteration whose decoder scored best, from 1; the first of equals
  std::string folder;
  std::string merged;  // path of all lists

  std::string weights(std::size_t iteration) const;  // path of those it was decoded with
};

// `job` must be of task rerank, with references or a cost; it is run on the
// merged lists of every iteration. The model or file of weights it begins from
// is what the first iteration decodes with; without any, an empty file. Throws
// Error if the decoder fails or its lists cannot be used; iterations done stay done.
TuneResult tune(const TuneSettings& settings, Job& job, const Decoder& decoder, Workers& workers,
                TuneObserver& observer);

// A model with the weights of an iteration.
std::string tuned_model(const TuneResult& result, std::size_t iteration, Job& job, Workers& workers);

}  // namespace hinge
