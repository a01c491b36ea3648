#include "hinge/mt/symmetrize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tests/mt/made_bitext.h"

namespace hinge::mt {
namespace {

using Links = std::set<std::pair<int, int>>;

// The pseudo-code of Koehn et al. 2005, on sets.
class Reference {
 public:
  Reference(Links forward, Links reverse, int rows, int columns)
      : forward_(std::move(forward)), reverse_(std::move(reverse)), rows_(rows), columns_(columns) {
    std::ranges::set_intersection(forward_, reverse_, std::inserter(kept_, kept_.end()));
    std::ranges::set_union(forward_, reverse_, std::inserter(either_, either_.end()));
  }

  Links run(Symmetrization how) {
    if (how == Symmetrization::kSource) return forward_;
    if (how == Symmetrization::kUnion) return either_;
    if (how == Symmetrization::kIntersection) return kept_;
    grow_diag();
    if (how == Symmetrization::kGrowDiagFinalAnd) {
      final_and(forward_);
      final_and(reverse_);
    }
    return kept_;
  }

 private:
  bool has_source(int s) const {
    return std::ranges::any_of(kept_, [&](const auto& link) { return link.first == s; });
  }
  bool has_target(int t) const {
    return std::ranges::any_of(kept_, [&](const auto& link) { return link.second == t; });
  }
  void grow_diag() {
    const std::vector<std::pair<int, int>> steps = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                                    {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    std::size_t before = 0;
    do {
      before = kept_.size();
      for (int s = 0; s < rows_; ++s) {
        for (int t = 0; t < columns_; ++t) {
          if (!kept_.contains({s, t})) continue;
          for (const auto& step : steps) {
            const std::pair<int, int> link = {s + step.first, t + step.second};
            if ((!has_source(link.first) || !has_target(link.second)) && either_.contains(link))
              kept_.insert(link);
          }
        }
      }
    } while (kept_.size() > before);
  }
  void final_and(const Links& direction) {
    for (const auto& link : direction)
      if (!has_source(link.first) && !has_target(link.second)) kept_.insert(link);
  }

  Links forward_, reverse_, kept_, either_;
  int rows_, columns_;
};

Links random_links(Random& random, int rows, int columns, double density) {
  Links links;
  for (int s = 0; s < rows; ++s)
    for (int t = 0; t < columns; ++t)
      if (random.uniform() < density) links.insert({s, t});
  return links;
}

std::vector<Link> as_vector(const Links& links) {
  std::vector<Link> result;
  for (const auto& link : links)
    result.push_back({static_cast<std::uint16_t>(link.first), static_cast<std::uint16_t>(link.second)});
  return result;
}

TEST(Symmetrize, AgreesWithThePseudoCodeOnRandomLinks) {
  Random random(3);
  std::size_t grown = 0, finished = 0;
  for (int round = 0; round < 2000; ++round) {
    const int rows = 1 + static_cast<int>(random.below(7)), columns = 1 + static_cast<int>(random.below(7));
    const Links forward = random_links(random, rows, columns, 0.3);
    const Links reverse = random_links(random, rows, columns, 0.3);
    Random words(1);
    const Bitext text = bitext_of({{random_line(words, static_cast<std::size_t>(rows), 5),
                                    random_line(words, static_cast<std::size_t>(columns), 5)}});
    std::vector<std::size_t> sizes;
    for (std::size_t how = 0; how < symmetrization_names().size(); ++how) {
      const Links expected = Reference(forward, reverse, rows, columns).run(static_cast<Symmetrization>(how));
      const Alignment found =
          symmetrize(alignment_of({as_vector(forward)}), alignment_of({as_vector(reverse)}), text,
                     static_cast<Symmetrization>(how));
      EXPECT_EQ(found.links, as_vector(expected)) << symmetrization_names()[how] << ", round " << round;
      sizes.push_back(expected.size());
    }
    grown += sizes[3] > sizes[1];
    finished += sizes[4] > sizes[3];
  }
  EXPECT_GT(grown, 200u);
  EXPECT_GT(finished, 200u);
}

TEST(Symmetrize, FindsAMethodByItsName) {
  EXPECT_EQ(symmetrization_by_name("source"), Symmetrization::kSource);
  EXPECT_EQ(symmetrization_by_name("intersection"), Symmetrization::kIntersection);
  EXPECT_EQ(symmetrization_by_name("union"), Symmetrization::kUnion);
  EXPECT_EQ(symmetrization_by_name("grow-diag"), Symmetrization::kGrowDiag);
  EXPECT_EQ(symmetrization_by_name("grow-diag-final-and"), Symmetrization::kGrowDiagFinalAnd);
}

}  // namespace
}  // namespace hinge::mt
