#include "hinge/decode/coverage.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/decode/coverage_cbc.h"
#include "hinge/decode/coverage_presolve.h"
#include "hinge/decode/coverage_search.h"

namespace hinge {

CoverageMethod parse_coverage_method(std::string_view name) {
  if (name == "cbc") return CoverageMethod::kCbc;
  if (name == "greedy") return CoverageMethod::kGreedy;
  if (name != "auto") fail<OptionError>("there is no solver '{}'; there are: auto, cbc, greedy", name);
  return CoverageMethod::kAuto;
}

double coverage_value(const CoverageView& problem, const CoverageScores& scores, std::span<const char> chosen,
                      std::vector<char>* covered) {
  std::vector<char> own;
  std::vector<char>& seen = covered != nullptr ? *covered : own;
  seen.assign(problem.concepts, 0);
  double value = 0.0;
  for (std::size_t i = 0; i < problem.pieces.size(); ++i) value += chosen[i] != 0 ? scores.own[i] : 0.0;
  for (const Occurrence& occurrence : problem.occurrences) {
    if (chosen[occurrence.first] == 0 || chosen[occurrence.second] == 0 || seen[occurrence.id] != 0) continue;
    seen[occurrence.id] = 1;
    value += scores.weights[occurrence.id];
  }
  return value;
}

bool is_feasible(const CoverageView& problem, std::span<const char> chosen) {
  if (chosen.size() != problem.pieces.size()) return false;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] == 0) continue;
    const Piece& piece = problem.pieces[i];
    if (piece.parent != kNoPiece && chosen[piece.parent] == 0) return false;
    length += piece.length;
  }
  return length <= problem.limit;
}

struct CoverageSolver::Memory {
  CoveragePresolver presolver;
  CoverageSearch search;
  Incumbent best;
  CoverageSolution solution;

  void start_from(const CoverageView& problem, const CoverageScores& scores, std::span<const char> warm,
                  const ReducedCoverage& reduced);
};

CoverageSolver::CoverageSolver() : memory_(std::make_unique<Memory>()) {}
CoverageSolver::~CoverageSolver() = default;
CoverageSolver::CoverageSolver(CoverageSolver&&) noexcept = default;
CoverageSolver& CoverageSolver::operator=(CoverageSolver&&) noexcept = default;

// Takes the warm start if it is at least as good as the incumbent and has no piece that was
// presolved away.
void CoverageSolver::Memory::start_from(const CoverageView& problem, const CoverageScores& scores,
                                        std::span<const char> warm, const ReducedCoverage& reduced) {
  if (!is_feasible(problem, warm)) return;
  const double value = coverage_value(problem, scores, warm);
  if (value < best.value) return;
  std::size_t kept = 0;
  for (const std::uint32_t i : reduced.original) kept += warm[i] != 0;
  if (kept != static_cast<std::size_t>(std::ranges::count_if(warm, [](char c) { return c != 0; }))) return;
  best.value = value;
  for (std::size_t k = 0; k < reduced.pieces(); ++k) best.chosen[k] = warm[reduced.original[k]];
}

const CoverageSolution& CoverageSolver::solve(const CoverageView& problem, const CoverageScores& scores,
                                              const CoverageLimits& limits, std::span<const char> warm) {
  Memory& m = *memory_;
  const ReducedCoverage& reduced = m.presolver.reduce(problem, scores);
  m.search.start(reduced);
  m.search.greedy(m.best);
  m.start_from(problem, scores, warm, reduced);
  CoverageSolution& solution = m.solution;
  solution.nodes = 0;
  solution.bound = m.search.fit_multipliers(m.best.value);
  solution.exact = solution.bound <= m.best.value;
  if (!solution.exact && limits.method == CoverageMethod::kAuto)
    solution.exact = m.search.run(limits.search_nodes, m.best, solution.nodes);
  if (!solution.exact && limits.method != CoverageMethod::kGreedy && limits.cbc_nodes > 0) {
    const CbcResult cbc = solve_by_cbc(reduced, limits.cbc_nodes, m.best);
    solution.exact = cbc.complete;
    solution.bound = std::min(solution.bound, cbc.bound);
    solution.nodes += cbc.nodes;
  }
  solution.chosen.assign(problem.pieces.size(), 0);
  for (std::size_t k = 0; k < reduced.pieces(); ++k) solution.chosen[reduced.original[k]] = m.best.chosen[k];
  solution.value = coverage_value(problem, scores, solution.chosen);
  solution.bound = solution.exact ? solution.value : std::max(solution.bound, solution.value);
  return solution;
}

}  // namespace hinge
