// Damaged parser models: each is refused or parses something; none crashes the
// program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/features/hash.h"
#include "hinge/files/output_file.h"
#include "hinge/tasks/registry.h"
#include "tests/support/conllu.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

const std::string kTemplates =
    "arc h.form\narc m.form\narc h.upos m.upos\narc h.upos b.upos m.upos\n"
    "sibling h.upos s.upos m.upos\ngrand g.upos h.upos m.upos\nlabel m.form\nlabel h.upos m.upos dir\n";

const std::string kInput =
    conllu({"the DET", "cat NOUN", "sat VERB", ". PUNCT", "", "dogs NOUN", "ran VERB", ""});

// A second-order parser gets a small first stage here: that of load_set has
// megabytes.
std::string trained(const Options& more) {
  const TemporaryFolder folder;
  Options options{
      {"features", folder.write("my.parts", kTemplates)}, {"hash_bits", "4"}, {"label_bits", "3"}};
  options.insert(options.end(), more.begin(), more.end());
  const auto choice = find_task("dep").choose();
  for (const auto& [name, value] : options) choice->options().set(name, value);
  if (choice->first_stage().task != nullptr) choice->set_first_stage(trained({{"labelled", "false"}}));
  const auto set = choice->load(folder.write("train.conllu", sample_text("dep", 4, 1)));
  const Weights w =
      train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "2"}}}).weights;
  return model_of(*set, w, "dep");
}

using Sections = std::vector<std::pair<std::string, std::string>>;

Sections sections_of(const std::string& bytes) {
  const ModelFile file = ModelFile::from_bytes(bytes, "model");
  Sections sections;
  for (const auto& [name, size] : file.sizes()) sections.emplace_back(name, std::string(file.section(name)));
  return sections;
}

// With correct checksums.
std::string bytes_of(const Sections& sections) {
  ModelWriter writer;
  for (const auto& [name, bytes] : sections) writer.add(name, bytes);
  return writer.bytes();
}

// Output is not committed: writing thousands of files would take minutes.
void use(const std::string& bytes, const PredictSettings& settings = {.scores = true}) {
  static const TemporaryFolder folder;
  static const std::string input = folder.write("input", kInput);
  const ModelFile model = ModelFile::from_bytes(bytes, "the.model");
  const auto predictor = open_predictor(model);
  OutputFile out(folder.path("output"));
  Workers workers(1);
  predictor->predict(input, out, settings, workers);
  (void)predictor->summary();
  (void)predictor->heaviest(5);
}

std::string refusal(const std::string& bytes) {
  try {
    use(bytes);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

void survive(const std::string& bytes) {
  try {
    use(bytes);
    use(bytes, {.n_best = 3});
  } catch (const Error&) {
  }
}

struct Kind {
  std::string name;
  Options options;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class DamagedParser : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override { sections_ = sections_of(trained(GetParam().options)); }

  std::string& section(const std::string& name) {
    for (auto& [other, bytes] : sections_) {
      if (other == name) return bytes;
    }
    throw std::runtime_error("no section " + name);
  }
  bool has(const std::string& name) const {
    return std::ranges::any_of(sections_, [&](const auto& section) { return section.first == name; });
  }
  void change_meta(const std::string& key, const nlohmann::json& value) {
    nlohmann::json meta = nlohmann::json::parse(section("meta"));
    meta[key] = value;
    section("meta") = meta.dump();
  }

  Sections sections_;
};

INSTANTIATE_TEST_SUITE_P(
    All, DamagedParser,
    testing::Values(Kind{"Hashed", {}}, Kind{"Dictionary", {{"hash_bits", "0"}}},
                    Kind{"AnyTree", {{"decoder", "chu-liu-edmonds"}}}, Kind{"SecondOrder", {{"order", "2"}}},
                    Kind{"SecondOrderByDictionary", {{"order", "2"}, {"hash_bits", "0"}}}),
    [](const auto& info) { return info.param.name; });

TEST_P(DamagedParser, IsFineAtFirst) { EXPECT_NO_THROW(use(bytes_of(sections_))); }

TEST_P(DamagedParser, WithoutASectionIsRefused) {
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    Sections fewer = sections_;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(s));
    EXPECT_NE(refusal(bytes_of(fewer)).find("the.model"), std::string::npos) << sections_[s].first;
  }
}

TEST_P(DamagedParser, WithASectionCutShortIsRefused) {
  for (const auto& [name, bytes] : sections_) {
    for (const std::size_t size : {std::size_t{0}, bytes.size() / 2, bytes.size() - bytes.size() % 4 - 4}) {
      if (name == "features" && size > 0) continue;  // fewer templates are also valid
      const Sections before = sections_;
      section(name).resize(size);
      EXPECT_NE(refusal(bytes_of(sections_)), "") << name << " of " << size << " bytes";
      sections_ = before;
    }
  }
}

TEST_P(DamagedParser, WithTemplatesThatAreNoneIsRefusedAsAModel) {
  for (const std::string text : {"", "arc x.form\n", "label m.form\n", "nonsense"}) {
    section("features") = text;
    EXPECT_NE(refusal(bytes_of(sections_)).find("the.model"), std::string::npos) << text;
  }
}

TEST_P(DamagedParser, WithADescriptionOfOtherTypesIsRefused) {
  const std::string meta = section("meta");
  for (const std::string key :
       {"labels", "decoder", "order", "single_root", "hash_bits", "label_bits", "task"}) {
    for (const nlohmann::json& value : {nlohmann::json(nullptr), nlohmann::json("text"), nlohmann::json(true),
                                        nlohmann::json(-1), nlohmann::json(1e300), nlohmann::json(1e9),
                                        nlohmann::json::array({1, "x", "x"}), nlohmann::json::object()}) {
      section("meta") = meta;
      change_meta(key, value);
      try {
        use(bytes_of(sections_));
      } catch (const ModelError&) {
      }
    }
  }
}

TEST_P(DamagedParser, WithSizesThatDoNotFitIsRefused) {
  const std::string meta = section("meta");
  for (const std::string key : {"hash_bits", "label_bits"}) {
    for (const int bits : {-1, 5, 20, 25, 60, 64, 100}) {
      if (key == "hash_bits" && bits <= 24 && bits > 0 && has("keys")) continue;
      section("meta") = meta;
      change_meta(key, bits);
      EXPECT_NE(refusal(bytes_of(sections_)), "") << key << " " << bits;
    }
  }
  section("meta") = meta;
  change_meta("labels",
              {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q",
               "r", "s", "t", "u", "v", "w", "x", "y", "z", "1", "2", "3", "4", "5", "6", "7", "8"});
  EXPECT_NE(refusal(bytes_of(sections_)), "");
}

TEST_P(DamagedParser, WithoutItsLabelsHasNone) {
  change_meta("labels", nlohmann::json::array());
  EXPECT_NO_THROW(use(bytes_of(sections_)));
}

TEST_P(DamagedParser, WithSectionsInAnyOrderParsesTheSame) {
  const std::string expected = predict(ModelFile::from_bytes(bytes_of(sections_), "model"), kInput);
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    std::rotate(sections_.begin(), sections_.begin() + 1, sections_.end());
    EXPECT_EQ(predict(ModelFile::from_bytes(bytes_of(sections_), "model"), kInput), expected);
  }
}

TEST_P(DamagedParser, WithWeightsThatAreNoNumbersIsRefused) {
  const std::string parts = section("parts");
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (std::size_t at = 0; at + 4 <= parts.size(); at += 4)
      std::memcpy(section("parts").data() + at, &wrong, sizeof wrong);
    EXPECT_NE(refusal(bytes_of(sections_)).find("not finite"), std::string::npos);
  }
}

TEST_P(DamagedParser, WithWeightsOfAnySizeSurvives) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    for (const char* name : {"parts", "labels"}) {
      std::string& bytes = section(name);
      for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        const auto bits = static_cast<std::uint32_t>(random.bits());
        const float large = random.below(2) == 0 ? 3e38f : -3e38f;
        if (seed % 2 == 0) std::memcpy(bytes.data() + at, &bits, 4);
        if (seed % 2 == 1 && random.below(3) == 0) std::memcpy(bytes.data() + at, &large, 4);
      }
    }
    survive(bytes_of(sections_));
  }
}

TEST_P(DamagedParser, WithAnyBytesChangedSurvives) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Sections damaged = sections_;
    std::string& bytes = damaged[random.below(damaged.size())].second;
    if (bytes.empty()) continue;
    for (std::uint64_t k = 0; k <= random.below(4); ++k)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) bytes.resize(random.below(2 * bytes.size()));
    survive(bytes_of(damaged));
  }
}

// Arrays of a dictionary are looked up without a check, so opening must check them all.
TEST_P(DamagedParser, WithADictionaryThatPointsOutsideIsRefused) {
  if (!has("rows")) return;
  const std::string rows = section("rows");
  for (std::size_t at = 0; at < rows.size(); at += 4) {
    section("rows") = rows;
    const std::uint32_t outside = 0x0FFFFFFF;
    std::memcpy(section("rows").data() + at, &outside, sizeof outside);
    EXPECT_NE(refusal(bytes_of(sections_)), "") << at;
  }
  section("rows") = rows;
  std::string& keys = section("keys");
  for (std::size_t at = 0; at < keys.size(); at += 8) keys[at] = 1;  // none free
  EXPECT_NE(refusal(bytes_of(sections_)), "");
}

TEST_P(DamagedParser, WithAPrunerOfOtherKindIsRefused) {
  if (!has("pruner")) return;
  const std::string other = trained({{"decoder", "chu-liu-edmonds"}});
  for (const std::string& pruner : {std::string(), std::string("HINGE"), section("pruner").substr(0, 100),
                                    other, trained({{"features", "dep"}}), trained({{"order", "2"}})}) {
    section("pruner") = pruner;
    EXPECT_NE(refusal(bytes_of(sections_)).find("the.model"), std::string::npos);
  }
}

TEST_P(DamagedParser, WhosePrunerHasAnyBytesChangedSurvives) {
  if (!has("pruner")) return;
  const Sections inner = sections_of(section("pruner"));
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Sections damaged = inner;
    std::string& bytes = damaged[random.below(damaged.size())].second;
    if (bytes.empty()) continue;
    for (std::uint64_t k = 0; k <= random.below(3); ++k)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) bytes.resize(random.below(2 * bytes.size()));
    section("pruner") = bytes_of(damaged);
    survive(bytes_of(sections_));
  }
}

}  // namespace
}  // namespace hinge::test
