// Translation models as files: what is written is what is read, and no damage makes a
// search crash.
#include "hinge/mt/model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "hinge/core/error.h"
#include "hinge/mt/train.h"
#include "hinge/mt/translate.h"
#include "tests/mt/translation_reference.h"
#include "tests/support/data.h"

namespace hinge::mt {
namespace {

using hinge::test::TemporaryFolder;
using test::World;

// As in model.cc.
constexpr SectionKind kKind = {
    .magic = std::string_view("HINGMT\r\n", 8),
    .format = 1,
    .what = "a translation model",
    .make = "make one",
    .redo = "make it again",
    .refuse = [](const std::string& message) { throw ModelError(message); },
};

std::string write(const std::string& path, const Parts& parts, std::span<const NamedWeight> weights,
                  const Json& description) {
  OutputFile out(path);
  write_model(out, parts, description, weights);
  out.commit();
  return path;
}

std::string write(const std::string& path, const Parts& parts) {
  std::vector<NamedWeight> weights = first_weights();
  weights.push_back({"pair:w0~w1", 0.5f});
  weights.push_back({"bigram:w0~w1", -0.25f});
  Json description;
  description.set("sparse", "pair,bigram").set("frequent", std::int64_t{3});
  return write(path, parts, weights, description);
}

void expect_same_words(const Words& a, const Words& b) {
  ASSERT_EQ(a.size(), b.size());
  for (Word word = 0; word < a.size(); ++word) {
    EXPECT_EQ(a.text(word), b.text(word));
    EXPECT_EQ(b.find(a.text(word)), word);
  }
  EXPECT_EQ(b.find("no such word"), Words::kNone);
}

void expect_same_rules(const Rules& a, const Rules& b) {
  ASSERT_EQ(a.nodes(), b.nodes());
  ASSERT_EQ(a.size(), b.size());
  for (std::uint32_t node = 0; node < a.nodes(); ++node) {
    EXPECT_EQ(a.source_count(node), b.source_count(node));
    EXPECT_EQ(a.rules(node).begin, b.rules(node).begin);
    EXPECT_EQ(a.rules(node).end, b.rules(node).end);
    a.each_child(node, [&](Symbol symbol, std::uint32_t child) { EXPECT_EQ(b.child(node, symbol), child); });
  }
  for (std::uint32_t rule = 0; rule < a.size(); ++rule) {
    EXPECT_TRUE(std::ranges::equal(a.target(rule), b.target(rule)));
    EXPECT_EQ(std::memcmp(&a.values(rule), &b.values(rule), sizeof(RuleValues)), 0);
  }
}

TEST(Model, IsWhatWasWritten) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const World world(seed, {.sentences = 1 + 10 * seed});
    const std::string path = write(folder.path("model"), world.parts());
    EXPECT_TRUE(Model::is_model(path));
    const Model model = Model::open(path);
    model.verify();
    const Parts parts = model.parts();
    EXPECT_EQ(parts.frequent, 3u);
    expect_same_words(*world.parts().source, *parts.source);
    expect_same_words(*world.parts().target, *parts.target);
    expect_same_rules(*world.parts().rules, *parts.rules);
    EXPECT_EQ(model.description().text("sparse"), "pair,bigram");
    EXPECT_TRUE(model.sparse().has(SparseKind::kPair));
    EXPECT_FALSE(model.sparse().has(SparseKind::kShape));
    ASSERT_EQ(model.weights().size(), kDenseFeatures + 2u);
    EXPECT_EQ(model.weights()[kGlue], first_weights()[kGlue]);
    EXPECT_EQ(model.weights().back(), (NamedWeight{"bigram:w0~w1", -0.25f}));
    const std::string again = write(folder.path("again"), parts, model.weights(), model.description());
    EXPECT_EQ(TemporaryFolder::read(again), TemporaryFolder::read(path));
  }
}

TEST(Model, OfNoFrequentWordsHasFeaturesForAll) {
  const TemporaryFolder folder;
  const World world(1, {});
  Json description;
  description.set("sparse", "").set("frequent", std::int64_t{0});
  const Model model = Model::open(write(folder.path("model"), world.parts(), first_weights(), description));
  EXPECT_EQ(model.parts().frequent, Words::kNone);
  EXPECT_TRUE(model.sparse().empty());
}

// ---- Training

std::string text_of(const Side& side) {
  std::string text;
  for (std::size_t i = 0; i < side.sentences(); ++i) {
    for (const Word word : side.sentence(i)) text += std::string(side.words.text(word)) + " ";
    text += "\n";
  }
  return text;
}

TrainInput random_input(const TemporaryFolder& folder, std::uint64_t seed, std::size_t sentences) {
  const Bitext text = random_bitext(seed, sentences, 12, 30);
  TrainInput input;
  input.source = folder.write("source", text_of(text.source));
  input.target = folder.write("target", text_of(text.target));
  return input;
}

std::string train_bytes(const TrainInput& input, const TrainOptions& options, const std::string& path,
                        int threads) {
  Workers workers(threads);
  OutputFile out(path);
  train(input, options, out, workers, [](const std::string&) {});
  out.commit();
  return TemporaryFolder::read(path);
}

TEST(Train, WritesTheSameBytesWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const TrainInput input = random_input(folder, 1, 300);
  for (const std::string aligner : {"hmm", "ibm2"}) {
    TrainOptions options;
    options.align.aligner = aligner;
    options.sparse = "all";
    const std::string one = train_bytes(input, options, folder.path("one"), 1);
    for (const int threads : {1, 2, 3})
      EXPECT_EQ(train_bytes(input, options, folder.path("model"), threads), one) << threads << " threads";
  }
}

TEST(Train, UsesTheLinksAndTheLanguageModelOfFiles) {
  const TemporaryFolder folder;
  TrainInput input;
  input.source = folder.write("source", "das Haus\n\nein Haus\n");
  input.target = folder.write("target", "the house\nx\na house\n");
  input.alignment = folder.write("links", "0-0 1-1\n\n0-0 1-1\n");
  input.arpa = folder.write("arpa",
                            "\\data\\\nngram 1=5\n\n\\1-grams:\n-1 <unk>\n-99 <s>\n-0.5 </s>\n-0.25 house\n"
                            "-0.125 extra\n\n\\end\\\n");
  train_bytes(input, {}, folder.path("model"), 1);
  const Model model = Model::open(folder.path("model"));
  const Parts parts = model.parts();
  EXPECT_EQ(parts.language_model->order(), 1u);
  EXPECT_TRUE(parts.language_model->knows(parts.target->find("extra")));
  EXPECT_FALSE(parts.language_model->knows(parts.target->find("the")));
  const std::uint32_t node = parts.rules->child(Rules::kRoot, parts.source->find("Haus"));
  ASSERT_NE(node, Rules::kNone);
  const auto [begin, end] = parts.rules->rules(node);
  ASSERT_EQ(end, begin + 1);
  EXPECT_EQ(parts.target->text(parts.rules->target(begin)[0]), "house");
  EXPECT_EQ(parts.rules->values(begin).count, 2u);
  EXPECT_NEAR(parts.rules->values(begin).language_model, -0.25 * std::log(10.0), 1e-5);
  EXPECT_EQ(model.description().whole("pairs"), 2);
}

TEST(Train, RefusesUnknownSparseFeatures) {
  const TemporaryFolder folder;
  TrainOptions options;
  options.sparse = "trigram";
  EXPECT_THROW(train_bytes(random_input(folder, 1, 3), options, folder.path("model"), 1), OptionError);
}

// ---- Damage

// Opens and translates. True if the file was refused.
bool is_refused(const std::string& path) {
  try {
    const Model model = Model::open(path);
    const FeatureWeights weights(model.weights(), path);
    const NBestRequest request{.count = 5, .distinct = true, .sparse = SparseSet("all")};
    const Translator translator(model, weights, {.beam = 20, .span = 10, .candidates = 5}, request);
    Workers workers(1);
    std::vector<std::string> sentences = {"", "new", "w0 w1 w2 w3 w0 w1 w2 w3 w0"};
    Random random(1);
    for (int i = 0; i < 4; ++i) sentences.push_back(random_line(random, 8, 4));
    for (const NBest& best : translator.translate(sentences, workers, "text", 1))
      EXPECT_FALSE(best.translations.empty());
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()), "");
    return true;
  }
  return false;
}

void flip_bit(std::string& bytes, Random& random) {
  char& byte = bytes[random.below(bytes.size())];
  byte = static_cast<char>(byte ^ (1 << random.below(8)));
}

bool is_whole(const std::string& path) {
  Model::open(path).verify();
  return true;
}

TEST(Model, CutShortOrWithAChangedBitIsRefused) {
  const TemporaryFolder folder;
  const World world(3, {.sentences = 20});
  const std::string whole = TemporaryFolder::read(write(folder.path("model"), world.parts()));
  ASSERT_FALSE(is_refused(folder.path("model")));
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(::testing::Message() << "change " << i);
    EXPECT_TRUE(is_refused(folder.write("cut", whole.substr(0, random.below(whole.size())))));
    std::string changed = whole;
    flip_bit(changed, random);
    const std::string path = folder.write("changed", changed);
    // What is between the sections belongs to none.
    EXPECT_TRUE(is_refused(path) || is_whole(path));
  }
}

TEST(Model, OfAnotherKindOrVersionIsRefused) {
  const TemporaryFolder folder;
  const World world(3, {});
  const std::string whole = TemporaryFolder::read(write(folder.path("model"), world.parts()));
  const auto message_of = [&](const std::string& bytes) -> std::string {
    try {
      (void)Model::open(folder.write("other", bytes));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  std::string older = whole;
  older.replace(0, 8, "HINGMT\n\n");
  EXPECT_NE(message_of(older).find("is not a translation model"), std::string::npos) << message_of(older);
  EXPECT_FALSE(Model::is_model(folder.path("other")));
  for (const char format : {0, 2}) {
    std::string other = whole;
    other[8] = format;
    EXPECT_NE(message_of(other).find("reads formats 1-1"), std::string::npos) << message_of(other);
  }
  EXPECT_NE(message_of("").find("empty"), std::string::npos) << message_of("");
  EXPECT_NE(message_of("some text\n").find("hinge mt train"), std::string::npos);
}

// The sections of a model with other bytes in one of them and checksums that fit. Large
// models are not checked as a whole when they are opened, so their damage looks like this.
template <typename Change>
std::string with_changed_section(const std::string& whole, const std::string& name, const Change& change) {
  const SectionFile file = SectionFile::from_bytes(whole, "model", kKind);
  SectionWriter writer(kKind);
  for (const auto& [section, size] : file.sizes()) {
    std::string bytes(file.section(section));
    if (section == name) change(bytes);
    writer.add(section, bytes);
  }
  return writer.bytes();
}

const std::vector<std::string> kArrays = {
    "source.text",  "source.begin", "source.keys",   "source.nums",  "target.text", "target.begin",
    "target.keys",  "target.nums",  "rule.children", "rule.symbols", "rule.begin",  "rule.sources",
    "rule.targets", "rule.words",   "rule.values",   "lm.shape",     "lm.words",    "lm.ngrams"};

TEST(Model, WithDamagedArraysIsRefusedOrTranslatesSomehow) {
  const TemporaryFolder folder;
  Random random(4);
  const World world(3, {.sentences = 20, .targets = 30});
  const std::string whole = TemporaryFolder::read(write(folder.path("model"), world.parts()));
  std::size_t refused = 0, translated = 0;
  for (const std::string& name : kArrays) {
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(::testing::Message() << name << ", change " << i);
      const auto change = [&](std::string& bytes) {
        for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) flip_bit(bytes, random);
      };
      ++(is_refused(folder.write("changed", with_changed_section(whole, name, change))) ? refused
                                                                                        : translated);
    }
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(translated, 100u);
}

// Values that do most harm: no numbers, gaps where there were words, the largest numbers.
TEST(Model, WithWildNumbersIsRefusedOrTranslatesSomehow) {
  const TemporaryFolder folder;
  Random random(5);
  const World world(3, {.sentences = 20, .targets = 30});
  const std::string whole = TemporaryFolder::read(write(folder.path("model"), world.parts()));
  const std::array<std::uint32_t, 8> wild = {kFirstGap,
                                             kSecondGap,
                                             0,
                                             1,
                                             0x7FFFFFFF,
                                             NgramModel::kEnd,
                                             std::bit_cast<std::uint32_t>(std::nanf("")),
                                             std::bit_cast<std::uint32_t>(-3e38f)};
  for (const std::string& name : kArrays) {
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(::testing::Message() << name << ", change " << i);
      const auto change = [&](std::string& bytes) {
        for (std::uint64_t changes = 1 + random.below(50); changes > 0 && bytes.size() >= 4; --changes) {
          const std::uint32_t value = wild[random.below(wild.size())];
          std::memcpy(bytes.data() + 4 * random.below(bytes.size() / 4), &value, 4);
        }
      };
      (void)is_refused(folder.write("changed", with_changed_section(whole, name, change)));
    }
  }
}

TEST(Model, WithArraysOfOtherSizesIsRefusedOrTranslatesSomehow) {
  const TemporaryFolder folder;
  Random random(6);
  const World world(3, {.sentences = 20});
  const std::string whole = TemporaryFolder::read(write(folder.path("model"), world.parts()));
  for (const std::string& name : kArrays) {
    for (int i = 0; i < 12; ++i) {
      SCOPED_TRACE(::testing::Message() << name << ", change " << i);
      const auto change = [&](std::string& bytes) {
        bytes = i == 0 ? "" : i < 8 ? bytes.substr(0, random.below(bytes.size() + 1)) : bytes + bytes;
      };
      (void)is_refused(folder.write("changed", with_changed_section(whole, name, change)));
    }
  }
}

// A rule that uses a gap twice, or one that its source side does not have.
TEST(Model, WithGapsThatNoSourceSideHasIsRefused) {
  const TemporaryFolder folder;
  const World world(3, {.sentences = 20});
  const std::string whole = TemporaryFolder::read(write(folder.path("model"), world.parts()));
  for (const Symbol gap : {kFirstGap, kSecondGap}) {
    const auto change = [&](std::string& bytes) {
      for (std::size_t at = 0; at < bytes.size(); at += 4) std::memcpy(bytes.data() + at, &gap, 4);
    };
    EXPECT_TRUE(is_refused(folder.write("changed", with_changed_section(whole, "rule.words", change))));
  }
}

}  // namespace
}  // namespace hinge::mt
