#include "hinge/tasks/rerank/line_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hinge::rerank {
namespace {

class ListLines final : public LineSearch {
 public:
  ListLines(const NBestLists& lists, std::size_t dimension, const ChoiceCost& cost)
      : lists_(lists),
        cost_(cost),
        n_(lists.hypotheses()),
        columns_(dimension * n_),
        ranked_(dimension * n_),
        heights_(n_),
        spreads_(dimension) {
    for (std::size_t i = 0; i < lists.lists(); ++i) {
      lists.use(i);
      for (std::size_t h = lists.begin(i); h < lists.end(i); ++h) {
        const FeatureRow row = lists.row(h);
        for (std::size_t k = 0; k < row.features.size(); ++k)
          columns_[row.features[k] * n_ + h] = row.values[k];
      }
    }
    for (std::size_t f = 0; f < dimension; ++f) {
      spreads_[f] = spread_of(f);
      rank(f);
    }
    move_to(Weights(dimension));
  }

  void move_to(const Weights& w) override {
    // Adds feature by feature, as score_hypothesis does, so that ties agree.
    std::ranges::fill(heights_, 0.0);
    for (std::size_t f = 0; f < w.size(); ++f) {
      if (w[f] != 0.0f) add_column(f, w[f], 0, heights_);
    }
    std::vector<double> sum(cost_.width, 0.0);
    for (std::size_t i = 0; i < lists_.lists(); ++i) {
      const auto begin = heights_.begin() + static_cast<std::ptrdiff_t>(lists_.begin(i));
      const auto end = heights_.begin() + static_cast<std::ptrdiff_t>(lists_.end(i));
      const auto best = std::max_element(begin, end);
      add_stats(1.0, cost_.of(static_cast<std::size_t>(best - heights_.begin())), sum);
    }
    here_ = cost_(sum);
  }

  double cost() const override { return here_; }
  std::span<const double> spreads() const override { return spreads_; }

  LinePoint best_on_line(const SparseVector& direction, Scratch& scratch) const override {
    auto& own = static_cast<ListScratch&>(scratch);
    own.changes.clear();
    own.sum.assign(cost_.width, 0.0);
    const std::span<const Entry> entries = direction.entries();
    const bool along_axis = entries.size() == 1;
    for (std::size_t i = 0; i < lists_.lists(); ++i) {
      if (along_axis)
        fill_from_rank(i, entries[0].id, own.lines);
      else
        fill_and_sort(i, entries, own);
      upper_envelope(own.lines, own.winners);
      add_changes(own.winners, cost_, own.changes, own.sum);
    }
    LinePoint best = best_point(own.changes, own.sum, cost_, here_);
    if (along_axis) best.step /= static_cast<double>(entries[0].value);
    return best;
  }

 private:
  struct Ranked {
    float value;
    std::uint32_t hypothesis;
  };

  // sum += factor * the values of a feature, from hypothesis `first` on.
  void add_column(std::size_t f, float factor, std::size_t first, std::span<double> sum) const {
    const float* column = &columns_[f * n_ + first];
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += static_cast<double>(column[k]) * static_cast<double>(factor);
  }

  // The standard deviation within lists.
  double spread_of(std::size_t f) const {
    double squares = 0.0;
    for (std::size_t i = 0; i < lists_.lists(); ++i) {
      const float* values = &columns_[f * n_ + lists_.begin(i)];
      const std::size_t count = lists_.end(i) - lists_.begin(i);
      double sum = 0.0, sum_of_squares = 0.0;  // of differences to the first: exactly 0 if all are equal
      for (std::size_t k = 0; k < count; ++k) {
        const double difference = static_cast<double>(values[k]) - static_cast<double>(values[0]);
        sum += difference;
        sum_of_squares += difference * difference;
      }
      squares += std::max(0.0, sum_of_squares - sum * sum / static_cast<double>(count));
    }
    return std::sqrt(squares / static_cast<double>(n_));
  }

  void rank(std::size_t f) {
    for (std::size_t i = 0; i < lists_.lists(); ++i) {
      const auto ranked =
          std::span(ranked_).subspan(f * n_ + lists_.begin(i), lists_.end(i) - lists_.begin(i));
      for (std::size_t k = 0; k < ranked.size(); ++k) {
        const std::size_t h = lists_.begin(i) + k;
        ranked[k] = {columns_[f * n_ + h], static_cast<std::uint32_t>(h)};
      }
      std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
        return std::tie(a.value, a.hypothesis) < std::tie(b.value, b.hypothesis);
      });
    }
  }

  void fill_from_rank(std::size_t i, std::size_t f, std::vector<Line>& lines) const {
    const std::size_t begin = lists_.begin(i);
    lines.resize(lists_.end(i) - begin);
    const Ranked* ranked = &ranked_[f * n_ + begin];
    for (std::size_t k = 0; k < lines.size(); ++k)
      lines[k] = {ranked[k].value, heights_[ranked[k].hypothesis], ranked[k].hypothesis};
  }

  void fill_and_sort(std::size_t i, std::span<const Entry> direction, ListScratch& own) const {
    const std::size_t begin = lists_.begin(i);
    own.scores.assign(lists_.end(i) - begin, 0.0);
    for (const Entry& entry : direction) add_column(entry.id, entry.value, begin, own.scores);
    own.lines.resize(own.scores.size());
    for (std::size_t k = 0; k < own.scores.size(); ++k)
      own.lines[k] = {own.scores[k], heights_[begin + k], static_cast<std::uint32_t>(begin + k)};
    std::ranges::sort(own.lines, [](const Line& a, const Line& b) {
      return std::tie(a.slope, a.hypothesis) < std::tie(b.slope, b.hypothesis);
    });
  }

  const NBestLists& lists_;
  ChoiceCost cost_;
  std::size_t n_;                // hypotheses
  std::vector<float> columns_;   // [features][hypotheses]
  std::vector<Ranked> ranked_;   // [features][hypotheses], by value within each list
  std::vector<double> heights_;  // [hypotheses], scores at the current point
  std::vector<double> spreads_;  // [features]
  double here_ = 0.0;
};

}  // namespace

std::unique_ptr<LineSearch> make_line_search(const NBestLists& lists, std::size_t dimension,
                                             const ChoiceCost& cost) {
  return std::make_unique<ListLines>(lists, dimension, cost);
}

}  // namespace hinge::rerank
