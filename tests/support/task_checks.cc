#include "tests/support/task_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hinge::test {
namespace {

void expect_same_cut(const Cut& a, const Cut& b, std::size_t example) {
  EXPECT_TRUE(std::ranges::equal(a.psi.entries(), b.psi.entries())) << "example " << example;
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.margin, b.margin);
}

}  // namespace

Cut cut_at(const Task& task, std::size_t example, const Weights& w, double loss_weight) {
  const auto scratch = task.make_scratch();
  Cut cut;
  task.most_violated(example, w, loss_weight, *scratch, cut);
  return cut;
}

std::size_t expect_support_is_all_that_is_read(const Task& task, std::size_t example, const Weights& w) {
  std::vector<Block> blocks;
  task.support(example, *task.make_scratch(), blocks);
  std::vector<bool> inside(w.size(), false);
  for (const Block& block : blocks) {
    const bool exists = block.first + block.count <= w.size();
    EXPECT_TRUE(exists) << block.first << " + " << block.count;
    if (exists) std::fill_n(inside.begin() + block.first, block.count, true);
  }
  Weights disturbed = w;
  for (std::size_t d = 0; d < w.size(); ++d) {
    if (!inside[d]) disturbed[d] = d % 2 == 0 ? 1e6f : -1e6f;
  }
  for (const double loss_weight : {0.0, 1.0})
    expect_same_cut(cut_at(task, example, w, loss_weight), cut_at(task, example, disturbed, loss_weight),
                    example);
  return static_cast<std::size_t>(std::ranges::count(inside, false));
}

void expect_scratch_can_be_used_again(const Task& task, const Weights& w) {
  const auto used = task.make_scratch();
  Cut reused;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < task.size(); ++i) {
      task.most_violated(i, w, 1.0, *used, reused);
      expect_same_cut(reused, cut_at(task, i, w, 1.0), i);
    }
  }
}

}  // namespace hinge::test
