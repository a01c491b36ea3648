// Coverage of concepts under a length limit: choose pieces of text whose concepts, each
// counted once, weigh most.
//
//   max   sum_c v_c z_c + sum_i s_i x_i        x, z in {0, 1}
//   s.t.  sum_i l_i x_i <= L,   x_i <= x_parent(i),
//         z_c = 1 if and only if all pieces of an occurrence of c are chosen
//
// Gillick and Favre (ILP for NLP 2009), equation 1: pieces are sentences, occurrences
// have one piece. With pieces that hang on others it is the compressive model of
// Berg-Kirkpatrick, Gillick and Klein (ACL 2011): a subtree may be dropped, and a bigram
// across the border of two subtrees needs both. Weights may be negative, as they are in
// training: a negative concept is covered, and paid for, if any chosen piece has it.
//
// The solver presolves, searches depth first with a Lagrangian bound, and hands what the
// search does not finish to Cbc. All limits count nodes, not seconds, so that runs repeat
// to the bit.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/core/arrays.h"

namespace hinge {

inline constexpr std::uint32_t kNoPiece = 0xFFFFFFFF;

struct Piece {
  std::uint32_t length = 0;
  std::uint32_t parent = kNoPiece;  // comes before its children
};

// A concept occurs if both pieces are chosen; most occurrences have one piece twice.
struct Occurrence {
  std::uint32_t id;  // the concept
  std::uint32_t first, second;
};

// What does not change from one set of weights to the next.
template <template <typename> typename Array>
struct CoverageArrays {
  Array<Piece> pieces;
  std::size_t concepts = 0;
  Array<Occurrence> occurrences;
  std::uint32_t limit = 0;

  operator CoverageArrays<Viewed>() const  // NOLINT: the same, elsewhere
      requires std::same_as<Array<int>, Owned<int>> {
    return {pieces, concepts, occurrences, limit};
  }
};
using Coverage = CoverageArrays<Owned>;
using CoverageView = CoverageArrays<Viewed>;

struct CoverageScores {
  std::span<const double> weights;  // [concepts]
  std::span<const double> own;      // [pieces]
};

enum class CoverageMethod {
  kAuto,    // the search, then Cbc if it does not finish
  kCbc,     // Cbc alone
  kGreedy,  // the best gain per length first; not exact
};
// "auto", "cbc" or "greedy".
CoverageMethod parse_coverage_method(std::string_view name);

struct CoverageLimits {
  CoverageMethod method = CoverageMethod::kAuto;
  std::int64_t search_nodes = 20'000;  // of our search
  std::int64_t cbc_nodes = 10'000;
};

struct CoverageSolution {
  std::vector<char> chosen;  // [pieces]
  double value = 0.0;
  double bound = 0.0;  // no choice has a higher value, up to rounding
  bool exact = true;   // value = bound
  std::int64_t nodes = 0;
};

// The value of a choice, whether or not it keeps the limit. `covered` may be null.
double coverage_value(const CoverageView& problem, const CoverageScores& scores, std::span<const char> chosen,
                      std::vector<char>* covered = nullptr);
// Whether a choice keeps the limit and no piece is chosen without its parent.
bool is_feasible(const CoverageView& problem, std::span<const char> chosen);

// Reuses its memory; one per thread.
class CoverageSolver {
 public:
  CoverageSolver();
  ~CoverageSolver();
  CoverageSolver(CoverageSolver&&) noexcept;
  CoverageSolver& operator=(CoverageSolver&&) noexcept;

  // `warm` is a choice to start from, such as the solution for slightly different scores;
  // empty or infeasible ones are ignored. Of equally good choices it is preferred.
  // Interrupts (core/interrupt.h) are noticed within the search and within Cbc.
  const CoverageSolution& solve(const CoverageView& problem, const CoverageScores& scores,
                                const CoverageLimits& limits, std::span<const char> warm = {});

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace hinge
