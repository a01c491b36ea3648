#include "hinge/decode/coverage_cbc.h"

#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <exception>

#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

// Remembers an interrupt, as exceptions must not pass through Cbc.
struct Stop {
  std::exception_ptr error;

  bool asked() {
    if (error) return true;
    try {
      check_interrupt();
    } catch (...) {
      error = std::current_exception();
    }
    return error != nullptr;
  }
};

class NodeWatch final : public CbcEventHandler {
 public:
  explicit NodeWatch(Stop& stop) : stop_(&stop) {}
  CbcAction event(CbcEvent) override { return stop_->asked() ? CbcEventHandler::stop : noAction; }
  CbcEventHandler* clone() const override { return new NodeWatch(*this); }

 private:
  Stop* stop_;
};

// The same within one linear program, which may take long.
class StepWatch final : public ClpEventHandler {
 public:
  explicit StepWatch(Stop& stop) : stop_(&stop) {}
  int event(Event event) override {
    constexpr int kGoOn = -1, kStop = 5;
    return event == endOfIteration && stop_->asked() ? kStop : kGoOn;
  }
  ClpEventHandler* clone() const override { return new StepWatch(*this); }

 private:
  Stop* stop_;
};

// Minimizes the negative value. Columns are pieces, then concepts, then pairs.
class Program {
 public:
  explicit Program(const ReducedCoverage& problem) : problem_(problem), rows_(false, 0.0, 0.0) {
    for (std::size_t i = 0; i < problem.pieces(); ++i) objective_.push_back(-problem.score[i]);
    for (const double weight : problem.weight) objective_.push_back(-weight);
    covers_.resize(problem.weight.size());
    for (std::uint32_t i = 0; i < problem.pieces(); ++i) add_piece(i);
    for (std::size_t c = 0; c < covers_.size(); ++c) {
      if (problem.weight[c] > 0.0) add_row(covers_[c], -COIN_DBL_MAX, 0.0);
    }
    CoinPackedVector lengths;
    for (int i = 0; i < static_cast<int>(problem.pieces()); ++i) lengths.insert(i, problem.length[i]);
    add_row(lengths, -COIN_DBL_MAX, problem.limit);
    rows_.setDimensions(-1, static_cast<int>(objective_.size()));
  }

  void load(OsiClpSolverInterface& solver) const {
    const std::vector<double> zeros(objective_.size(), 0.0), ones(objective_.size(), 1.0);
    solver.loadProblem(rows_, zeros.data(), ones.data(), objective_.data(), low_.data(), high_.data());
    // Concepts and pairs follow: given the pieces, the best value of each is whole.
    for (int i = 0; i < static_cast<int>(problem_.pieces()); ++i) solver.setInteger(i);
  }

  // The values of all columns for a choice of pieces.
  std::vector<double> columns_of(std::span<const char> chosen) const {
    std::vector<double> columns(objective_.size(), 0.0);
    std::ranges::copy(chosen, columns.begin());
    for (std::size_t i = 0; i < problem_.pieces(); ++i) {
      for (const auto& [id, other] : problem_.links_of(i)) {
        if (chosen[i] != 0 && chosen[other] != 0) columns[problem_.pieces() + id] = 1.0;
      }
    }
    for (const Pair& pair : pairs_)
      columns[static_cast<std::size_t>(pair.column)] = chosen[pair.a] * chosen[pair.b];
    return columns;
  }

 private:
  struct Pair {
    std::uint32_t a, b;
    int column;
  };

  void add_row(const CoinPackedVector& row, double low, double high) {
    rows_.appendRow(row);
    low_.push_back(low);
    high_.push_back(high);
  }
  void add_difference(int small, int large) {  // small <= large
    CoinPackedVector row;
    row.insert(small, 1.0);
    row.insert(large, -1.0);
    add_row(row, -COIN_DBL_MAX, 0.0);
  }

  void add_piece(std::uint32_t i) {
    const int piece = static_cast<int>(i);
    if (problem_.parent[i] != kNoPiece) add_difference(piece, static_cast<int>(problem_.parent[i]));
    for (const auto& [id, other] : problem_.links_of(i)) {
      if (other < i) continue;  // the other half adds the pair
      const int column = other == i ? piece : add_pair(i, other, problem_.weight[id] > 0.0);
      add_cover(id, column);
    }
  }
  // A positive concept needs an occurrence, a negative one cannot avoid any.
  void add_cover(std::uint32_t id, int column) {
    const int target = static_cast<int>(problem_.pieces() + id);
    if (problem_.weight[id] < 0.0) return add_difference(column, target);
    if (covers_[id].getNumElements() == 0) covers_[id].insert(target, 1.0);
    covers_[id].insert(column, -1.0);
  }
  int add_pair(std::uint32_t a, std::uint32_t b, bool positive) {
    const int column = static_cast<int>(objective_.size());
    objective_.push_back(0.0);
    pairs_.push_back({a, b, column});
    if (positive) {
      add_difference(column, static_cast<int>(a));
      add_difference(column, static_cast<int>(b));
      return column;
    }
    CoinPackedVector row;
    row.insert(static_cast<int>(a), 1.0);
    row.insert(static_cast<int>(b), 1.0);
    row.insert(column, -1.0);
    add_row(row, -COIN_DBL_MAX, 1.0);
    return column;
  }

  const ReducedCoverage& problem_;
  CoinPackedMatrix rows_;
  std::vector<double> objective_, low_, high_;
  std::vector<CoinPackedVector> covers_;  // [concepts]
  std::vector<Pair> pairs_;
};

double value_of(const ReducedCoverage& problem, std::span<const char> chosen) {
  double value = 0.0;
  std::vector<char> covered(problem.weight.size());
  for (std::size_t i = 0; i < problem.pieces(); ++i) {
    if (chosen[i] == 0) continue;
    value += problem.score[i];
    for (const auto& [id, other] : problem.links_of(i)) {
      if (chosen[other] == 0 || covered[id] != 0) continue;
      covered[id] = 1;
      value += problem.weight[id];
    }
  }
  return value;
}

void take_solution(const ReducedCoverage& problem, const double* columns, Incumbent& best) {
  if (columns == nullptr) return;
  Incumbent found;
  for (std::size_t i = 0; i < problem.pieces(); ++i) found.chosen.push_back(columns[i] > 0.5);
  found.value = value_of(problem, found.chosen);
  if (found.value > best.value) best = std::move(found);
}

}  // namespace

CbcResult solve_by_cbc(const ReducedCoverage& problem, std::int64_t most_nodes, Incumbent& best) {
  if (problem.pieces() == 0) return {.bound = best.value};
  // Cbc's tolerances are absolute, so scores are scaled to sum to a thousand.
  ReducedCoverage scaled = problem;
  const double scale = problem.scale > 0.0 ? 1000.0 / problem.scale : 1.0;
  for (double& score : scaled.score) score *= scale;
  for (double& weight : scaled.weight) weight *= scale;
  const Program program(scaled);
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.setHintParam(OsiDoReducePrint, true, OsiHintTry);
  program.load(solver);
  Stop stop;
  StepWatch steps(stop);
  solver.getModelPtr()->passInEventHandler(&steps);
  CbcModel model(solver);
  model.messageHandler()->setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  model.setLogLevel(0);
  NodeWatch nodes(stop);
  model.passInEventHandler(&nodes);
  model.setMaximumNodes(static_cast<int>(std::min<std::int64_t>(most_nodes, 1'000'000'000)));
  model.setAllowableGap(0.0);
  model.setAllowableFractionGap(0.0);
  const std::vector<double> start = program.columns_of(best.chosen);
  model.setBestSolution(start.data(), static_cast<int>(start.size()), -best.value * scale, true);
  model.branchAndBound();
  if (stop.error) std::rethrow_exception(stop.error);
  take_solution(problem, model.bestSolution(), best);
  CbcResult result{.complete = model.isProvenOptimal() || model.isProvenInfeasible(),
                   .nodes = model.getNodeCount()};
  result.bound =
      result.complete ? best.value : std::max(best.value, -model.getBestPossibleObjValue() / scale);
  return result;
}

}  // namespace hinge
