#include "hinge/features/key_filter.h"

#include <gtest/gtest.h>

#include "hinge/core/random.h"

namespace hinge {
namespace {

TEST(KeyFilter, HasEveryKeyAndFewOthers) {
  Random random(1);
  for (const std::size_t size : {0, 1, 7, 8, 9, 1000}) {
    SCOPED_TRACE(size);
    std::vector<Key> keys(size);
    for (Key& key : keys) key = random.bits();
    const auto words = KeyFilter::words_of(keys);
    const KeyFilter filter(words);
    for (const Key key : keys) EXPECT_TRUE(filter.may_have(key));
    std::size_t others = 0;
    for (int k = 0; k < 10000; ++k) others += filter.may_have(random.bits()) ? 1 : 0;
    EXPECT_LT(others, 1400u);
  }
}

TEST(KeyFilter, HasTheFirstAndTheLastKeyThereCanBe) {
  const auto words = KeyFilter::words_of(std::vector<Key>{0, ~Key{0}});
  const KeyFilter filter(words);
  EXPECT_TRUE(filter.may_have(0));
  EXPECT_TRUE(filter.may_have(~Key{0}));
  EXPECT_FALSE(filter.may_have(Key{1} << 63));
}

}  // namespace
}  // namespace hinge
