#include "hinge/corpus/nbest/named_weights.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Weights = std::vector<NamedWeight>;

class NamedWeights : public testing::Test {
 protected:
  Weights read(const std::string& text) { return read_weights(folder_.write("weights", text)); }
  std::string message_of(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.path("").size());
    }
    return "accepted";
  }
  std::string written(const Weights& weights, WeightStyle style) {
    write_weights(folder_.path("out"), weights, style);
    return TemporaryFolder::read(folder_.path("out"));
  }

  TemporaryFolder folder_;
};

TEST_F(NamedWeights, AreReadInEitherForm) {
  const Weights weights =
      read("# tuned\n\nLM= 0.5\n tm=\t1 -2 3e-1\r\nGlue 0.01\nwt_a=b 7\nx=8\n#x= 9\n#y 10\n");
  EXPECT_EQ(weights, (Weights{{"LM", 0.5f, 0},
                              {"tm_1", 1, 1},
                              {"tm_2", -2, 2},
                              {"tm_3", 0.3f, 3},
                              {"Glue", 0.01f, 0},
                              {"wt_a=b", 7, 0},
                              {"x", 8, 0},
                              {"#x", 9, 0}}));
}

TEST_F(NamedWeights, AreWrittenInEitherForm) {
  const Weights weights = {{"LM", 0.1f, 0}, {"tm_1", 1, 1}, {"tm_2", -2, 2}, {"a=", 3, 0}, {"#b", 1e-20f, 0}};
  EXPECT_EQ(written(weights, WeightStyle::kMoses), "LM= 0.1\ntm= 1 -2\na== 3\n#b= 1e-20\n");
  EXPECT_EQ(written(weights, WeightStyle::kPairs), "LM 0.1\ntm_1 1\ntm_2 -2\na== 3\n#b= 1e-20\n");
}

TEST_F(NamedWeights, AreReadBackAsTheyWere) {
  Weights weights = {{"LM", 0.1f, 0}, {"tm_1", 1, 1},    {"tm_2", -2, 2},
                     {"a=", 3, 0},    {"#b", 1e-20f, 0}, {"=", 1, 0}};
  EXPECT_EQ(read(written(weights, WeightStyle::kMoses)), weights);
  weights[1].value_index = weights[2].value_index = 0;
  EXPECT_EQ(read(written(weights, WeightStyle::kPairs)), weights);
}

TEST_F(NamedWeights, OfMulti30kAreReadAndWrittenUnchanged) {
  HINGE_DATA_FILE(path, "mt/multi30k_nbest/initial.weights");
  const Weights weights = read_weights(path);
  EXPECT_EQ(weights.size(), 12u);
  EXPECT_EQ(weights[0], (NamedWeight{"CountEF", 0.1f, 0}));
  EXPECT_EQ(written(weights, WeightStyle::kMoses), TemporaryFolder::read(path));
}

TEST_F(NamedWeights, OfAMosesIniAreThoseOfItsWeightSection) {
  folder_.write("sparse.weights", "TWT_a~b 0.25\nLM0 9\nTWT_c~d -0.5\n");
  const Weights weights = read(
      "# a comment\n[input-factors]\n0\n\n[feature]\nKENLM name=LM0 factor=0 path=x.arpa order=5\n"
      "[weight-file]\nsparse.weights\n\n[weight]\nLM0= 0.5\nTranslationModel0= 0.2 -0.3\n"
      "UnknownWordPenalty0= 1\n[threads]\n4\n");
  EXPECT_EQ(weights, (Weights{{"LM0", 0.5f, 0},
                              {"TranslationModel0_1", 0.2f, 1},
                              {"TranslationModel0_2", -0.3f, 2},
                              {"UnknownWordPenalty0", 1, 0},
                              {"TWT_a~b", 0.25f, 0},
                              {"TWT_c~d", -0.5f, 0}}));
}

TEST_F(NamedWeights, OfAMosesIniThatIsWrongAreRefused) {
  EXPECT_EQ(message_of("[feature]\nDistortion\n"),
            "weights: has no weights, but lines like 'name= 0.5' below [weight] were expected");
  EXPECT_EQ(message_of("[weight]\nLM0= x\n").substr(0, 40), "weights:2: the weight of 'LM0' is 'x', b");
  EXPECT_EQ(message_of("[weight-l]\n0.5\n"),
            "weights:1: [weight-l] is the form of old versions of Moses; write the weights below [weight]");
  EXPECT_EQ(message_of("[weight]\nLM0= 1\n[weight-file]\nmissing\n"),
            "weights:4: there is no file 'missing' of sparse weights; give its path from this folder");
}

TEST_F(NamedWeights, ThatAreWrongAreRefusedNamingFileAndLine) {
  EXPECT_EQ(message_of(""), "weights: has no weights, but lines like 'name= 0.5' were expected");
  EXPECT_EQ(message_of("# nothing\n"), "weights: has no weights, but lines like 'name= 0.5' were expected");
  const std::string form = "', but 'name= value', with one value or more, or 'name value' was expected";
  EXPECT_EQ(message_of("a= 1\nb\n"), "weights:2: is 'b" + form);
  EXPECT_EQ(message_of("a= 1\nb=\n"), "weights:2: is 'b=" + form);
  EXPECT_EQ(message_of("a 1 2\n"), "weights:1: is 'a 1 2" + form);
  const std::string number =
      "', but a name and a finite number (at most 3.4e38) were expected; correct the line";
  EXPECT_EQ(message_of("a= x\n"), "weights:1: the weight of 'a' is 'x" + number);
  EXPECT_EQ(message_of("a nan\n"), "weights:1: the weight of 'a' is 'nan" + number);
  EXPECT_EQ(message_of("a= 1 inf\n"), "weights:1: the weight of 'a_2' is 'inf" + number);
  EXPECT_EQ(message_of("a=1e40\n"), "weights:1: the weight of 'a' is '1e40" + number);
  EXPECT_EQ(message_of("= 1\n"), "weights:1: the weight of '' is '1" + number);
  EXPECT_EQ(message_of("a= 1\nb 1\na 2\n"), "weights:3: 'a' has a weight already, from line 1; keep one");
}

}  // namespace
}  // namespace hinge
