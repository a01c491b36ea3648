// Training sets of the `dep` task: options, fingerprints and initial models.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "hinge/core/error.h"
#include "hinge/tasks/registry.h"
#include "tests/support/conllu.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

const std::string kTemplates =
    "arc h.upos m.upos\narc h.form m.form\narc h.upos b.upos m.upos\n"
    "sibling s.upos m.upos\ngrand g.upos m.upos\n"
    "label m.form\nlabel h.upos m.upos dir\nlabel l.form p.form\n";

const std::string kText = conllu({"the DET 2 det", "cat NOUN 3 nsubj", "sat VERB 0 root", ". PUNCT 3 punct",
                                  "", "dogs NOUN 2 nsubj", "ran VERB 0 root", "home NOUN 2 obl", ""});

class DepTrainingSet : public testing::Test {
 protected:
  std::unique_ptr<TrainingSet> load(const std::string& text, const Options& more = {}) const {
    Options options{
        {"features", folder_.write("my.parts", kTemplates)}, {"hash_bits", "7"}, {"label_bits", "6"}};
    options.insert(options.end(), more.begin(), more.end());
    return load_system("dep", options, folder_.write("train.conllu", text));
  }
  static Weights trained(const TrainingSet& set) {
    return train_quietly(set.task(), {.learner = "perceptron", .options = {{"epochs", "4"}}}).weights;
  }
  static ModelFile model(const TrainingSet& set, const Weights& w) {
    return ModelFile::from_bytes(model_of(set, w, "dep"), "the.model");
  }

  template <typename E>
  std::string refusal(const std::string& text, const Options& more = {}) const {
    try {
      load(text, more);
    } catch (const E& error) {
      return error.what();
    }
    return "";
  }

  const TemporaryFolder folder_;
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool same_bits(const Weights& a, const Weights& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// ---- Initial models

TEST_F(DepTrainingSet, GetsItsOwnWeightsBackFromAModel) {
  for (const Options& options : std::vector<Options>{{},
                                                     {{"hash_bits", "0"}},
                                                     {{"labelled", "false"}},
                                                     {{"order", "2"}},
                                                     {{"order", "2"}, {"hash_bits", "0"}},
                                                     {{"decoder", "chu-liu-edmonds"}}}) {
    const auto set = load(sample_text("dep", 12, 1), options);
    const Weights w = trained(*set);
    EXPECT_GT(squared_norm(w), 0.0);
    EXPECT_TRUE(same_bits(set->weights_of(model(*set, w)), w)) << testing::PrintToString(options);
  }
}

TEST_F(DepTrainingSet, MatchesLabelsByNameInAnyOrder) {
  const std::string text = sample_text("dep", 12, 1);
  std::vector<std::string> sentences(1);
  for (const std::string& line : split(text, '\n')) {
    sentences.back() += line + "\n";
    if (line.empty()) sentences.emplace_back();
  }
  std::string reversed;
  for (std::size_t s = sentences.size(); s-- > 0;) reversed += sentences[s];
  const std::string test = folder_.write("test.conllu", sample_text("dep", 10, 2));
  for (const char* hash_bits : {"7", "0"}) {
    const auto first = load(text, {{"hash_bits", hash_bits}});
    const auto second = load(reversed, {{"hash_bits", hash_bits}});
    const Weights w = trained(*first);
    const Weights other = second->weights_of(model(*first, w));
    ASSERT_EQ(w.size(), other.size());
    EXPECT_FALSE(same_bits(w, other));
    EXPECT_NEAR(squared_norm(w), squared_norm(other), 1e-6 * squared_norm(w));
    EXPECT_EQ(dev_scores(*first, test, w), dev_scores(*second, test, other)) << hash_bits;
    EXPECT_TRUE(same_bits(first->weights_of(model(*second, other)), w));
  }
}

TEST_F(DepTrainingSet, LeavesWhatOnlyOneSideHasAtZero) {
  const auto small = load(kText);
  const auto large = load(sample_text("dep", 12, 1));
  const Weights w = trained(*small);
  const Weights more = large->weights_of(model(*small, w));
  EXPECT_GT(squared_norm(more), 0.0);
  EXPECT_LE(squared_norm(more), squared_norm(w));
  EXPECT_EQ(squared_norm(large->weights_of(model(*small, Weights(w.size())))), 0.0);
}

TEST_F(DepTrainingSet, RefusesModelsOfOtherFeatures) {
  const auto set = load(kText);
  const auto message = [&](const Options& options, const std::string& text = kText) {
    const auto other = load(text, options);
    try {
      set->weights_of(model(*other, trained(*other)));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({{"decoder", "chu-liu-edmonds"}, {"cost", "head"}}), "");
  EXPECT_TRUE(
      contains(message({{"hash_bits", "8"}}),
               "the.model: was trained with hash_bits=8 and label_bits=6, this training has 7 and 6"));
  EXPECT_TRUE(contains(message({{"label_bits", "7"}}), "label_bits=7"));
  EXPECT_TRUE(contains(message({{"hash_bits", "0"}}), "hash_bits=0"));
  const std::string other = folder_.write("other.parts", kTemplates + "arc m.form\n");
  EXPECT_TRUE(contains(message({{"features", other}}), "the.model: was trained with other templates"));
}

TEST_F(DepTrainingSet, RefusesAModelThatSharesNothingWithIt) {
  const Options options{{"hash_bits", "0"}, {"labelled", "false"}};
  const auto set = load(kText, options);
  const auto other = load(conllu({"x X 2 a", "y Y 0 b", ""}), options);
  EXPECT_THROW(set->weights_of(model(*other, trained(*other))), ModelError);
}

// ---- Fingerprints

TEST_F(DepTrainingSet, HasTheSameFingerprintForTheSameDataAndOptions) {
  EXPECT_EQ(load(kText)->fingerprint(), load(kText)->fingerprint());
  EXPECT_EQ(load(kText, {{"order", "2"}})->fingerprint(), load(kText, {{"order", "2"}})->fingerprint());
}

TEST_F(DepTrainingSet, HasAFingerprintOfItsOwnForAnythingElse) {
  std::map<std::uint64_t, std::string> seen;
  const auto add = [&](const std::string& what, std::uint64_t fingerprint) {
    const auto [place, is_new] = seen.try_emplace(fingerprint, what);
    EXPECT_TRUE(is_new) << what << " is like " << place->second;
  };
  add("the data", load(kText)->fingerprint());
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string text = kText;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  add("another form", load(replaced("cat", "bat"))->fingerprint());
  add("another head", load(replaced("_\t2\tdet", "_\t3\tdet"))->fingerprint());
  add("another label", load(replaced("obl", "obj"))->fingerprint());
  add("one label less", load(replaced("obl", "nsubj"))->fingerprint());
  add("twice", load(kText + kText)->fingerprint());
  for (const Options& options : std::vector<Options>{{{"hash_bits", "8"}},
                                                     {{"hash_bits", "0"}},
                                                     {{"label_bits", "7"}},
                                                     {{"decoder", "chu-liu-edmonds"}},
                                                     {{"single_root", "false"}},
                                                     {{"labelled", "false"}},
                                                     {{"cost", "head"}},
                                                     {{"punctuation", "0.5"}},
                                                     {{"order", "2"}},
                                                     {{"features", "dep-plain"}}}) {
    add(options[0].first + "=" + options[0].second, load(kText, options)->fingerprint());
  }
}

// ---- Data and options

TEST_F(DepTrainingSet, SaysWhatItHolds) {
  EXPECT_TRUE(contains(load(kText)->summary(), "2 sentences, 7 words, 5 labels, 3 arc and 3 label templates"))
      << load(kText)->summary();
  const std::string crossing = conllu({"a X 0 r", "b X 1 x", "c X 1 x", "d X 2 x", ""});
  EXPECT_TRUE(contains(load(crossing)->summary(), "(1 trees made projective)")) << load(crossing)->summary();
  EXPECT_FALSE(contains(load(crossing, {{"decoder", "chu-liu-edmonds"}})->summary(), "projective"));
}

TEST_F(DepTrainingSet, LearnsSeveralRootsWhereTheDataHasThem) {
  const std::string several = conllu({"a X 0 r", "b X 0 r", "c X 2 x", ""});
  for (const std::string decoder : {"eisner", "chu-liu-edmonds"}) {
    const auto set = load(several, {{"decoder", decoder}});
    const Weights w = train_quietly(set->task(), {.learner = "dcd", .options = {{"epochs", "30"}}}).weights;
    EXPECT_EQ(dev_scores(*set, folder_.write("dev.conllu", several), w)[0].second, 100.0) << decoder;
  }
  EXPECT_TRUE(contains(refusal<OptionError>(several, {{"single_root", "true"}}),
                       "single_root is true, but 1 sentences"));
}

TEST_F(DepTrainingSet, IsRefusedForWrongOptions) {
  const std::vector<Options> wrong = {
      {{"decoder", "viterbi"}},   {{"order", "0"}},       {{"order", "3"}},        {{"single_root", "maybe"}},
      {{"labelled", "perhaps"}},  {{"cost", "hinge"}},    {{"punctuation", "-1"}}, {{"hash_bits", "-1"}},
      {{"hash_bits", "25"}},      {{"hash_bits", "x"}},   {{"label_bits", "0"}},   {{"label_bits", "25"}},
      {{"features", "standart"}}, {{"no_such", "thing"}},
  };
  for (const Options& options : wrong) {
    const std::string message = refusal<OptionError>(kText, options);
    EXPECT_TRUE(contains(message, options[0].first)) << options[0].first << ": " << message;
  }
  EXPECT_TRUE(contains(refusal<OptionError>(kText, {{"features", "standart"}}), "dep, dep-plain"));
  EXPECT_TRUE(contains(refusal<InputError>(kText, {{"features", "./no/such.file"}}), "./no/such.file"));
  const std::string broken = folder_.write("broken.parts", "arc h.form\narc x.form\n");
  EXPECT_TRUE(contains(refusal<InputError>(kText, {{"features", broken}}), "broken.parts:2: "));
}

TEST_F(DepTrainingSet, OfSecondOrderNeedsProjectiveTrees) {
  const std::string message = refusal<OptionError>(kText, {{"order", "2"}, {"decoder", "chu-liu-edmonds"}});
  EXPECT_TRUE(contains(message, "order=2")) << message;
  EXPECT_TRUE(contains(message, "decoder=eisner")) << message;
}

TEST_F(DepTrainingSet, OfMoreWeightsThanCanBeNumberedIsRefused) {
  Lines words;
  for (int k = 0; k < 250; ++k) words.push_back("w X " + std::to_string(k) + " label" + std::to_string(k));
  words.push_back("");
  EXPECT_TRUE(contains(refusal<OptionError>(conllu(words), {{"hash_bits", "24"}, {"label_bits", "24"}}),
                       "more than 2^32 weights"));
}

TEST_F(DepTrainingSet, IsRefusedForDataWithoutTrees) {
  EXPECT_TRUE(contains(refusal<InputError>(""), "train.conllu: has no sentences"));
  EXPECT_TRUE(contains(refusal<InputError>(conllu({"a X", ""})), "train.conllu:1: the HEAD of word 1"));
  EXPECT_TRUE(contains(refusal<InputError>(conllu({"a X 0 _", ""})), "train.conllu:1: the DEPREL of word 1"));
  EXPECT_EQ(refusal<InputError>(conllu({"a X 0 _", ""}), {{"labelled", "false"}}), "");
  const auto set = load(kText);
  Workers workers(1);
  EXPECT_THROW(set->scorer(folder_.path("missing"), workers), InputError);
  EXPECT_THROW(find_task("dep").choose()->evaluate("", folder_.path("train.conllu")), OptionError);
}

TEST_F(DepTrainingSet, ScoresLabelsItHasNeverSeen) {
  const auto set = load(kText);
  const std::string dev = folder_.write("dev.conllu", conllu({"cats NOUN 2 never", "sit VERB 0 seen", ""}));
  const Scores scores = dev_scores(*set, dev, trained(*set));
  EXPECT_EQ(scores[1].first, "las");
  EXPECT_EQ(scores[1].second, 0.0);
}

TEST_F(DepTrainingSet, SavesTheSameBytesForTheSameWeights) {
  for (const char* hash_bits : {"7", "0"}) {
    const auto set = load(sample_text("dep", 12, 1), {{"hash_bits", hash_bits}});
    const Weights w = trained(*set);
    EXPECT_EQ(model_of(*set, w, "dep"), model_of(*set, w, "dep"));
  }
}

}  // namespace
}  // namespace hinge::test
