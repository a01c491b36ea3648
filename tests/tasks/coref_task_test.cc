// Mention ranking: the contract, brute force over all choices of all mentions, gradients
// against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "hinge/core/random.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/tasks/coref/plan.h"
#include "hinge/tasks/coref/task.h"
#include "tests/support/systems.h"
#include "tests/support/task_checks.h"

namespace hinge::test {
namespace {

Weights random_weights(std::size_t dimension, std::uint64_t seed, double scale) {
  Random random(seed);
  Weights w(dimension);
  for (std::size_t d = 0; d < w.size(); ++d)
    w[d] = static_cast<float>(scale * (2.0 * random.uniform() - 1.0));
  return w;
}

// Documents of few words with random mentions and clusters, so that all outputs can be
// listed.
class SmallDocuments {
 public:
  static constexpr std::size_t kMentions = 5;

  explicit SmallDocuments(std::uint64_t seed)
      : templates_(coref::parse_templates(template_text("coref", coref::preset_table()), "coref")) {
    Random random(seed);
    for (int i = 0; i < 6; ++i) add(random);
    task_ = std::make_unique<coref::CorefTask>(data_, templates_, layout_, costs_);
  }

  const coref::CorefTask& task() const { return *task_; }

  // visit(score, cost) for every output of a document.
  void each_output(std::size_t i, const Weights& w,
                   const std::function<void(double score, double cost)>& visit) const {
    coref::Scorer scorer(templates_, layout_);
    scorer.prepare(data_[i]);
    std::vector<std::size_t> choices(data_[i].size());
    visit_from(scorer, w, 0, 0.0, 0.0, visit);
  }

 private:
  void add(Random& random) {
    static constexpr std::string_view kWords[] = {"Anna", "she", "the", "dog", "it", "they"};
    coref::Tokens tokens;
    const std::size_t n = 8;
    for (std::size_t k = 0; k < n; ++k) {
      tokens.forms.push_back(kWords[random.below(6)]);
      tokens.upos.push_back("NOUN");
      tokens.xpos.push_back("");
      tokens.relations.push_back("nsubj");
      tokens.heads.push_back(k == 0 ? coref::kNoHead : static_cast<std::uint32_t>(k - 1));
      tokens.sentence_of.push_back(0);
      tokens.speakers.push_back(kAbsent);
    }
    tokens.sentences.push_back({0, n});
    coref::FoundSpans found;
    std::vector<std::uint32_t> clusters;
    const std::size_t mentions = random.below(kMentions + 1);
    for (std::uint32_t k = 0; k < mentions; ++k) {
      found.spans.push_back({k, k + 1 + static_cast<std::uint32_t>(random.below(3))});
      clusters.push_back(random.below(4) == 0 ? coref::kNoCluster
                                              : static_cast<std::uint32_t>(random.below(2)));
    }
    data_.add(coref::make_data(tokens, found, clusters, {}, {.window = 3, .word_window = 4}));
  }

  // The rules as the header states them, written down again.
  double cost_of(const coref::DocumentView& data, std::size_t m, std::size_t choice) const {
    const auto candidates = data.candidates_of(m);
    const auto same = [&](std::size_t c) {
      return data.clusters[m] != coref::kNoCluster &&
             data.clusters[candidates[c].mention] == data.clusters[m];
    };
    bool anaphoric = false;
    for (std::size_t c = 0; c < candidates.size(); ++c) anaphoric |= same(c);
    if (choice == candidates.size()) return anaphoric ? costs_.false_new : 0.0;
    if (same(choice)) return 0.0;
    return anaphoric ? costs_.wrong_link : costs_.false_anaphor;
  }

  void visit_from(const coref::Scorer& scorer, const Weights& w, std::size_t m, double score, double cost,
                  const std::function<void(double, double)>& visit) const {
    const coref::DocumentView& data = scorer.data();
    if (m == data.size()) return visit(score, cost);
    for (std::size_t choice = 0; choice <= data.candidates_of(m).size(); ++choice) {
      double more = 0.0;
      scorer.each_feature(m, choice, [&](FeatureId id) { more += static_cast<double>(w[id]); });
      visit_from(scorer, w, m + 1, score + more, cost + cost_of(data, m, choice), visit);
    }
  }

  coref::TemplateSet templates_;
  coref::Layout layout_{12};
  coref::Costs costs_{.false_anaphor = 0.5, .false_new = 2.0, .wrong_link = 1.25};
  coref::DocumentSet data_;
  std::unique_ptr<coref::CorefTask> task_;
};

TEST(CorefTask, TheCutIsTheMostViolatedOutputAgainstTheBestRightOne) {
  std::size_t violated = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const SmallDocuments documents(seed);
    const Weights w = random_weights(documents.task().dimension(), seed, 0.2);
    for (std::size_t i = 0; i < documents.task().size(); ++i) {
      for (const double loss_weight : {0.0, 1.0, 3.0}) {
        double best = -1e30, best_right = -1e30;
        documents.each_output(i, w, [&](double score, double cost) {
          best = std::max(best, score + loss_weight * cost);
          if (cost == 0.0) best_right = std::max(best_right, score);
        });
        const Cut cut = cut_at(documents.task(), i, w, loss_weight);
        EXPECT_NEAR(loss_weight * cut.loss - cut.margin, best - best_right, 1e-4) << "seed " << seed;
        EXPECT_NEAR(cut.margin, dot(w, cut.psi), 1e-4);
        violated += cut.loss > 0.0;
      }
    }
  }
  EXPECT_GT(violated, 50u);  // the test would see nothing otherwise
}

TEST(CorefTask, LikelihoodSumsOverAllOutputsAndOverAllRightOnes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SmallDocuments documents(seed);
    const Weights w = random_weights(documents.task().dimension(), seed, 0.2);
    const auto scratch = documents.task().make_scratch();
    for (std::size_t i = 0; i < documents.task().size(); ++i) {
      double all = 0.0, right = 0.0, expected = 0.0;
      documents.each_output(i, w, [&](double score, double cost) {
        all += std::exp(score + cost);
        expected += std::exp(score + cost) * cost;
        if (cost == 0.0) right += std::exp(score);
      });
      Expectation expectation;
      documents.task().expect(i, w, 1.0, *scratch, expectation);
      EXPECT_NEAR(expectation.log_loss, std::log(all) - std::log(right), 1e-4);
      EXPECT_NEAR(expectation.expected_loss, expected / all, 1e-4);
    }
  }
}

TEST(CorefTask, LikelihoodHasTheGradientItSays) {
  const SmallDocuments documents(7);
  const coref::CorefTask& task = documents.task();
  const Weights w = random_weights(task.dimension(), 1, 0.3);
  const auto scratch = task.make_scratch();
  for (std::size_t i = 0; i < task.size(); ++i) {
    Expectation expectation;
    task.expect(i, w, 1.0, *scratch, expectation);
    Weights gradient(task.dimension());
    axpy(1.0, expectation.gradient, gradient);
    const Weights direction = random_weights(task.dimension(), 2 + i, 1.0);
    double along = 0.0;
    for (std::size_t d = 0; d < w.size(); ++d) along += static_cast<double>(gradient[d]) * direction[d];
    const auto loss_at = [&](double step) {
      Weights there = w;
      for (std::size_t d = 0; d < w.size(); ++d) there[d] += static_cast<float>(step * direction[d]);
      task.expect(i, there, 1.0, *scratch, expectation);
      return expectation.log_loss;
    };
    EXPECT_NEAR((loss_at(1e-3) - loss_at(-1e-3)) / 2e-3, along, 1e-2 * std::max(1.0, std::abs(along)));
  }
}

TEST(CorefTask, ObeysTheContract) {
  for (const auto& [mentions, bits] : {std::pair("gold", "14"), std::pair("predicted", "14"),
                                       std::pair("gold", "0"), std::pair("predicted", "0")}) {
    SCOPED_TRACE(mentions);
    const auto set = load_system("coref", {{"mentions", mentions}, {"hash_bits", bits}, {"window", "10"}},
                                 Source::of_text(sample_text("coref", 60, 1), "documents"));
    EXPECT_EQ(check_task(set->task()), std::vector<std::string>());
    EXPECT_FALSE(set->task().facts().fixed_gold);
    const Weights w = random_weights(set->task().dimension(), 3, 0.3);
    expect_scratch_can_be_used_again(set->task(), w);
    for (std::size_t i = 0; i < set->task().size(); ++i)
      expect_support_is_all_that_is_read(set->task(), i, w);
  }
}

}  // namespace
}  // namespace hinge::test
