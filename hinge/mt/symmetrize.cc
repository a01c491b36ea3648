#include "hinge/mt/symmetrize.h"

#include <algorithm>
#include <cassert>

#include "hinge/core/interrupt.h"

namespace hinge::mt {
namespace {

constexpr std::uint8_t kForward = 1, kReverse = 2, kBoth = 3, kKept = 4;

// The links of one pair as a matrix, from which some are kept.
class LinkMatrix {
 public:
  void reset(std::size_t source_length, std::size_t target_length, std::span<const Link> forward,
             std::span<const Link> reverse) {
    rows_ = source_length;
    columns_ = target_length;
    cells_.assign(rows_ * columns_, 0);
    source_kept_.assign(rows_, 0);
    target_kept_.assign(columns_, 0);
    for (const Link& link : forward) cell(link.source, link.target) |= kForward;
    for (const Link& link : reverse) cell(link.source, link.target) |= kReverse;
  }

  // Keeps the cells for which claim(flags) holds.
  template <typename Claim>
  void keep_if(const Claim& claim) {
    for (std::size_t s = 0; s < rows_; ++s)
      for (std::size_t t = 0; t < columns_; ++t)
        if (claim(cell(s, t))) keep(s, t);
  }

  void grow() {
    while (sweep()) check_interrupt();
  }

  // Adds links of a direction between words that have none.
  void finish(std::uint8_t direction) {
    for (std::size_t s = 0; s < rows_; ++s)
      for (std::size_t t = 0; t < columns_; ++t)
        if ((cell(s, t) & direction) != 0 && !source_kept_[s] && !target_kept_[t]) keep(s, t);
  }

  void append_to(Alignment& alignment) const {
    for (std::size_t s = 0; s < rows_; ++s)
      for (std::size_t t = 0; t < columns_; ++t)
        if ((cells_[s * columns_ + t] & kKept) != 0)
          alignment.links.push_back({static_cast<std::uint16_t>(s), static_cast<std::uint16_t>(t)});
    alignment.begin.push_back(alignment.links.size());
  }

 private:
  std::uint8_t& cell(std::size_t s, std::size_t t) { return cells_[s * columns_ + t]; }
  void keep(std::size_t s, std::size_t t) {
    cell(s, t) |= kKept;
    source_kept_[s] = target_kept_[t] = 1;
  }

  // One visit to all kept links; whether it added any.
  bool sweep() {
    bool added = false;
    for (std::size_t s = 0; s < rows_; ++s)
      for (std::size_t t = 0; t < columns_; ++t)
        if ((cell(s, t) & kKept) != 0) added |= grow_from(s, t);
    return added;
  }
  bool grow_from(std::size_t from_source, std::size_t from_target) {
    bool added = false;
    for (const Step& step : kNeighbours) {
      // Position -1 wraps around to a huge one.
      const std::size_t s = from_source + static_cast<std::size_t>(step.source);
      const std::size_t t = from_target + static_cast<std::size_t>(step.target);
      if (s >= rows_ || t >= columns_ || (cell(s, t) & kBoth) == 0) continue;
      if ((cell(s, t) & kKept) != 0 || (source_kept_[s] && target_kept_[t])) continue;
      keep(s, t);
      added = true;
    }
    return added;
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::uint8_t> cells_;  // [source][target]
  std::vector<std::uint8_t> source_kept_;
  std::vector<std::uint8_t> target_kept_;
};

void keep(LinkMatrix& matrix, Symmetrization how) {
  switch (how) {
    case Symmetrization::kSource:
      return matrix.keep_if([](std::uint8_t cell) { return (cell & kForward) != 0; });
    case Symmetrization::kUnion:
      return matrix.keep_if([](std::uint8_t cell) { return cell != 0; });
    case Symmetrization::kIntersection:
    case Symmetrization::kGrowDiag:
    case Symmetrization::kGrowDiagFinalAnd:
      matrix.keep_if([](std::uint8_t cell) { return cell == kBoth; });
  }
  if (how == Symmetrization::kIntersection) return;
  matrix.grow();
  if (how == Symmetrization::kGrowDiag) return;
  matrix.finish(kForward);
  matrix.finish(kReverse);
}

}  // namespace

const std::vector<std::string>& symmetrization_names() {
  static const std::vector<std::string> names = {"source", "intersection", "union", "grow-diag",
                                                 "grow-diag-final-and"};
  return names;
}

Symmetrization symmetrization_by_name(const std::string& name) {
  const auto found = std::ranges::find(symmetrization_names(), name);
  assert(found != symmetrization_names().end());
  return static_cast<Symmetrization>(found - symmetrization_names().begin());
}

Alignment symmetrize(const Alignment& forward, const Alignment& reverse, const Bitext& text,
                     Symmetrization how) {
  assert(forward.sentences() == text.sentences() && reverse.sentences() == text.sentences());
  Alignment result;
  LinkMatrix matrix;
  for (std::size_t i = 0; i < text.sentences(); ++i) {
    check_interrupt();
    matrix.reset(text.source.sentence(i).size(), text.target.sentence(i).size(), forward.pair(i),
                 reverse.pair(i));
    keep(matrix, how);
    matrix.append_to(result);
  }
  return result;
}

}  // namespace hinge::mt
