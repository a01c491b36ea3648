#include "hinge/mt/aligner.h"

#include <fmt/core.h>

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

// The model of one direction, as it is trained.
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
    start(model);
    for (std::int64_t k = 0; k < iterations; ++k) {
      expect();
      maximize();
    }
  }

  void start(AlignModel model) {
    model_ = model;
    iteration_ = 0;
    aligner_.use(model);
  }
  void expect() { log_likelihood_ = aligner_.expect(); }
  void maximize() {
    aligner_.maximize();
    ++iteration_;
    if (progress_)
      progress_({direction_, model_ == AlignModel::kDiagonal ? "ibm2" : "hmm", iteration_,
                 std::exp(-log_likelihood_ / words_), aligner_.tension()});
  }
  std::vector<float>& links() { return aligner_.links(); }

  Alignment best() {
    expect();
    return aligner_.best();
  }

 private:
  Direction direction_;
  double words_;
  const AlignProgress& progress_;
  DirectedAligner aligner_;
  AlignModel model_ = AlignModel::kDiagonal;
  std::int64_t iteration_ = 0;
  double log_likelihood_ = 0.0;
};

// Liang, Taskar, Klein (NAACL 2006), section 3.2: both directions are trained on the
// product of their link probabilities. Jumps and null words are each direction's own.
void agree(Training& forward, Training& reverse, AlignModel model, std::int64_t iterations,
           Workers& workers) {
  forward.start(model);
  reverse.start(model);
  for (std::int64_t k = 0; k < iterations; ++k) {
    forward.expect();
    reverse.expect();
    agree_on(forward.links(), reverse.links(), workers);
    forward.maximize();
    reverse.maximize();
  }
}

}  // namespace

std::string text_of(const AlignStep& step) {
  return fmt::format("aligning  {} {} iteration {}  perplexity {:.2f}", step.model,
                     step.direction == Direction::kForward ? "forward" : "reverse", step.iteration,
                     step.perplexity);
}

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
  table.add("agree", agree, "train both directions together, on links they agree on (then align_alpha=0 is best); takes more memory");
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
  const auto make = [&](Direction direction) {
    return Training(text, pairs, direction, options, workers, progress);
  };
  const bool jumps = options.aligner == "hmm";
  if (options.agree) {
    Training forward = make(Direction::kForward), reverse = make(Direction::kReverse);
    agree(forward, reverse, AlignModel::kDiagonal, options.align_iterations, workers);
    if (jumps) agree(forward, reverse, AlignModel::kJumps, options.hmm_iterations, workers);
    return symmetrize(forward.best(), reverse.best(), text, how);
  }
  const auto align_direction = [&](Direction direction) {
    Training training = make(direction);
    training.run(AlignModel::kDiagonal, options.align_iterations);
    if (jumps) training.run(AlignModel::kJumps, options.hmm_iterations);
    return training.best();
  };
  const Alignment forward = align_direction(Direction::kForward);
  if (how == Symmetrization::kSource) return forward;
  return symmetrize(forward, align_direction(Direction::kReverse), text, how);
}

}  // namespace hinge::mt
