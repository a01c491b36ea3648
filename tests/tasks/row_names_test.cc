// The option names: models of hashed features show what training met in their rows.
#include "hinge/model/row_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "hinge/core/error.h"
#include "hinge/pipeline/record.h"
#include "hinge/tasks/dep/explain.h"
#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/registry.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

constexpr std::size_t kAll = 10'000'000;

struct System {
  std::string name;  // of the test
  std::string task;
  Options hashed;        // so that almost no rows are shared
  Options crowded;       // so that most are
  Options unhashed;      // the same features with all names; empty: there are none
  double shared = 0.02;  // at most this part of the weights, if `hashed`
};

const std::vector<System> kSystems = {
    {"Tagger",
     "tag",
     {{"features", "pos"}, {"hash_bits", "20"}},
     {{"features", "pos"}, {"hash_bits", "6"}},
     {{"features", "pos"}}},
    {"KernelTagger",
     "tag",
     {{"features", "np-chunk"}, {"kernel", "poly"}, {"hash_bits", "22"}},
     {{"features", "np-chunk"}, {"kernel", "poly"}, {"hash_bits", "6"}},
     {{"features", "np-chunk"}, {"kernel", "poly"}},
     0.2},
    {"Classifier", "classify", {{"hash_bits", "20"}}, {{"hash_bits", "6"}}, {{"hash_bits", "0"}}},
    {"Parser",
     "dep",
     {{"hash_bits", "20"}, {"label_bits", "20"}},
     {{"hash_bits", "6"}, {"label_bits", "6"}},
     {},
     0.5},
    {"SecondOrderParser",
     "dep",
     {{"hash_bits", "20"}, {"label_bits", "20"}, {"order", "2"}},
     {{"hash_bits", "6"}, {"label_bits", "6"}, {"order", "2"}},
     {},
     0.5},
    {"ParserWithDictionary",
     "dep",
     {{"hash_bits", "0"}, {"label_bits", "20"}},
     {{"hash_bits", "0"}, {"label_bits", "6"}},
     {},
     0.5},
    {"Resolver",
     "coref",
     {{"hash_bits", "22"}, {"mentions", "gold"}},
     {{"hash_bits", "6"}, {"mentions", "gold"}},
     {{"hash_bits", "0"}, {"mentions", "gold"}, {"dictionary", "all"}}},
    {"PhraseParser", "const", {{"hash_bits", "22"}}, {{"hash_bits", "6"}}, {}, 0.1},
    {"LexicalPhraseParser",
     "const",
     {{"features", "lexical+aux"}, {"hash_bits", "22"}},
     {{"features", "lexical+aux"}, {"hash_bits", "6"}},
     {},
     0.1},
    {"SpanParser", "const", {{"grammar", "none"}}, {{"grammar", "none"}}, {}}};

Options with_names(Options options) {
  options.emplace_back("names", "true");
  return options;
}

std::string learn(const std::string& task, const Options& options, const std::string& text, int threads = 1,
                  const std::string& learner = "perceptron") {
  const auto set = load_system(task, options, Source::of_text(text, "train"));
  const TrainingRun run{.learner = learner, .options = {{"epochs", "3"}}, .threads = threads};
  return model_of(*set, train_quietly(set->task(), run).weights, task);
}

std::vector<WeightLine> heaviest(const std::string& bytes) {
  return open_predictor(ModelFile::from_bytes(bytes, "model"))->heaviest(kAll);
}

bool is_number(const WeightLine& line) {
  return line.feature.starts_with("hashed ") || line.feature.find(" row ") != std::string::npos;
}
bool is_shared(const WeightLine& line) { return line.feature.ends_with(" (and others)"); }

std::map<std::pair<std::string, std::string>, float> weights_by_name(const std::string& bytes) {
  std::map<std::pair<std::string, std::string>, float> all;
  for (const WeightLine& line : heaviest(bytes)) all[{line.feature, line.label}] = line.weight;
  return all;
}

class NamedRows : public testing::TestWithParam<System> {
 protected:
  const std::string text_ = sample_examples(GetParam().task, 25, 1);
};

TEST_P(NamedRows, AreShownByInspect) {
  const std::string bytes = learn(GetParam().task, with_names(GetParam().hashed), text_);
  const auto lines = heaviest(bytes);
  EXPECT_GT(lines.size(), 50u);
  EXPECT_EQ(std::ranges::count_if(lines, is_number), 0);
  const auto shared = static_cast<std::size_t>(std::ranges::count_if(lines, is_shared));
  EXPECT_LE(static_cast<double>(shared), GetParam().shared * static_cast<double>(lines.size()));
}

class CrowdedRows : public NamedRows {};  // of systems that hash

TEST_P(CrowdedRows, SayIfTheyAreShared) {
  const auto lines = heaviest(learn(GetParam().task, with_names(GetParam().crowded), text_));
  EXPECT_EQ(std::ranges::count_if(lines, is_number), 0);
  EXPECT_GT(std::ranges::count_if(lines, is_shared), 10);
}

class NamedRowsWithATwin : public NamedRows {};  // that has all names without hashing

// Where a feature is alone in its row, it has the weight it has without hashing. The learner is one
// without ties, which other orders of sums would break otherwise.
TEST_P(NamedRowsWithATwin, HaveTheNamesOfTheModelWithoutHashing) {
  const auto weights = [&](const Options& options) {
    return weights_by_name(learn(GetParam().task, options, text_, 1, "crf"));
  };
  const auto plain = weights(GetParam().unhashed);
  const auto named = weights(with_names(GetParam().hashed));
  EXPECT_GT(plain.size(), 50u);
  std::size_t missing = 0;
  for (const auto& [name, weight] : plain) {
    const auto found = named.find(name);
    missing += found == named.end();
    // Rows that conjunctions share are multiplied by their values only when they are read.
    if (found == named.end() || GetParam().name == "KernelTagger") continue;
    EXPECT_NEAR(found->second, weight, 1e-3) << name.first << " " << name.second;
  }
  EXPECT_LE(static_cast<double>(missing), GetParam().shared * static_cast<double>(plain.size()));
}

// Only the section with the names is new.
TEST_P(NamedRows, ChangeNothingElse) {
  const ModelFile plain = ModelFile::from_bytes(learn(GetParam().task, GetParam().crowded, text_), "plain");
  const ModelFile named =
      ModelFile::from_bytes(learn(GetParam().task, with_names(GetParam().crowded), text_), "named");
  std::size_t added = 0;
  for (const auto& [section, bytes] : named.sizes()) {
    if (plain.has(section)) {
      EXPECT_EQ(named.section(section), plain.section(section)) << section;
    } else {
      EXPECT_TRUE(section.find("names") != std::string::npos || section == "feature.hashed") << section;
      ++added;
    }
  }
  EXPECT_GT(added, 0u);
  EXPECT_EQ(plain.sizes().size() + added, named.sizes().size());
}

TEST_P(NamedRows, DoNotDependOnThreads) {
  const Options options = with_names(GetParam().crowded);
  EXPECT_EQ(learn(GetParam().task, options, text_, 3), learn(GetParam().task, options, text_, 1));
}

TEST_P(NamedRows, StayWhenTrainingContinues) {
  const Options options = with_names(GetParam().hashed);
  const std::string bytes = learn(GetParam().task, options, text_);
  const ModelFile before = ModelFile::from_bytes(bytes, "before");
  const auto choice = find_task(GetParam().task).choose();
  for (const auto& [name, value] : options) choice->options().set(name, value);
  choice->continue_from(before);
  const auto set = choice->load(Source::of_text(sample_examples(GetParam().task, 2, 2), "more"));
  const auto after = weights_by_name(model_of(*set, set->weights_of(before), GetParam().task));
  std::size_t kept = 0;
  for (const auto& [name, weight] : weights_by_name(bytes)) kept += after.contains(name) ? 1 : 0;
  EXPECT_GT(kept, after.size() * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Of, NamedRows, testing::ValuesIn(kSystems),
                         [](const auto& instance) { return instance.param.name; });

std::vector<System> systems_that(bool (*suit)(const System&)) {
  std::vector<System> some;
  std::ranges::copy_if(kSystems, std::back_inserter(some), suit);
  return some;
}
INSTANTIATE_TEST_SUITE_P(
    Of, CrowdedRows, testing::ValuesIn(systems_that([](const System& s) { return s.crowded != s.hashed; })),
    [](const auto& instance) { return instance.param.name; });
INSTANTIATE_TEST_SUITE_P(Of, NamedRowsWithATwin,
                         testing::ValuesIn(systems_that([](const System& s) { return !s.unhashed.empty(); })),
                         [](const auto& instance) { return instance.param.name; });

// An arc's reasons are the weights of its two slots, which inspect shows by the same names.
TEST(NamedRowsOfAParser, AreThoseThatExplainItsTrees) {
  const std::string text = sample_examples("dep", 20, 1);
  const std::string bytes =
      learn("dep", {{"hash_bits", "22"}, {"label_bits", "22"}, {"names", "true"}}, text);
  const auto weights = weights_by_name(bytes);
  const ModelFile file = ModelFile::from_bytes(bytes, "model");
  const dep::Parser parser(file);
  dep::Explainer explainer(parser.plan(), parser.labels(), parser.weights());
  const std::vector<WordCells> words(
      3, {.form = "the", .lemma = "the", .upos = "DET", .xpos = "DT", .feats = "_"});
  const std::vector<HeadId> heads{0, 0, 1, 2}, rivals{0, 2, 3, 1};
  const std::vector<LabelId> labels(4, 0);
  std::size_t seen = 0;
  for (const auto& why : explainer.explain(words, {heads, labels}, {rivals, {}}, {})) {
    for (const dep::Contribution& one : why.of_head.contributions) {
      if (one.chosen != "-" && one.rival != "-") continue;
      const std::string& place = one.chosen == "-" ? one.rival : one.chosen;
      const auto side = weights.find({one.feature, place.substr(0, place.find(':'))});
      const auto distance = weights.find({one.feature, place});
      double sum = side == weights.end() ? 0.0 : side->second;
      if (distance != weights.end()) sum += distance->second;
      if (side == weights.end() && distance == weights.end()) continue;  // it shares its row
      EXPECT_NEAR(sum, one.chosen == "-" ? -one.amount : one.amount, 1e-5) << one.feature << " " << place;
      ++seen;
    }
    for (const dep::Contribution& one : why.of_label.contributions) {
      const auto chosen = weights.find({one.feature, one.chosen});
      const auto rival = weights.find({one.feature, one.rival});
      if (chosen == weights.end() || rival == weights.end()) continue;
      EXPECT_NEAR(chosen->second - rival->second, one.amount, 1e-5) << one.feature;
      ++seen;
    }
  }
  EXPECT_GT(seen, 10u);
}

TEST(TheOptionNames, IsRefusedWhereNothingIsHashed) {
  for (const std::string task : {"tag", "classify", "coref"}) {
    try {
      learn(task, {{"hash_bits", "0"}, {"names", "true"}}, sample_examples(task, 5, 1));
      ADD_FAILURE() << task;
    } catch (const OptionError& error) {
      EXPECT_STREQ(error.what(),
                   "names=true is for hashed features, but hash_bits is 0: models then have all names; "
                   "leave it out");
    }
  }
  for (const std::string task : {"rerank", "summarize"})
    EXPECT_FALSE(find_task(task).choose()->options().has("names")) << task;
}

TEST(TheOptionNames, IsRecordedOnlyIfItIsSet) {
  const auto choice = find_task("dep").choose();
  EXPECT_FALSE(values_of(choice->options()).has("names"));
  choice->options().set("names", "true");
  EXPECT_EQ(values_of(choice->options()).shown("names"), "true");
}

std::string section_of(const RowNames& names, std::span<const std::uint32_t> rows) {
  ModelWriter out;
  out.add("meta", "{}");
  names.write("rows", rows, out);
  return out.bytes();
}

TEST(RowNames, ReadWhatWasWritten) {
  RowNames names;
  names.meet(7, 70, [] { return "seven"; });
  names.meet(2, 20, [] { return ""; });
  names.meet(7, 70, [] { return "never called"; });
  names.meet(9, 90, [] { return std::string(300, 'x'); });
  names.meet(9, 91, [] { return "another"; });
  const std::vector<std::uint32_t> rows{RowNames::kNone, 9, 5, 7};
  const RowNames read = RowNames::read(ModelFile::from_bytes(section_of(names, rows), "m"), "rows");
  EXPECT_EQ(read.size(), 2u);
  EXPECT_EQ(read.text(0), "");
  EXPECT_EQ(read.text(1), std::string(300, 'x') + " (and others)");
  EXPECT_EQ(read.text(3), "seven");
  EXPECT_EQ(read.key(3), 70u);
  EXPECT_TRUE(RowNames::read(ModelFile::from_bytes(section_of(names, rows), "m"), "none").empty());
}

TEST(RowNames, RefuseDamage) {
  RowNames names;
  names.meet(0, 1, [] { return "one"; });
  names.meet(1, 2, [] { return "two"; });
  const std::vector<std::uint32_t> rows{0, 1};
  const ModelFile good = ModelFile::from_bytes(section_of(names, rows), "m");
  const std::string bytes(good.section("rows"));
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    ModelWriter out;
    out.add("meta", "{}");
    out.add("rows", bytes.substr(0, cut));
    const ModelFile file = ModelFile::from_bytes(out.bytes(), "m");
    if (cut == bytes.size() / 2) {
      EXPECT_EQ(RowNames::read(file, "rows").text(0), "one") << "a record ends here";
    } else {
      EXPECT_THROW(RowNames::read(file, "rows"), ModelError) << cut;
    }
  }
}

}  // namespace
}  // namespace hinge::test
