// Topics of a cache: whatever its bytes are, either the check refuses them or all is safe to read.
#include <gtest/gtest.h>

#include "hinge/core/random.h"
#include "hinge/tasks/summarize/task.h"
#include "hinge/tasks/summarize/training_data.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

using summarize::TopicSet;

// With parts of sentences.
TopicSet sample_topics() {
  const std::string tree =
      R"json({"trees": ["(S (NP (DT the) (NN room)) (VP (VBD was) (ADJP (JJ clean)) (PP (IN in) (NP (NN may)))))"]})json";
  const std::string topic = R"({"id": 1, "documents": [)" + tree +
                            R"(, {"text": "The staff was nice. It was cold. We like it here."}],)"
                            R"( "refs": ["The room was clean. We like it."]})"
                            "\n";
  Workers workers(1);
  summarize::SummarizeOptions options;
  options.compress = true;
  options.words = 10;
  options.word_cost = 0.05;
  return std::move(
      summarize::read_parts(Source::of_text(topic + topic + topic, "topics"), options, {}, workers, nullptr)
          .data);
}

void read_all(const TopicSet& data) {
  const summarize::SummarizeTask task(data, {.search_nodes = 200, .cbc_nodes = 10});
  Weights w(task.dimension());
  for (std::size_t d = 0; d < w.size(); ++d) w[d] = d % 3 == 0 ? 0.5f : -0.25f;
  for (std::size_t i = 0; i < task.size(); ++i) {
    Cut cut;
    task.most_violated(i, w, 1.0, *task.make_scratch(), cut);
    EXPECT_GE(cut.loss, 0.0);
  }
}

TEST(SummarizeCache, TrustsNoIndex) {
  const TopicSet good = sample_topics();
  ASSERT_EQ(good.size(), 3u);
  ASSERT_TRUE(is_sound(good, 0, 3));
  const auto is_refused = [&](const auto& harm) {
    TopicSet data = good;
    harm(data);
    return !is_sound(data, 0, 3);
  };
  EXPECT_TRUE(is_refused([](auto& d) { d.starts[1].piece = d.pieces.size() + 1; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.starts[3].occurrence = d.occurrences.size() + 1; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.starts[3].bigram = d.keys.size() + 1; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.pieces[0].parent = 0; })) << "its own parent";
  EXPECT_TRUE(is_refused([](auto& d) { d.occurrences[0].id = 1u << 20; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.occurrences[0].second = 1u << 20; }));
  EXPECT_TRUE(is_refused([](auto& d) { d.bigram_rows[0] = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_TRUE(is_refused([](auto& d) { d.costs[0] = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(is_refused([](auto& d) { d.gold[0] = 2; }));
}

TEST(SummarizeCache, IsSafeToReadOnceItIsChecked) {
  const TopicSet good = sample_topics();
  Random random(1);
  std::size_t refused = 0, read = 0;
  for (int round = 0; round < 300; ++round) {
    TopicSet data = good;
    TopicSet::each_column(data, [&]<typename T>(std::string_view, Column<T>& column, const auto&) {
      if (column.empty() || random.below(4) > 0) return;
      auto* bytes = reinterpret_cast<unsigned char*>(column.data());
      bytes[random.below(column.size() * sizeof(T))] = static_cast<unsigned char>(random.below(256));
    });
    if (!is_sound(data, 0, data.size())) {
      ++refused;
      continue;
    }
    ++read;
    read_all(data);
  }
  EXPECT_GT(refused, 30u);
  EXPECT_GT(read, 30u);
}

}  // namespace
}  // namespace hinge::test
