// Coreference from text to models and back.
#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/corpus/documents.h"
#include "hinge/tasks/coref/candidates.h"
#include "hinge/tasks/coref/explain.h"
#include "hinge/tasks/coref/html.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/coref/templates.h"
#include "hinge/tasks/registry.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

constexpr const char* kStory =
    "# newdoc id = story\n"
    "# global.Entity = eid\n"
    "1\tAnna\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\tEntity=(e1)\n"
    "2\tbought\t_\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "3\ta\t_\tDET\tDT\t_\t5\tdet\t_\tEntity=(e2\n"
    "4\tred\t_\tADJ\tJJ\t_\t5\tamod\t_\t_\n"
    "5\tcar\t_\tNOUN\tNN\t_\t2\tobj\t_\tEntity=e2)\n"
    "6\tfrom\t_\tADP\tIN\t_\t7\tcase\t_\t_\n"
    "7\tBen\t_\tPROPN\tNNP\t_\t2\tobl\t_\t_\n"
    "8\tand\t_\tCCONJ\tCC\t_\t9\tcc\t_\t_\n"
    "9\tCarl\t_\tPROPN\tNNP\t_\t7\tconj\t_\t_\n"
    "10\t.\t_\tPUNCT\t.\t_\t2\tpunct\t_\t_\n"
    "\n"
    "1\tShe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(e1)\n"
    "2\tsold\t_\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "3\tthe\t_\tDET\tDT\t_\t4\tdet\t_\tEntity=(e2\n"
    "4\tcar\t_\tNOUN\tNN\t_\t2\tobj\t_\tEntity=e2)\n"
    "5\t.\t_\tPUNCT\t.\t_\t2\tpunct\t_\t_\n"
    "\n";

Document story() {
  return parse_document({.text = kStory, .source = "story", .format = DocumentFormat::kConllu});
}

struct Trained {
  std::unique_ptr<TrainingSet> set;
  Weights w;
  ModelFile model;
};

Trained train_on(const std::string& text, Options options) {
  options.emplace(options.begin(), "hash_bits", "16");
  auto set = load_system("coref", options, Source::of_text(text, "documents"));
  Weights w = train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "5"}}}).weights;
  std::string bytes = model_of(*set, w, "coref");
  return {std::move(set), std::move(w), ModelFile::from_bytes(std::move(bytes), "model")};
}

const std::string& sample() {
  static const std::string text = sample_text("coref", 400, 1);
  return text;
}

class CorefSystem : public testing::TestWithParam<Options> {};

INSTANTIATE_TEST_SUITE_P(All, CorefSystem,
                         testing::Values(Options{}, Options{{"mentions", "gold"}}, Options{{"window", "20"}},
                                         Options{{"columns", "form"}}, Options{{"columns", "form,upos"}},
                                         Options{{"hash_bits", "0"}},
                                         Options{{"hash_bits", "0"}, {"dictionary", "all"}}));

TEST_P(CorefSystem, LearnsAndScoresAgree) {
  const Trained trained = train_on(sample(), GetParam());
  const Source fresh = Source::of_text(sample_text("coref", 100, 2), "gold");
  const Evaluation evaluation = evaluate(trained.model, fresh);
  EXPECT_GT(evaluation.scores[0].second, 45.0);
  EXPECT_EQ(evaluation.scores[0].first, "conll");
  EXPECT_EQ(evaluation.scores, evaluate(trained.model, fresh, 2).scores);
  EXPECT_EQ(evaluation.scores, dev_scores(*trained.set, fresh, trained.w, 2));
}

TEST_P(CorefSystem, ChangesNothingButTheClustersAtAnyNumberOfThreads) {
  const Trained trained = train_on(sample(), GetParam());
  const std::string fresh = sample_text("coref", 60, 3);
  const std::string out = predict(trained.model, fresh);
  EXPECT_EQ(out, predict(trained.model, fresh, {}, 2));
  DocumentReader before(TextInput(fresh, "before")), after(TextInput(out, "after"));
  Document x, y;
  while (before.next(x)) {
    ASSERT_TRUE(after.next(y));
    EXPECT_EQ(x.name, y.name);
    ASSERT_EQ(x.tokens.size(), y.tokens.size());
    for (std::size_t i = 0; i < x.tokens.size(); ++i) {
      EXPECT_EQ(x.tokens[i].word, y.tokens[i].word);
      EXPECT_EQ(x.tokens[i].head, y.tokens[i].head);
      EXPECT_EQ(x.tokens[i].speaker, y.tokens[i].speaker);
    }
  }
  EXPECT_FALSE(after.next(y));
}

TEST_P(CorefSystem, AModelGivesItsWeightsBack) {
  const Trained trained = train_on(sample(), GetParam());
  const Weights again = trained.set->weights_of(trained.model);
  EXPECT_TRUE(std::ranges::equal(trained.w.span(), again.span()));
}

TEST(Coref, SingletonsAreKeptOnlyIfAskedFor) {
  for (const bool kept : {false, true}) {
    const Trained trained = train_on(sample(), {{"singletons", kept ? "true" : "false"}});
    const coref::Resolver resolver(trained.model);
    coref::Resolver::Workspace workspace(resolver);
    DocumentReader reader(TextInput(sample(), "documents"));
    std::size_t single = 0;
    for (Document document; reader.next(document);) {
      std::vector<std::size_t> sizes(document.tokens.size());
      for (const Mention& mention : resolver.resolve(document, workspace)) ++sizes.at(mention.cluster);
      single += static_cast<std::size_t>(std::ranges::count(sizes, 1u));
    }
    EXPECT_EQ(single > 0, kept);
  }
}

TEST(Coref, ReadsConll2012AndDocumentsWithoutMentions) {
  const std::string text =
      "#begin document (a); part 000\na 0 0 Anna NNP (S(NP*) - - - - (PERSON) (0)\na 0 1 slept VBD (VP*)) - "
      "- "
      "- - * "
      "-\n\na 0 0 She PRP (S(NP*) - - - - * (0)\na 0 1 snored VBD (VP*)) - - - - * -\n\n#end document\n"
      "#begin document (b); part 000\nb 0 0 Nothing NN * - - - - * -\n\n#end document\n";
  const Trained trained = train_on(text, {{"mentions", "gold"}, {"min_count", "1"}});
  EXPECT_EQ(evaluate(trained.model, Source::of_text(text, "gold")).scores[0].second, 100.0);
  EXPECT_EQ(predict(trained.model, text), text);
  EXPECT_EQ(predict(trained.model, ""), "");
}

TEST(Coref, RefusesDataWithoutMentions) {
  try {
    load_system("coref", {}, Source::of_text("1\tHello\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "empty"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("has no mentions"), std::string::npos) << error.what();
  }
}

TEST(Coref, ContinuedTrainingKeepsFrequentWordsAndColumns) {
  const Trained first = train_on(sample(), {{"columns", "form,upos"}});
  const auto choice = find_task("coref").choose();
  choice->options().set("hash_bits", "16");
  choice->continue_from(first.model);
  const auto second = choice->load(Source::of_text(kStory, "story"));
  const ModelFile after =
      ModelFile::from_bytes(model_of(*second, second->weights_of(first.model), "coref"), "after");
  const coref::Resolver before(first.model), now(after);
  EXPECT_EQ(now.plan().columns, before.plan().columns);
  for (const Key word : before.plan().frequent.keys()) EXPECT_TRUE(now.plan().frequent.has(word));
}

TEST(Coref, ExplainsEveryLinkByContributionsThatSumToTheMargin) {
  const Trained trained = train_on(sample(), {{"mentions", "gold"}});
  const coref::Resolver resolver(trained.model);
  const Document document = story();
  const coref::Explanation why = coref::explain(resolver, document, {10, 11}, std::nullopt);
  double sum = 0.0;
  for (const coref::Contribution& part : why.contributions) sum += part.amount;
  EXPECT_NEAR(sum, why.margin, 1e-9);
  EXPECT_GE(why.margin, 0.0);
  // The other way round the margin of the loser is negative, unless it was chosen.
  const coref::Explanation of_car = coref::explain(resolver, document, {10, 11}, coref::Span{2, 5});
  EXPECT_EQ(of_car.chosen, (coref::Span{2, 5}));
  if (why.chosen != of_car.chosen) EXPECT_LT(of_car.margin, 0.0);
  EXPECT_THROW(coref::explain(resolver, document, {1, 2}, std::nullopt), InputError);
  EXPECT_THROW(coref::explain(resolver, document, {0, 1}, coref::Span{10, 11}), InputError);
}

TEST(Coref, CandidatesAreSubtreesWithAndWithoutWhatFollows) {
  const Document document = story();
  const auto spans = coref::candidate_spans(coref::tokens_of(document, {}));
  const auto has = [&](std::uint32_t begin, std::uint32_t end) {
    return std::ranges::find(spans, coref::Span{begin, end}) != spans.end();
  };
  EXPECT_TRUE(has(0, 1));    // Anna
  EXPECT_TRUE(has(2, 5));    // a red car
  EXPECT_TRUE(has(6, 7));    // Ben, without "from"
  EXPECT_TRUE(has(6, 9));    // Ben and Carl
  EXPECT_TRUE(has(8, 9));    // Carl
  EXPECT_TRUE(has(10, 11));  // She
  EXPECT_FALSE(has(5, 7));
  EXPECT_FALSE(has(3, 5));
  EXPECT_TRUE(std::ranges::is_sorted(spans, coref::precedes));
}

TEST(Coref, DescribesMentions) {
  const Document document = story();
  const coref::Tokens tokens = coref::tokens_of(document, {});
  coref::MentionSet set;
  coref::describe_mentions(tokens, {.spans = {{0, 1}, {2, 5}, {6, 9}, {10, 11}, {12, 14}}, .scores = {}}, {},
                           set);
  EXPECT_EQ(set.mentions[0].kind, coref::Kind::kProper);
  EXPECT_EQ(set.mentions[0].gender, coref::Gender::kFemale);
  EXPECT_EQ(set.mentions[1].kind, coref::Kind::kNominal);
  EXPECT_EQ(set.mentions[1].head, 4u);
  EXPECT_EQ(set.mentions[1].article, coref::Article::kIndefinite);
  EXPECT_EQ(set.mentions[2].number, coref::Number::kPlural);
  EXPECT_EQ(set.mentions[3].kind, coref::Kind::kPronoun);
  EXPECT_EQ(coref::agree(set.mentions[3], set.mentions[0]), coref::Agreement::kYes);
  EXPECT_EQ(coref::agree(set.mentions[3], set.mentions[1]), coref::Agreement::kNo);
  EXPECT_EQ(set.mentions[1].stem, set.mentions[4].stem);
  EXPECT_NE(set.mentions[1].bare, set.mentions[4].bare);
}

TEST(Coref, TemplatesAreCheckedWithTheirLine) {
  const auto message = [](const std::string& text) {
    try {
      coref::parse_templates(text, "file");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("pair m.head\nlink m.head\n").find("file:2: 'link' is no kind"), std::string::npos);
  EXPECT_NE(message("pair m.hat").find("no property 'hat'"), std::string::npos);
  EXPECT_NE(message("new a.head").find("a new cluster has none"), std::string::npos);
  EXPECT_NE(message("new distance").find("no antecedent"), std::string::npos);
  EXPECT_NE(message("new m.head\n").find("no templates of pairs"), std::string::npos);
  EXPECT_EQ(message("# comment\n\ntyped distance\n"), "");
  // The same features, whatever ends the lines.
  const auto keys = [](const std::string& text) {
    std::vector<Key> salts;
    for (const auto& pair : coref::parse_templates(text, "file").pairs) salts.push_back(pair.salt);
    return salts;
  };
  EXPECT_EQ(keys("pair m.head a.head\r\n\r\ntyped  distance \r\n"),
            keys("pair m.head a.head\ntyped  distance\n"));
}

TEST(Coref, PagesNestMentionsAndEscapeText) {
  const Document document = parse_document(
      {.text =
           "1\t<a>\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n3\tc\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
       .source = "page",
       .format = DocumentFormat::kConllu});
  std::string out;
  // The second and the third cross.
  coref::append_html(document, std::vector<Mention>{{0, 2, 0}, {0, 1, 1}, {1, 3, 1}}, out);
  EXPECT_NE(out.find("&lt;a&gt;<sub>2</sub></span> b<sub>1</sub></span> c"), std::string::npos) << out;
}

}  // namespace
}  // namespace hinge::test
