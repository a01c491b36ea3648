#include "hinge/mt/aligner.h"

#include <cmath>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/mt/directed_aligner.h"
#include "hinge/mt/symmetrize.h"
#include "hinge/mt/word_pairs.h"

namespace hinge::mt {
namespace {

constexpr double kFirstTension = 4.0;  // as in Dyer, Chahuneau, Smith 2013

void check_lengths(const Side& side) {
  for (std::size_t i = 0; i < side.sentences(); ++i)
    if (side.sentence(i).size() > std::numeric_limits<std::uint16_t>::max())
      fail<InputError>("sentence {} has {} words, but at most {} can be aligned; leave it out", i + 1,
                       side.sentence(i).size(), std::numeric_limits<std::uint16_t>::max());
}

class Training {
 public:
  Training(const Bitext& text, const WordPairs& pairs, Direction direction, const AlignOptions& options,
           Workers& workers, const AlignProgress& progress)
      : direction_(direction),
        words_(static_cast<double>(made_side(text, direction).tokens.size())),
        progress_(progress),
        aligner_(text, pairs, direction,
                 {options.null_probability, options.align_alpha, kFirstTension, /*fit_tension=*/true},
                 workers) {}

  void run(AlignModel model, std::int64_t iterations) {
    aligner_.use(model);
    for (std::int64_t k = 1; k <= iterations; ++k) {
      const double log_likelihood = aligner_.expect();
      aligner_.maximize();
      if (progress_)
        progress_({direction_, model == AlignModel::kDiagonal ? "ibm2" : "hmm", k,
                   std::exp(-log_likelihood / words_), aligner_.tension()});
    }
  }

  Alignment best() {
    aligner_.expect();
    return aligner_.best();
  }

 private:
  Direction direction_;
  double words_;
  const AlignProgress& progress_;
  DirectedAligner aligner_;
};

}  // namespace

void AlignOptions::describe(OptionTable& table) {
  table
      .add("aligner", aligner,
           "ibm2: links near the diagonal; hmm: jumps from link to link, starting from ibm2's table")
      .one_of({"ibm2", "hmm"});
  table.add("align_iterations", align_iterations, "iterations of ibm2").at_least(1);
  table.add("hmm_iterations", hmm_iterations, "iterations of hmm").at_least(1);
  table.add("null_probability", null_probability, "probability that a word has no link")
      .above(0)
      .at_most(0.99);
  table
      .add("align_alpha", align_alpha,
           "prior count of each translation of a word, for variational Bayes; 0: maximum likelihood")
      .at_least(0);
  table
      .add("symmetrize", symmetrize,
           "how both directions are combined; source: links that make target words only")
      .one_of(symmetrization_names());
}

Alignment align(const Bitext& text, const AlignOptions& options, Workers& workers,
                const AlignProgress& progress) {
  check_lengths(text.source);
  check_lengths(text.target);
  const Symmetrization how = symmetrization_by_name(options.symmetrize);
  const WordPairs pairs = number_pairs(text, workers);
  const auto align_direction = [&](Direction direction) {
    Training training(text, pairs, direction, options, workers, progress);
    training.run(AlignModel::kDiagonal, options.align_iterations);
    if (options.aligner == "hmm") training.run(AlignModel::kJumps, options.hmm_iterations);
    return training.best();
  };
  const Alignment forward = align_direction(Direction::kForward);
  if (how == Symmetrization::kSource) return forward;
  return symmetrize(forward, align_direction(Direction::kReverse), text, how);
}

}  // namespace hinge::mt
