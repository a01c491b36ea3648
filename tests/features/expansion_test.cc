// Feature keys against an extractor that builds every text: keys must be equal
// if and only if the texts are.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/features/extractor.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Row = std::vector<std::string>;
using Sentence = std::vector<Row>;
using Text = std::optional<std::string>;  // nullopt if a value is absent

// A sentence of three columns in the extractor's form: views into `rows`.
struct Shown {
  explicit Shown(const Sentence& rows) {
    for (const Row& row : rows) cells.insert(cells.end(), row.begin(), row.end());
  }
  Cells view() const { return {cells, columns.size(), columns}; }

  std::vector<std::string_view> cells;
  std::vector<std::size_t> columns = {0, 1, 2};
};

// ---- Properties of words, written by hand

struct Word {
  std::string text, lower, shape, digits;
  Row letters;
  std::string cluster;  // "" if it has none
};

const std::vector<Word> kWords = {
    {"Dog", "dog", "Xx", "Dog", {"D", "o", "g"}, "0010"},
    {"dog", "dog", "x", "dog", {"d", "o", "g"}, "0011"},
    {"DOG", "dog", "X", "DOG", {"D", "O", "G"}, ""},
    {"York", "york", "Xx", "York", {"Y", "o", "r", "k"}, "110101"},
    {"New", "new", "Xx", "New", {"N", "e", "w"}, "1"},
    {"1999", "1999", "d", "0000", {"1", "9", "9", "9"}, "110111"},
    {"2004", "2004", "d", "0000", {"2", "0", "0", "4"}, ""},
    {"a", "a", "x", "a", {"a"}, "0010"},
    {"B-52s", "b-52s", "X-dx", "B-00s", {"B", "-", "5", "2", "s"}, ""},
    {"Äpfel", "äpfel", "Xx", "Äpfel", {"Ä", "p", "f", "e", "l"}, ""},
    {"straße", "straße", "x", "straße", {"s", "t", "r", "a", "ß", "e"}, "01"},
    {"%x[0,0]", "%x[0,0]", "%x[d,d]", "%x[0,0]", {"%", "x", "[", "0", ",", "0", "]"}, ""},
    {"/", "/", "/", "/", {"/"}, ""},
};

const Row kTags = {"NN", "NNP", "DT", "CD"};
// Beside "dog": NN 3, NNP 2, DT 1; beside "a": DT. No ties.
const Sentence kTraining = {{"dog", "NN", "1"},  {"dog", "NNP", "1"}, {"dog", "NN", "1"}, {"a", "DT", "1"},
                            {"dog", "NNP", "1"}, {"dog", "DT", "1"},  {"dog", "NN", "1"}};
const std::map<std::string, Row> kLexicon = {{"dog", {"NN", "NNP", "DT"}}, {"a", {"DT"}}};
const std::vector<Row> kPhrases = {{"New", "York"}, {"New", "York", "Dog"}, {"Äpfel"}, {"dog", "dog"}};

const Word& word(const std::string& text) {
  for (const Word& each : kWords) {
    if (each.text == text) return each;
  }
  throw std::logic_error("no word " + text);
}

// ---- Templates in a separate form, and their slow expansion

struct Item {
  std::string function;
  int row = 0;
  std::size_t column = 0;
  std::size_t n = 0;
  std::string pattern;
};

struct Spec {
  char kind = 'U';
  Row literals;  // one more than items
  std::vector<Item> items;
};

std::string macro(const Item& item, const std::string& gazetteer) {
  std::string text = fmt::format("%{}[{},{}", item.function, item.row, item.column);
  if (item.function == "gazetteer") text += ",\"" + gazetteer + "\"";
  if (item.function == "lexicon") text += ",1";
  if (item.n > 0) text += "," + std::to_string(item.n);
  if (!item.pattern.empty()) text += ",\"" + item.pattern + "\"";
  return text + "]";
}

std::string line_of(const Spec& spec, const std::string& gazetteer) {
  std::string line = spec.literals[0];
  for (std::size_t k = 0; k < spec.items.size(); ++k)
    line += macro(spec.items[k], gazetteer) + spec.literals[k + 1];
  return line;
}

// Leftmost, longest, without overlaps.
std::vector<Text> gazetteer_marks(const Sentence& sentence, std::size_t column) {
  std::vector<Text> marks(sentence.size());
  for (std::size_t t = 0; t < sentence.size();) {
    std::size_t longest = 0;
    for (const Row& phrase : kPhrases) {
      bool matches = t + phrase.size() <= sentence.size();
      for (std::size_t k = 0; matches && k < phrase.size(); ++k)
        matches = sentence[t + k][column] == phrase[k];
      if (matches) longest = std::max(longest, phrase.size());
    }
    for (std::size_t k = 0; k < longest; ++k) marks[t + k] = k == 0 ? "B" : "I";
    t += std::max<std::size_t>(longest, 1);
  }
  return marks;
}

const std::regex& compiled(const Item& item) {
  static std::map<std::string, std::regex> cache;
  const bool any_case = item.function == "T" || item.function == "M";
  const auto flags = any_case ? std::regex::ECMAScript | std::regex::icase : std::regex::ECMAScript;
  return cache.try_emplace(item.function + item.pattern, item.pattern, flags).first->second;
}

Text function_of(const Item& item, const std::string& cell) {
  if (item.function == "x") return cell;
  if (item.function == "lexicon") {
    const auto found = kLexicon.find(cell);
    if (found == kLexicon.end() || found->second.size() < item.n) return {};
    return found->second[item.n - 1];
  }
  if (!item.pattern.empty()) {
    std::smatch match;
    const bool found = std::regex_search(cell, match, compiled(item));
    if (item.function == "t" || item.function == "T") return found ? "true" : "false";
    if (!found) return {};
    return item.function == "if" ? "true" : match.str();
  }
  const Word& known = word(cell);
  if (item.function == "lower" || item.function == "X") return known.lower;
  if (item.function == "shape") return known.shape;
  if (item.function == "digits") return known.digits;
  if (item.function == "cluster")
    return known.cluster.empty() ? Text() : Text(known.cluster.substr(0, item.n));
  if (known.letters.size() < item.n) return {};  // %prefix, %suffix
  std::string piece;
  const std::size_t begin = item.function == "prefix" ? 0 : known.letters.size() - item.n;
  for (std::size_t k = 0; k < item.n; ++k) piece += known.letters[begin + k];
  return piece;
}

// Functions that are absent outside the sentence.
bool asks(const Item& item) {
  const std::string& f = item.function;
  return f == "if" || f == "m" || f == "M" || f == "gazetteer" || f == "cluster" || f == "lexicon";
}

Text value_of(const Item& item, const Sentence& sentence, std::size_t token) {
  const int at = static_cast<int>(token) + item.row;
  const int tokens = static_cast<int>(sentence.size());
  if (asks(item) && (at < 0 || at >= tokens)) return {};
  if (at < 0) return fmt::format("_B{:+}", at);
  if (at >= tokens) return fmt::format("_B{:+}", at - tokens + 1);
  if (item.function == "gazetteer") return gazetteer_marks(sentence, item.column)[at];
  return function_of(item, sentence[at][item.column]);
}

// The text of a template with separators between its pieces, since a key is made of pieces.
Text expand(const Spec& spec, const Sentence& sentence, std::size_t token) {
  std::string text = spec.literals[0];
  for (std::size_t k = 0; k < spec.items.size(); ++k) {
    const Text value = value_of(spec.items[k], sentence, token);
    if (!value) return {};
    text += '\x1' + *value + '\x2' + spec.literals[k + 1];
  }
  return text;
}

// ---- Random problems

Item random_item(Random& random) {
  static const std::vector<Item> kItems = {{"x"},
                                           {"lower"},
                                           {"X"},
                                           {"shape"},
                                           {"digits"},
                                           {"prefix"},
                                           {"suffix"},
                                           {"cluster"},
                                           {"lexicon"},
                                           {"gazetteer"},
                                           {"t", 0, 0, 0, "^[A-Z]"},
                                           {"T", 0, 0, 0, "^dog$"},
                                           {"if", 0, 0, 0, "[0-9]"},
                                           {"m", 0, 0, 0, "[0-9]+"},
                                           {"M", 0, 0, 0, "[n-z]+"}};
  Item item = kItems[random.below(kItems.size())];
  item.row = static_cast<int>(random.below(7)) - 3;
  if (item.function == "x") item.column = random.below(2);
  if (item.function == "prefix" || item.function == "suffix" || item.function == "cluster")
    item.n = 1 + random.below(5);
  if (item.function == "lexicon") item.n = 1 + random.below(3);
  return item;
}

Spec random_spec(Random& random) {
  Spec spec;
  spec.kind = "UB*"[random.below(3)];
  // Few names, so that several templates share one and some texts are the same.
  spec.literals = {spec.kind + std::to_string(random.below(3)) + ":"};
  for (std::size_t items = random.below(4); items > 0; --items) {
    spec.items.push_back(random_item(random));
    spec.literals.push_back(items == 1 ? "" : "/");
  }
  return spec;
}

Sentence random_sentence(Random& random) {
  Sentence sentence;
  for (std::size_t tokens = 1 + random.below(6); tokens > 0; --tokens)
    sentence.push_back({kWords[random.below(kWords.size())].text, kTags[random.below(kTags.size())], "1"});
  return sentence;
}

struct Problem {
  std::vector<Spec> nodes, edges;
  std::unique_ptr<FeatureModel> model;
};

Problem random_problem(Random& random, const TemporaryFolder& folder) {
  std::string paths, names, templates;
  for (const Word& each : kWords) {
    if (!each.cluster.empty()) paths += each.cluster + "\t" + each.text + "\t1\n";
  }
  for (const Row& phrase : kPhrases) {
    for (const std::string& part : phrase) names += part + " ";
    names += "\n";
  }
  const std::string gazetteer = folder.write("names", names);
  Problem problem;
  for (int i = 0; i < 12; ++i) {
    const Spec spec = random_spec(random);
    templates += line_of(spec, gazetteer) + "\n";
    if (spec.kind != 'B') problem.nodes.push_back(spec);
    if (spec.kind != 'U') problem.edges.push_back(spec);
  }
  SCOPED_TRACE(templates);
  problem.model = std::make_unique<FeatureModel>(parse_templates(templates, "random"));
  problem.model->read_lexicons(folder.write("paths", paths));
  if (problem.model->needs_counting()) problem.model->count(Shown(kTraining).view());
  problem.model->finish_counting();
  return problem;
}

// Keys to texts and texts to keys: if both are functions, keys are equal exactly when texts are.
class Correspondence {
 public:
  void expect(Key key, const Text& text) {
    if (!text) {
      EXPECT_EQ(key, kAbsent);
      return;
    }
    ASSERT_NE(key, kAbsent) << *text;
    const auto [by_text, new_text] = key_of_.emplace(*text, key);
    const auto [by_key, new_key] = text_of_.emplace(key, *text);
    EXPECT_EQ(by_text->second, key) << "two keys for " << *text;
    EXPECT_EQ(by_key->second, *text) << "one key for two texts";
  }

 private:
  std::map<std::string, Key> key_of_;
  std::map<Key, std::string> text_of_;
};

void expect_keys(const std::vector<Spec>& specs, const Sentence& sentence, const std::vector<Key>& keys,
                 Correspondence& seen) {
  ASSERT_EQ(keys.size(), specs.size() * sentence.size());
  for (std::size_t t = 0; t < sentence.size(); ++t)
    for (std::size_t k = 0; k < specs.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "token " << t << " of " << testing::PrintToString(sentence) << ", "
                                      << line_of(specs[k], "names"));
      ASSERT_NO_FATAL_FAILURE(seen.expect(keys[t * specs.size() + k], expand(specs[k], sentence, t)));
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Expansion, OfEqualTextsGivesEqualKeysAndNoOthersDo) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = random_problem(random, folder);
    Extractor extractor(*problem.model);
    FeatureKeys keys;
    Correspondence seen;
    for (int i = 0; i < 15; ++i) {
      const Sentence sentence = random_sentence(random);
      extractor.extract(Shown(sentence).view(), keys);
      ASSERT_NO_FATAL_FAILURE(expect_keys(problem.nodes, sentence, keys.nodes, seen));
      ASSERT_NO_FATAL_FAILURE(expect_keys(problem.edges, sentence, keys.edges, seen));
      EXPECT_TRUE(keys.node_values.empty());
      if (HasFailure()) return;
    }
  }
}

TEST(Expansion, NamesTheValueOfEveryItem) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = random_problem(random, folder);
    Extractor extractor(*problem.model);
    FeatureKeys keys;
    const Sentence sentence = random_sentence(random);
    const Shown shown(sentence);
    extractor.extract(shown.view(), keys);
    const auto& templates = problem.model->templates().nodes;
    for (std::size_t k = 0; k < templates.size(); ++k)
      for (std::size_t i = 0; i < templates[k].items.size(); ++i)
        for (std::size_t t = 0; t < sentence.size(); ++t) {
          const Text expected = value_of(problem.nodes[k].items[i], sentence, t);
          const TemplateItem& item = templates[k].items[i];
          EXPECT_EQ(extractor.value_key(item, t) == kAbsent, !expected);
          if (expected) {
            EXPECT_EQ(extractor.value_text(item, t), *expected) << templates[k].source;
            EXPECT_EQ(extractor.value_key(item, t), hash_text(*expected)) << templates[k].source;
          }
        }
  }
}

TEST(Expansion, IsTheSameByAModelWrittenAndLoaded) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Problem problem = random_problem(random, folder);
    ByteWriter written, again;
    problem.model->write(written);
    ByteReader in(written.bytes(), "features");
    const FeatureModel loaded = FeatureModel::load(in);
    EXPECT_TRUE(in.at_end());
    loaded.write(again);
    EXPECT_EQ(again.bytes(), written.bytes());

    Extractor before(*problem.model), after(loaded);
    for (int i = 0; i < 10; ++i) {
      const Sentence sentence = random_sentence(random);
      FeatureKeys expected, keys;
      before.extract(Shown(sentence).view(), expected);
      after.extract(Shown(sentence).view(), keys);
      EXPECT_EQ(keys.nodes, expected.nodes);
      EXPECT_EQ(keys.edges, expected.edges);
    }
  }
}

TEST(Expansion, ByAModelCutShortAnywhereIsRefused) {
  const TemporaryFolder folder;
  Random random(3);
  const Problem problem = random_problem(random, folder);
  ByteWriter written;
  problem.model->write(written);
  for (std::size_t size = 0; size < written.bytes().size(); ++size) {
    ByteReader in(std::string_view(written.bytes()).substr(0, size), "features");
    EXPECT_THROW(FeatureModel::load(in), ModelError) << size << " bytes, seed 3";
  }
}

TEST(Expansion, DoesNotDependOnSentencesBefore) {
  const FeatureModel model(
      parse_templates("U1:%x[-1,0]/%lower[1,0]\nU2:%suffix[0,0,2]\nB:%x[0,1]\n", "test"));
  Extractor used(model);
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const Sentence sentence = random_sentence(random);
    Extractor fresh(model);
    FeatureKeys a, b;
    used.extract(Shown(sentence).view(), a);
    fresh.extract(Shown(sentence).view(), b);
    ASSERT_EQ(a.nodes, b.nodes) << "seed 4";
    ASSERT_EQ(a.edges, b.edges) << "seed 4";
  }
}

}  // namespace
}  // namespace hinge
