#include "hinge/tasks/summarize/regression.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/core/interrupt.h"

namespace hinge::summarize {
namespace {

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

  std::vector<double> solve() const {
    const Eigen::VectorXd w = squares_.selfadjointView<Eigen::Lower>().llt().solve(products_);
    return {w.begin(), w.end()};
  }

 private:
  Eigen::MatrixXd squares_;
  Eigen::VectorXd products_, row_;
};

// Calls visit(topic) for all topics, unless training is interrupted.
template <typename Visit>
void each_topic(const TopicSet& data, const Visit& visit) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    check_interrupt();
    data.use(i);
    visit(data[i]);
  }
}

std::vector<double> bigram_weights(const TopicSet& data, const Layout& layout) {
  Ridge ridge(layout.bigrams, kBigramRidge);
  each_topic(data, [&](const TopicView& topic) {
    for (std::size_t c = 0; c < topic.gains.size(); ++c)
      ridge.add(topic.bigram_row(c, layout), topic.gains[c]);
  });
  return ridge.solve();
}

// What the bigrams of each piece add beyond their weights. A bigram that needs two pieces counts
// for the later one.
std::vector<double> rests(const TopicView& data, const std::vector<double>& weights, const Layout& layout) {
  std::vector<double> beyond(data.gains.begin(), data.gains.end()), result(data.origins.size());
  for (std::size_t c = 0; c < beyond.size(); ++c) {
    const auto row = data.bigram_row(c, layout);
    beyond[c] -= std::inner_product(row.begin(), row.end(), weights.begin(), 0.0);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // a piece and its bigram, once each
  for (const Occurrence& occurrence : data.coverage.occurrences)
    pairs.emplace_back(std::max(occurrence.first, occurrence.second), occurrence.id);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [piece, bigram] : pairs) result[piece] += beyond[bigram];
  return result;
}

// Sentences that never fit are left out.
std::vector<double> piece_weights(const TopicSet& data, const std::vector<double>& bigrams,
                                  const Layout& layout) {
  Ridge ridge(layout.piece(), kPieceRidge);
  each_topic(data, [&](const TopicView& topic) {
    const std::vector<double> targets = rests(topic, bigrams, layout);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (topic.coverage.pieces[i].length <= topic.coverage.limit)
        ridge.add(topic.piece_row(i, layout), targets[i]);
    }
  });
  return ridge.solve();
}

// Costs are those of words, so the two features that count words say all of them.
void add_costs(const TopicSet& data, const Layout& layout, std::vector<double>& pieces) {
  const std::vector<std::string> names = feature_names();
  const auto place = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()) - layout.bigrams;
  };
  const std::array places{place("sentence:words"), place("cut:words")};
  Ridge ridge(places.size(), /*strength=*/1e-6);  // for features that are always zero
  each_topic(data, [&](const TopicView& topic) {
    for (std::size_t i = 0; i < topic.costs.size(); ++i) {
      const auto row = topic.piece_row(i, layout);
      ridge.add(std::array{row[places[0]], row[places[1]]}, -topic.costs[i]);
    }
  });
  const std::vector<double> costs = ridge.solve();
  for (std::size_t k = 0; k < places.size(); ++k) pieces[places[k]] += costs[k];
}

}  // namespace

Weights regression(const TopicSet& data) {
  const Layout plan = layout();
  const std::vector<double> bigrams = bigram_weights(data, plan);
  std::vector<double> pieces = piece_weights(data, bigrams, plan);
  add_costs(data, plan, pieces);
  Weights w(plan.dimension());
  for (std::size_t k = 0; k < w.size(); ++k)
    w[k] = static_cast<float>(k < plan.bigrams ? bigrams[k] : pieces[k - plan.bigrams]);
  return w;
}

}  // namespace hinge::summarize
