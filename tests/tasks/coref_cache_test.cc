// Documents of a cache: whatever its bytes are, either the check refuses them or all is safe to read.
#include <gtest/gtest.h>

#include "hinge/core/random.h"
#include "hinge/tasks/coref/task.h"
#include "hinge/tasks/coref/training_data.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

coref::DocumentParts sample_parts() {
  Workers workers(2);
  const Source source = Source::of_text(sample_text("coref", 60, 1), "sample");
  coref::CorefOptions options;
  options.hash_bits = 10;
  options.mentions = "gold";
  return coref::read_parts(source, options, {}, workers, nullptr);
}

// All that training reads.
void read_all(const coref::DocumentSet& data, const coref::Plan& plan) {
  const coref::CorefTask task(data, plan.templates, plan.layout, {});
  const Weights w(task.dimension());
  for (std::size_t i = 0; i < task.size(); ++i) {
    const auto scratch = task.make_scratch();
    Cut cut;
    task.most_violated(i, w, 1.0, *scratch, cut);
    Expectation expectation;
    task.expect(i, w, 1.0, *scratch, expectation);
    EXPECT_GE(expectation.log_loss, 0.0);
    std::vector<Block> blocks;
    task.support(i, *scratch, blocks);
    task.gold_support(i, *scratch, blocks);
  }
}

TEST(CorefCache, TrustsNoIndex) {
  const coref::DocumentParts parts = sample_parts();
  const std::size_t documents = parts.data.size();
  ASSERT_GT(documents, 2u);
  ASSERT_TRUE(coref::is_sound(parts.data, 0, documents));
  const auto is_refused = [&](const auto& harm) {
    coref::DocumentSet data = parts.data;
    harm(data);
    return !coref::is_sound(data, 0, documents);
  };
  EXPECT_TRUE(is_refused([](auto& d) { d.starts[1].mention = d.mentions.size() + 1; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.starts[1].token = 0, d.starts[2].token = d.heads.size() + 1; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.heads[0] = 1u << 20; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.begin[0] = 1; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.candidates[0].mention = 1u << 20; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.mentions[0].head = 1u << 20; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.mentions[0].words_begin = 1u << 20; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.anaphoric[0] ^= 1; })) << "no choice would be right";
}

TEST(CorefCache, IsSafeToReadOnceItIsChecked) {
  const coref::DocumentParts parts = sample_parts();
  Random random(1);
  std::size_t refused = 0, read = 0;
  for (int round = 0; round < 400; ++round) {
    coref::DocumentSet data = parts.data;
    coref::DocumentSet::each_column(data, [&]<typename T>(std::string_view, Column<T>& column, const auto&) {
      if (column.empty() || random.below(4) > 0) return;
      auto* bytes = reinterpret_cast<unsigned char*>(column.data());
      bytes[random.below(column.size() * sizeof(T))] = static_cast<unsigned char>(random.below(256));
    });
    if (!coref::is_sound(data, 0, data.size())) {
      ++refused;
      continue;
    }
    ++read;
    read_all(data, parts.plan);
  }
  EXPECT_GT(refused, 50u);
  EXPECT_GT(read, 50u);
}

}  // namespace
}  // namespace hinge::test
