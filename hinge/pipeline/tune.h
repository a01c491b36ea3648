// The tuning loop: decode, merge the n-best lists with those of all earlier rounds,
// learn weights from the merged lists, decode with these (Och, ACL 2003).
//
// All files are in one folder, so that a killed loop can be resumed, with the same
// result:
//
//   runK.weights                the weights the decoder was given in iteration K
//   runK.nbest, .nbest.gz       its n-best lists
//   runK.out, runK.log          what it printed, and its messages
//   runK.pieceP...              while pieces of the source are decoded: see decoding.h
//   runK.merged                 the lists of all iterations up to K, for the last K
//                               only; a cache as in corpus/nbest/cache.h
//   state.json                  the settings, and the results of each iteration
//
// An iteration decodes and learns; the last one only decodes, so that all weights
// have been tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/pipeline/decoder.h"
#include "hinge/pipeline/job.h"

namespace hinge {

struct TuneSettings {
  std::string folder = "tune.work";
  std::string source;                      // one sentence per line, as many as references
  std::vector<NamedWeight> first_weights;  // to decode with if the job starts from nothing
  std::size_t processes = 1;               // pieces of the source that are decoded at once; see decoding.h
  std::int64_t iterations = 15;
  double tolerance = 0.001;  // see Iteration::change
  double few = 0.002;        // stop if the share of new hypotheses is below this twice running
  double step = 1.0;         // how far to go from the old to the learned weights (Hopkins and May's Psi)
  bool restart = false;      // discard what the folder holds
  // Names and values of everything else the result depends on, besides the options
  // of task and learner: a loop can be resumed only if all are the same.
  std::vector<std::pair<std::string, std::string>> identity;
};

struct Iteration {
  std::uint64_t fresh = 0;       // hypotheses that no earlier iteration had
  std::uint64_t hypotheses = 0;  // in the merged lists
  double decoded = 0.0;          // score of the first hypotheses of the decoder's lists
  // If it has learned: the score of the learned weights on the merged lists, and
  // their change from the weights decoded with: the largest difference of a weight
  // over the larger norm of the two.
  std::optional<double> learned;
  std::optional<double> change;
  // Also then, except with PRO: the scores on the merged lists of what the task's
  // options would make win and lose under the learned weights.
  std::optional<double> oracle;
  std::optional<double> prediction;
};

enum class TuneStop { kNot, kNothingNew, kFewNew, kSmallChange, kIterations, kInterrupted };

// Also observes the training of each iteration.
class TuneObserver : public JobObserver {
 public:
  // `score` is its name: bleu, ..., cost; `done` is not empty if a loop is resumed.
  virtual void begins(const std::string& score, const std::vector<Iteration>& done) = 0;
  virtual void decodes(std::int64_t iteration) = 0;
  virtual void learns(std::int64_t iteration) = 0;
  virtual void iteration_done(std::int64_t iteration, const Iteration& what, TuneStop stop) = 0;
};

struct TuneResult {
  std::vector<Iteration> history;
  TuneStop stop = TuneStop::kNot;
  std::size_t best = 0;  // the iteration with the best decoder score, from 1; the first if tied
  std::string folder;
  std::string merged;  // path of all lists

  std::string weights(std::size_t iteration) const;  // path of the weights it decoded with
};

// `job` must be of task rerank, with references or a cost; it is run on the merged
// lists of every iteration. The first iteration decodes with the model or weights
// file that the job starts from, or else with first_weights, which may be none. Throws
// Error if the decoder fails or its lists cannot be used; completed iterations are kept.
TuneResult tune(const TuneSettings& settings, Job& job, const Decoder& decoder, Workers& workers,
                TuneObserver& observer);

// A model with the weights of an iteration.
std::string tuned_model(const TuneResult& result, std::size_t iteration, Job& job, Workers& workers);

}  // namespace hinge
