// features=auto: what is chosen for which labels and columns.
#include "hinge/tasks/tag/choice.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/tasks/tag/constraints.h"

namespace hinge::tag {
namespace {

using Columns = std::vector<std::size_t>;

TEST(LabelKinds, AreToldByTheTypesOfTheLabels) {
  const auto kind = [](const std::vector<std::string>& labels) { return kind_of(labels); };
  EXPECT_EQ(kind({"B-NP", "I-NP", "O", "B-VP", "I-ADVP"}), LabelKind::kPhrases);
  EXPECT_EQ(kind({"I-NP", "O"}), LabelKind::kPhrases);
  EXPECT_EQ(kind({"B-PER", "I-PER", "O", "B-LOC"}), LabelKind::kEntities);
  EXPECT_EQ(kind({"O", "I-ORG", "I-MISC"}), LabelKind::kEntities);
  EXPECT_EQ(kind({"O", "S-creative-work", "B-person", "E-person"}), LabelKind::kEntities);
  EXPECT_EQ(kind({"O", "U-person", "B-person", "I-person", "L-person"}), LabelKind::kEntities) << "BILOU";
  EXPECT_EQ(kind({"B-NP", "O", "B-PER"}), LabelKind::kEntities);
  EXPECT_EQ(kind({"NN", "DT"}), LabelKind::kTags);
  EXPECT_EQ(kind({"O"}), LabelKind::kTags);
}

TEST(Schemes, AreThoseOfNearlyAllTokens) {
  const auto near = [](const std::vector<std::string>& labels, const std::vector<std::size_t>& counts) {
    return nearly_all_follow(labels, counts);
  };
  const NearScheme one = near({"O", "o", "B-X", "I-X"}, {70, 1, 20, 9});
  EXPECT_EQ(one.scheme, Scheme::kIob2);
  EXPECT_EQ(one.stray, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(near({"O", "NN", "B-X"}, {900, 11, 100}).scheme, Scheme::kNone);
  EXPECT_EQ(near({"O", "NN", "B-X"}, {900, 10, 100}).scheme, Scheme::kIob2);
  EXPECT_EQ(near({"O", "NN", "B-X"}, {5, 3, 2}).scheme, Scheme::kNone);
  EXPECT_EQ(near({"O", "o"}, {100, 1}).scheme, Scheme::kNone) << "no phrases";
  EXPECT_EQ(near({"NN", "B-X"}, {100, 1}).scheme, Scheme::kNone);
  EXPECT_EQ(near({"O", "S-X", "B-X", "E-X"}, {70, 10, 10, 10}).stray, std::vector<bool>(4, false));
  EXPECT_EQ(near({"O", "S-X", "B-X", "E-X"}, {70, 10, 10, 10}).scheme, Scheme::kIobes);
  EXPECT_EQ(near({"O", "U-X", "B-X", "L-X"}, {70, 10, 10, 10}).scheme, Scheme::kIobes) << "BILOU";
  EXPECT_EQ(near({"O", "B-X", "E-X"}, {70, 29, 1}).stray, (std::vector<bool>{false, false, true}));
}

Choice choose(const std::string& text, const std::string& features = "auto", const std::string& format = "auto") {
  TagOptions options;
  options.features = features;
  options.format = format;
  return choose_templates(options, Source::of_text(text, "train"));
}

const std::string kNews = "Ann NNP I-NP B-PER\nlives VBZ I-VP O\n\nBonn NNP I-NP B-LOC\n\n";

TEST(Auto, ReadsEntitiesWithAllColumnsOfTags) {
  const Choice choice = choose(kNews);
  EXPECT_EQ(choice.templates, "ner");
  EXPECT_EQ(choice.columns, (Columns{1, 2}));
  EXPECT_EQ(choice.reason,
            "features: ner (words and columns 1, 2), miss=1.5, as the labels are entities; to choose: --features "
            "np-chunk, pos or FILE, -p miss=1");
}

TEST(Miss, IsHigherForEntitiesUnlessTheUserSaysWhatErrorsCost) {
  TagOptions options;
  EXPECT_EQ(chosen_miss(options, "ner"), 1.5);
  EXPECT_EQ(chosen_miss(options, "pos"), 1.0);
  options.costs = "costs.txt";
  EXPECT_EQ(chosen_miss(options, "ner"), 1.0);
  options.miss = 3.0;
  EXPECT_EQ(chosen_miss(options, "ner"), 3.0);
  EXPECT_EQ(chosen_miss(options, "np-chunk"), 3.0);
}

TEST(Auto, ReadsPhrasesWithATagColumnAsChunks) {
  EXPECT_EQ(choose("Ann NNP B-NP\nlives VBZ B-VP\n\n").templates, "np-chunk");
  EXPECT_EQ(choose("Ann B-NP\nlives B-VP\n\n").templates, "ner");
  EXPECT_EQ(choose("Ann B-NP\nlives B-VP\n\n").columns, Columns());
}

TEST(Auto, SaysHowToWritePhrasesWithoutTypes) {
  EXPECT_NE(choose("Ann B\nLee I\nlives O\n\n").reason.find("write B-X and I-X"), std::string::npos);
  EXPECT_EQ(choose("Ann NNP\nlives O\n\n").reason.find("write B-X"), std::string::npos);
}

TEST(Auto, ReadsAllElseAsTags) {
  EXPECT_EQ(choose("Ann NNP\nlives VBZ\n\n").templates, "pos");
  EXPECT_EQ(choose("Ann noun NNP\nlives verb VBZ\n\n").columns, Columns{1});
}

TEST(Auto, LeavesOutColumnsThatDoNotLookLikeTags) {
  std::string text;
  for (int k = 0; k < 100; ++k) text += "w id" + std::to_string(k) + " same t" + std::to_string(k % 5) + " B-PER\n\n";
  EXPECT_EQ(choose(text).columns, Columns{3});
}

TEST(Auto, LooksUntilItHasSeenTwoLabels) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "it O\n\n";
  EXPECT_EQ(choose(text + "Ann B-PER\n\n").templates, "ner");
  EXPECT_EQ(choose(text).templates, "pos");
  EXPECT_THROW(choose("\n\n"), InputError);
}

TEST(Auto, KnowsAttributes) {
  const Choice choice = choose("NNP\tw=Ann\n\n", "auto", "attributes");
  EXPECT_EQ(choice.templates, "attributes");
  EXPECT_EQ(choice.reason, "");
}

TEST(PresetNer, UsesTheColumnsThatAreThere) {
  EXPECT_EQ(choose(kNews, "ner").columns, (Columns{1, 2}));
  EXPECT_NE(choose(kNews, "ner").reason, "");
  EXPECT_EQ(choose("Ann B-PER\nlives O\n\n", "ner").reason, "");
  EXPECT_EQ(choose(kNews, "pos").columns, Columns());
}

}  // namespace
}  // namespace hinge::tag
