// Models of format 1 stay readable for ever: tests/data/v1.model was written
// when the format was new and is never written again.
#include <gtest/gtest.h>

#include "hinge/files/output_file.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/registry.h"
#include "tests/support/data.h"

namespace hinge::test {
namespace {

const std::string kData = HINGE_SOURCE_DIR "/tests/data/";

TEST(ModelFormat1, PredictsWhatItPredictedWhenItWasNew) {
  const TemporaryFolder folder;
  const ModelFile file = ModelFile::open(kData + "v1.model");
  file.verify();
  OutputFile out(folder.path("out"));
  Workers workers(1);
  open_predictor(file)->predict(kData + "v1.input", out, {.scores = true}, workers);
  out.commit();
  EXPECT_EQ(TemporaryFolder::read(folder.path("out")), TemporaryFolder::read(kData + "v1.expected"));
}

}  // namespace
}  // namespace hinge::test
