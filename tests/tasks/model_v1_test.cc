// Models of format 1 must always stay readable: tests/data/v1.model was written
// when the format was new and must never be regenerated.
#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

const std::string kData = source_folder() + "/tests/data/";

TEST(ModelFormat1, PredictsWhatItPredictedWhenItWasNew) {
  const ModelFile file = ModelFile::open(kData + "v1.model");
  file.verify();
  EXPECT_EQ(predict(file, TemporaryFolder::read(kData + "v1.input"), {.scores = true}),
            TemporaryFolder::read(kData + "v1.expected"));
}

}  // namespace
}  // namespace hinge::test
