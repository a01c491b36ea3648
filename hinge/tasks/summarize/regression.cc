#include "hinge/tasks/summarize/regression.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <utility>

#include "hinge/core/interrupt.h"

namespace hinge::summarize {
namespace {

// r and s above.
constexpr double kBigramRidge = 10.0;
constexpr double kPieceRidge = 100.0;

class Ridge {
 public:
  Ridge(std::size_t features, double strength)
      : squares_(strength * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(features),
                                                      static_cast<Eigen::Index>(features))),
        products_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(features))) {}

  void add(std::span<const float> row, double target) {
    row_ =
        Eigen::Map<const Eigen::VectorXf>(row.data(), static_cast<Eigen::Index>(row.size())).cast<double>();
    squares_.selfadjointView<Eigen::Lower>().rankUpdate(row_);
    products_ += target * row_;
  }

  // Features that are always zero get no weight.
  void solve(float* w) const {
    const Eigen::VectorXd solution = squares_.selfadjointView<Eigen::Lower>().llt().solve(products_);
    for (Eigen::Index k = 0; k < solution.size(); ++k) w[k] = static_cast<float>(solution[k]);
  }

 private:
  Eigen::MatrixXd squares_;
  Eigen::VectorXd products_, row_;
};

// What the bigrams of each piece add beyond their weights, less its cost. A bigram in two pieces that
// do not hang on each other counts for the later one.
std::vector<double> rests(const TopicData& data, const float* w, const Layout& layout) {
  std::vector<double> beyond = data.gains, result(data.origins.size());
  for (std::size_t c = 0; c < beyond.size(); ++c) {
    const auto row = data.bigram_row(c, layout);
    beyond[c] -= std::inner_product(row.begin(), row.end(), w, 0.0);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;  // and their bigrams, once each
  for (const Occurrence& occurrence : data.coverage.occurrences)
    pieces.emplace_back(std::max(occurrence.first, occurrence.second), occurrence.id);
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  for (const auto& [piece, bigram] : pieces) result[piece] += beyond[bigram];
  return result;
}

}  // namespace

Weights regression(const std::vector<TopicData>& data) {
  const Layout plan = layout();
  Weights w(plan.dimension());
  Ridge bigrams(plan.bigrams, kBigramRidge), pieces(plan.piece(), kPieceRidge);
  for (const TopicData& topic : data) {
    check_interrupt();
    for (std::size_t c = 0; c < topic.keys.size(); ++c)
      bigrams.add(topic.bigram_row(c, plan), topic.gains[c]);
  }
  bigrams.solve(w.data());
  for (const TopicData& topic : data) {
    check_interrupt();
    const std::vector<double> targets = rests(topic, w.data(), plan);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      // Sentences that never fit are not chosen, so they need not be understood.
      if (topic.coverage.pieces[i].length <= topic.coverage.limit)
        pieces.add(topic.piece_row(i, plan), targets[i]);
    }
  }
  pieces.solve(w.data() + plan.bigrams);
  double cost=0, n=0; for (const TopicData& topic : data) { if(topic.coverage.pieces.empty()) continue; cost+=topic.costs[0]/topic.coverage.pieces[0].length; ++n; }
  { auto names=feature_names(); for(std::size_t k=0;k<names.size();++k) if(names[k]=="sentence:words") w[k]-=float(cost/n*data[0].coverage.limit); }
  return w;
}

}  // namespace hinge::summarize
