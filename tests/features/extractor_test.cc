// One rule of the extractor at a time; expansion_test.cc tests them all together.
#include "hinge/features/extractor.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hinge/core/error.h"
#include "hinge/features/presets.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Sentence = std::vector<std::vector<std::string>>;

// A sentence in the extractor's form: views into `rows`, columns in file order.
struct Shown {
  explicit Shown(const Sentence& rows, std::vector<std::size_t> file_columns = {0, 1, 2})
      : columns(std::move(file_columns)) {
    for (const auto& row : rows) cells.insert(cells.end(), row.begin(), row.end());
    stride = rows.empty() ? 3 : rows[0].size();
  }
  Cells view() const { return {cells, stride, columns}; }

  std::vector<std::string_view> cells;
  std::vector<std::size_t> columns;
  std::size_t stride;
};

// The keys of a template file without lexicons.
struct Extracted {
  Extracted(const std::string& templates, const Sentence& sentence,
            std::vector<std::size_t> columns = {0, 1, 2})
      : model(parse_templates(templates, "test")), extractor(model), shown(sentence, std::move(columns)) {
    extractor.extract(shown.view(), keys);
  }
  Key node(std::size_t token, std::size_t k) const {
    return keys.nodes[token * model.templates().nodes.size() + k];
  }

  FeatureModel model;
  Extractor extractor;
  Shown shown;
  FeatureKeys keys;
};

const Sentence kShort = {{"a", "DT", "0.5"}, {"dog", "NN", "-2"}};

TEST(Extractor, MarksWhatLiesOutsideTheSentence) {
  const Extracted e(
      "U:%x[-1,0]\nU:%x[-2,0]\nU:%x[-3,0]\nU:%x[1,0]\nU:%x[2,0]\nU:%lower[-1,1]\nU:%prefix[2,0,1]\n", kShort);
  const auto& nodes = e.model.templates().nodes;
  const auto text = [&](std::size_t k, std::size_t token) {
    return e.extractor.value_text(nodes[k].items[0], token);
  };
  EXPECT_EQ(text(0, 0), "_B-1");
  EXPECT_EQ(text(1, 0), "_B-2");
  EXPECT_EQ(text(2, 0), "_B-3");
  EXPECT_EQ(text(2, 1), "_B-2");
  EXPECT_EQ(text(3, 1), "_B+1");
  EXPECT_EQ(text(4, 0), "_B+1");
  EXPECT_EQ(text(4, 1), "_B+2");
  EXPECT_EQ(text(5, 0), "_B-1");
  EXPECT_EQ(text(6, 1), "_B+2");
  // The same text from any template is the same feature, as in CRF++.
  EXPECT_EQ(e.node(0, 0), e.node(1, 1));
  EXPECT_EQ(e.node(0, 0), e.node(0, 5));
  EXPECT_EQ(e.node(1, 3), e.node(0, 4));
  EXPECT_NE(e.node(0, 0), e.node(1, 3));
}

// "fires only when it does": nothing outside the sentence matches.
TEST(Extractor, DoesNotFireAConditionOutsideTheSentence) {
  const Extracted e("U:%if[-1,0,\"^a$\"]\nU:%if[1,0,\"^dog$\"]\n", kShort);
  EXPECT_EQ(e.node(0, 0), kAbsent);
  EXPECT_NE(e.node(1, 0), kAbsent);
  EXPECT_NE(e.node(0, 1), kAbsent);
  EXPECT_EQ(e.node(1, 1), kAbsent);
}

TEST(Extractor, FindsNoMatchOutsideTheSentence) {
  const Extracted e("U:%m[-1,0,\"^[a-z]\"]\n", kShort);
  EXPECT_EQ(e.node(0, 0), kAbsent);
  EXPECT_NE(e.node(1, 0), kAbsent);
}

TEST(Extractor, FindsNoNamesNorClustersNorTagsOutsideTheSentence) {
  const TemporaryFolder folder;
  const std::string names = folder.write("names", "a\n");
  FeatureModel model(parse_templates(
      fmt::format("U:%gazetteer[-1,0,\"{}\"]\nU:%cluster[-1,0,2]\nU:%lexicon[-1,0,1,1]\n", names), "test"));
  model.read_lexicons(folder.write("paths", "0101\ta\t1\n"));
  model.count(Shown(kShort).view());
  model.finish_counting();
  Extractor extractor(model);
  FeatureKeys keys;
  extractor.extract(Shown(kShort).view(), keys);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(keys.nodes[k], kAbsent) << k;
    EXPECT_NE(keys.nodes[3 + k], kAbsent) << k;
  }
}

TEST(Extractor, TakesTheOrderOfValuesIntoAccount) {
  const Extracted e("U:%x[0,0]/%x[1,0]\nU:%x[1,0]/%x[0,0]\n",
                    {{"a", "X", "1"}, {"b", "X", "1"}, {"a", "X", "1"}});
  EXPECT_NE(e.node(0, 0), e.node(0, 1));  // a/b and b/a
  EXPECT_EQ(e.node(0, 0), e.node(1, 1));  // a/b from both templates
  EXPECT_EQ(e.node(0, 1), e.node(1, 0));
}

TEST(Extractor, TellsTemplatesApartByTheirText) {
  const Extracted e("U1:%x[0,0]\nU2:%x[0,0]\nU1:%x[0,0]!\nU1\nU1:\n", kShort);
  std::set<Key> keys;
  for (std::size_t k = 0; k < 5; ++k) keys.insert(e.node(0, k));
  EXPECT_EQ(keys.size(), 5u);
}

TEST(Extractor, DoesNotFireWhereAnyValueIsAbsent) {
  const Extracted e("U:%x[0,0]/%if[0,0,\"dog\"]\nU:%prefix[0,0,2]/%x[0,0]\nU:%m[0,0,\"o.*\"]\n", kShort);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(e.node(0, k), kAbsent) << k;
    EXPECT_NE(e.node(1, k), kAbsent) << k;
  }
}

TEST(Extractor, FiresForEmptyCells) {
  const Extracted e("U:%x[0,0]\nU:%lower[0,0]\nU:%shape[0,0]\nU:%prefix[0,0,1]\n", {{"", "X", "1"}});
  EXPECT_NE(e.node(0, 0), kAbsent);
  EXPECT_EQ(e.node(0, 0), e.node(0, 1));
  EXPECT_EQ(e.node(0, 0), e.node(0, 2));
  EXPECT_EQ(e.node(0, 3), kAbsent);
}

TEST(Extractor, ReadsFileColumnsThroughTheMap) {
  const Sentence swapped = {{"0.5", "DT", "a"}, {"-2", "NN", "dog"}};
  const Extracted direct("U:%x[0,0]/%lower[0,1]\n", kShort);
  const Extracted mapped("U:%x[0,0]/%lower[0,1]\n", swapped, {2, 1, 0});
  EXPECT_EQ(mapped.keys.nodes, direct.keys.nodes);
}

TEST(Extractor, HasNothingForASentenceWithoutTokens) {
  const Extracted e("U:%x[-1,0]\nB\n", {});
  EXPECT_TRUE(e.keys.nodes.empty());
  EXPECT_TRUE(e.keys.edges.empty());
}

TEST(Extractor, GivesTheSameKeysAfterMoreWordsThanItRemembers) {
  const FeatureModel model(parse_templates("U:%lower[0,0]\n", "test"));
  Extractor extractor(model);
  FeatureKeys keys;
  std::vector<std::string> words(10000);
  std::vector<std::string_view> cells(words.size());
  const std::vector<std::size_t> columns = {0};
  for (int round = 0; round < 30; ++round) {  // 290,000 words, then the first again
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = fmt::format("W{}", (round == 29 ? 0 : round) * 10000 + static_cast<int>(i));
      cells[i] = words[i];
    }
    extractor.extract({cells, 1, columns}, keys);
    if (round < 26) continue;
    Extractor fresh(model);
    FeatureKeys expected;
    fresh.extract({cells, 1, columns}, expected);
    ASSERT_EQ(keys.nodes, expected.nodes) << "round " << round;
  }
}

// ---- Values

TEST(Extractor, ReadsNumbersAsValues) {
  const Extracted e("U1:%v[0,2]\nU2:%x[0,0]\nU3:%x[0,0]%v[-1,2]\n", kShort);
  ASSERT_EQ(e.keys.node_values.size(), e.keys.nodes.size());
  EXPECT_EQ(e.keys.node_values[0], 0.5f);
  EXPECT_EQ(e.keys.node_values[1], 1.0f);  // no %v: one
  EXPECT_EQ(e.keys.node_values[3], -2.0f);
  EXPECT_EQ(e.keys.node_values[5], 0.5f);
  EXPECT_EQ(e.node(0, 0), e.node(1, 0));  // the number is not part of the text
  EXPECT_EQ(e.node(0, 2), kAbsent);       // no number before the first token
}

TEST(Extractor, ReadsNumbersAsPeopleWriteThem) {
  for (const auto& [cell, value] : std::vector<std::pair<std::string, float>>{
           {"1", 1.0f}, {"-1", -1.0f}, {".5", 0.5f}, {"2.", 2.0f}, {"1e3", 1000.0f}, {"2.5E-1", 0.25f}}) {
    const Extracted e("U:%v[0,2]\n", {{"a", "X", cell}});
    EXPECT_EQ(e.keys.node_values.at(0), value) << cell;
  }
}

TEST(Extractor, TreatsAValueOfZeroAsAbsent) {
  for (const std::string zero : {"0", "0.0", "-0", "0e5"}) {
    const Extracted e("U:%x[0,0]%v[0,2]\n", {{"a", "X", zero}});
    EXPECT_EQ(e.node(0, 0), kAbsent) << zero;
  }
}

// A probability may be so small that it is zero as a float.
TEST(Extractor, TakesAValueTooSmallForAFloatAsNearlyZero) {
  const Extracted e("U:%v[0,2]\n", {{"a", "X", "1e-60"}});
  EXPECT_TRUE(e.node(0, 0) == kAbsent || e.keys.node_values.at(0) == 0.0f);
}

TEST(Extractor, SaysWhichCellIsNoNumber) {
  for (const std::string bad : {"", "x", "1x", "1 ", " 1", "1,5", "nan", "inf", "-inf", "1e99", "--1"}) {
    try {
      const Extracted e("U:%v[0,2]\n", {{"a", "X", "1"}, {"b", "X", bad}});
      ADD_FAILURE() << "accepted '" << bad << "'";
    } catch (const NotANumber& wrong) {
      EXPECT_EQ(wrong.token, 1u);
      EXPECT_EQ(wrong.cell, bad);
    }
  }
}

TEST(Extractor, SaysWhichCellIsNoNumberWhereItIsReadFromAnotherRow) {
  try {
    const Extracted e("U:%v[1,2]\n", {{"a", "X", "1"}, {"b", "X", "bad"}});
    FAIL() << "accepted";
  } catch (const NotANumber& wrong) {
    EXPECT_EQ(wrong.token, 1u);
  }
}

// ---- Missing lexicons

TEST(FeatureModel, WithClustersButNoFileSaysWhereAndWhatToDo) {
  FeatureModel model(parse_templates("U:%x[0,0]\nU:%cluster[0,0,4]\n", "test"));
  try {
    model.read_lexicons("");
    FAIL() << "accepted";
  } catch (const OptionError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("test:2: 'U:%cluster[0,0,4]' uses clusters"), 0u) << message;
    EXPECT_NE(message.find("-p clusters=FILE"), std::string::npos) << message;
  }
}

TEST(FeatureModel, WithAMissingListNamesIt) {
  FeatureModel model(parse_templates("U:%gazetteer[0,0,\"/no/such/list\"]\n", "test"));
  try {
    model.read_lexicons("");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("test:1: 'U:%gazetteer"), 0u) << error.what();
    EXPECT_NE(std::string(error.what()).find("/no/such/list:"), std::string::npos) << error.what();
  }
}

TEST(FeatureModel, NeedsCountingOnlyForALexicon) {
  EXPECT_FALSE(FeatureModel(parse_templates("U:%x[0,0]\n", "test")).needs_counting());
  EXPECT_TRUE(FeatureModel(parse_templates("U:%lexicon[0,0,1,1]\n", "test")).needs_counting());
}

TEST(Presets, GiveEveryTokenOfARealSentenceItsFeatures) {
  const Sentence sentence = {{"The", "DT", "x"}, {"dog", "NN", "x"}, {"barks", "VBZ", "x"}};
  for (const Preset& preset : token_preset_table()) {
    FeatureModel model(parse_templates(preset.text(), std::string(preset.name)));
    model.read_lexicons("");
    model.count(Shown(sentence).view());
    model.finish_counting();
    Extractor extractor(model);
    FeatureKeys keys;
    extractor.extract(Shown(sentence).view(), keys);
    const std::size_t n = model.templates().nodes.size();
    for (std::size_t t = 0; t < 3; ++t)
      EXPECT_GT(std::count_if(keys.nodes.begin() + static_cast<std::ptrdiff_t>(t * n),
                              keys.nodes.begin() + static_cast<std::ptrdiff_t>((t + 1) * n),
                              [](Key key) { return key != kAbsent; }),
                5)
          << preset.name;
  }
}

// The texts of one template at every token of some sentences in order; "" if absent.
std::vector<std::string> texts_of(const std::string& line, const std::vector<std::vector<std::string>>& sentences) {
  const FeatureModel model(parse_templates(line, "test"));
  Extractor extractor(model);
  FeatureKeys keys;
  std::vector<std::string> texts;
  for (const auto& words : sentences) {
    Sentence rows;
    for (const std::string& word : words) rows.push_back({word});
    const Shown shown(rows, {0});
    extractor.extract(shown.view(), keys);
    const Template& t = model.templates().nodes[0];
    for (std::size_t k = 0; k < words.size(); ++k) {
      texts.push_back(keys.nodes[k] == kAbsent ? "" : extractor.feature_text(t, k));
      if (keys.nodes[k] == kAbsent) continue;
      Key key = template_key(t);  // the texts suffice to compute the key again
      for (const TemplateItem& item : t.items) key = combine(key, hash_text(extractor.value_text(item, k)));
      EXPECT_EQ(key, keys.nodes[k]);
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Earlier, RowsCountFromTheLatestOccurrenceInEarlierSentences) {
  const std::vector<std::vector<std::string>> text = {{"Mr", "Blair", "said"}, {"BLAIR", "Blair", "won"}, {"said", "Blair"}};
  EXPECT_EQ(texts_of("U:%x[earlier-1,0]", text), (Texts{"", "", "", "U:Mr", "U:Mr", "", "U:Blair", "U:BLAIR"}));
  EXPECT_EQ(texts_of("U:%x[earlier,0]", text), (Texts{"", "", "", "U:Blair", "U:Blair", "", "U:said", "U:Blair"}));
  EXPECT_EQ(texts_of("U:%shape[earlier+1,0]/%x[0,0]", text),
            (Texts{"", "", "", "U:x/BLAIR", "U:x/Blair", "", "U:_B+1/said", "U:x/Blair"}));
  EXPECT_EQ(texts_of("U:%if[earlier-1,0,\"^M\"]", text), (Texts{"", "", "", "U:true", "U:true", "", "", ""}));
}

TEST(Earlier, OccurrencesEndWithTheDocument) {
  EXPECT_EQ(texts_of("U:%x[earlier,0]", {{"Bonn"}, {"-DOCSTART-"}, {"Bonn"}, {"bonn"}}), (Texts{"", "", "", "U:Bonn"}));
}

TEST(Earlier, SentencesFarBackAreForgotten) {
  for (const std::size_t between : {History::kSentences - 1, History::kSentences}) {
    std::vector<std::vector<std::string>> text(between + 2, {"x"});
    text.front() = text.back() = {"Bonn"};
    EXPECT_EQ(texts_of("U:%x[earlier,0]", text).back(), between < History::kSentences ? "U:Bonn" : "");
  }
}

TEST(Earlier, LongTextsKeepWhatIsNear) {
  std::vector<std::vector<std::string>> text;
  for (int s = 0; s < 4000; ++s) {
    text.push_back({"near"});
    for (int w = 0; w < 10; ++w) text.back().push_back(fmt::format("w{}", (s * 10 + w) % 5000));
  }
  const Texts texts = texts_of("U:%x[earlier-1,0]", text);
  for (std::size_t k = 0; k < texts.size(); ++k) ASSERT_EQ(texts[k], k % 11 == 0 && k > 0 ? "U:_B-1" : "") << k;
}

TEST(Earlier, ObservingIsEnoughToRemember) {
  const FeatureModel model(parse_templates("U:%x[earlier,0]", "test"));
  EXPECT_EQ(model.lookback(), History::kSentences);
  Extractor extractor(model);
  FeatureKeys keys;
  const Sentence rows = {{"Bonn"}};
  const Shown shown(rows, {0});
  extractor.observe(shown.view());
  extractor.extract(shown.view(), keys);
  EXPECT_NE(keys.nodes[0], kAbsent);
  extractor.begin_text();
  extractor.extract(shown.view(), keys);
  EXPECT_EQ(keys.nodes[0], kAbsent);
}

TEST(Earlier, HasNoNumbers) {
  EXPECT_THROW(parse_templates("U:%v[earlier,0]", "test"), InputError);
  EXPECT_THROW(parse_templates("U:%x[earlierx,0]", "test"), InputError);
}

}  // namespace
}  // namespace hinge
