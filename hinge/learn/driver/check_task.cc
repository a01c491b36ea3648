#include "hinge/learn/driver/check_task.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "hinge/core/factored_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/random.h"

namespace hinge {
namespace {

// Tolerance: weights are floats, and margins are sums of them.
double slack(double a, double b) { return 1e-4 * (1.0 + std::abs(a) + std::abs(b)); }

bool same(const Cut& a, const Cut& b) {
  return std::ranges::equal(a.psi.entries(), b.psi.entries()) && a.loss == b.loss && a.margin == b.margin;
}

class Checker {
 public:
  Checker(const Task& task, const CheckTaskSettings& settings)
      : task_(task),
        settings_(settings),
        facts_(task.facts()),
        scratch_(task.make_scratch()),
        w_(task.dimension()),
        seen_(std::min(settings.examples, task.size())) {}

  std::vector<std::string> run() {
    if (task_.size() == 0) return {"the task has no examples"};
    for (std::size_t i = 0; i < seen_.size(); ++i) check_support(i);
    Random random(settings_.seed);
    for (std::size_t round = 0; round < settings_.rounds; ++round) {
      if (round > 0) draw_weights(random, round % 2 == 0 ? 1.5 : 0.3);
      std::vector<Cut> answers;
      for (std::size_t i = 0; i < seen_.size(); ++i) answers.push_back(check_example(i));
      for (std::size_t i = 0; i < seen_.size(); ++i) check_same(i, answers[i]);
    }
    check_losses();
    return sentences();
  }

 private:
  // The first finding of a kind, and how many there were.
  struct Finding {
    std::string text;
    std::size_t times = 0;
  };

  template <typename... Args>
  void report(const std::string& kind, fmt::format_string<Args...> format, Args&&... args) {
    Finding& finding = findings_[kind];
    if (finding.times++ == 0) finding.text = fmt::format(format, std::forward<Args>(args)...);
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> result;
    for (const auto& [kind, finding] : findings_)
      result.push_back(fmt::format("{} (found {} times)", finding.text, finding.times));
    return result;
  }

  Cut ask(std::size_t i, double loss_weight) {
    Cut cut;
    task_.most_violated(i, w_, loss_weight, *scratch_, cut);
    cut.psi.merge();
    return cut;
  }

  // Draws only weights that some decode may read or that psi has, scaled so that
  // margins are about `ratio` times as large as losses: if they are much smaller or
  // larger, wrong use of the loss does not show.
  void draw_weights(Random& random, double ratio) {
    const auto draw = [&](FeatureId id) {
      if (id < w_.size()) w_[id] = static_cast<float>(2.0 * random.uniform() - 1.0);
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      blocks.clear();
      task_.support(i, *scratch_, blocks);
      for (const Block& block : blocks) {
        for (FeatureId k = 0; k < block.count; ++k) draw(block.first + k);
      }
      for (const Cut& cut : seen_[i]) {
        for (const Entry& entry : cut.psi.entries()) draw(entry.id);
      }
    }
    double margins = 0.0;
    double losses = 0.0;
    for (const auto& cuts : seen_) {
      for (const Cut& cut : cuts) {
        margins += std::abs(dot(w_, cut.psi));
        losses += cut.loss;
      }
    }
    const double scale = ratio * losses / margins;
    if (!std::isfinite(scale) || scale <= 0.0) return;
    for (float& weight : w_.span()) weight *= static_cast<float>(scale);
  }

  // If every output seen has loss 0, gold or not, there is nothing to learn.
  void check_losses() {
    bool others = false;
    for (const auto& cuts : seen_) {
      for (const Cut& cut : cuts) {
        if (cut.loss != 0.0) return;
        others = others || !cut.psi.empty();
      }
    }
    if (others)
      report("zero",
             "the loss is 0 for every output seen, even if it is not gold, so there is nothing to learn");
  }

  void check_support(std::size_t i) {
    std::vector<Block> blocks;
    task_.support(i, *scratch_, blocks);
    std::ranges::sort(blocks, {}, &Block::first);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t end = std::size_t{blocks[b].first} + blocks[b].count;
      if (end > task_.dimension())
        report("support", "example {}: support() names weight {}, but the dimension is {}", i, end - 1,
               task_.dimension());
      if (b + 1 == blocks.size() || blocks[b + 1].first >= end) continue;
      if (blocks[b + 1].first != blocks[b].first || blocks[b + 1].count != blocks[b].count)
        report("overlap", "example {}: blocks of support() overlap without being the same block", i);
    }
  }

  Cut check_example(std::size_t i) {
    const Cut plain = ask(i, 0.0);
    const Cut augmented = ask(i, 1.0);
    for (const Cut* cut : {&plain, &augmented}) {
      check_cut(i, *cut);
      remember(i, *cut);
    }
    if (facts_.exact) check_best(i, plain, augmented);
    if (facts_.linear) check_scaling(i, augmented);
    check_k_best(i, augmented);
    check_marginals(i, augmented);
    if (facts_.linear && facts_.fixed_gold) check_parts(i, augmented);
    return augmented;
  }

  // Whether w . psi is the margin.
  bool is_product() const { return facts_.linear && facts_.euclidean; }

  void check_cut(std::size_t i, const Cut& cut) {
    if (!std::isfinite(cut.loss) || !std::isfinite(cut.margin))
      report("finite", "example {}: the loss is {} and the margin {}; both must be finite", i, cut.loss,
             cut.margin);
    if (cut.loss < 0.0)
      report("negative", "example {}: the loss of a rival is {}, but losses are never negative", i, cut.loss);
    if (facts_.linear && cut.psi.empty() && cut.loss > 0.0)
      report(
          "gold",
          "example {}: a rival with the features of gold has loss {}; the loss is not zero on gold, or the "
          "features do not distinguish them",
          i, cut.loss);
    std::vector<Block> blocks;
    task_.support(i, *scratch_, blocks);
    for (const Entry& entry : cut.psi.entries()) {
      if (!std::isfinite(entry.value))
        report("finite psi", "example {}: the value of feature {} is {}", i, entry.id, entry.value);
      if (entry.id >= task_.dimension()) {
        report("dimension", "example {}: psi has feature {}, but the dimension is {}", i, entry.id,
               task_.dimension());
        return;
      }
      if (!std::ranges::any_of(blocks, [&](const Block& block) {
            return entry.id >= block.first && entry.id - block.first < block.count;
          }))
        report("reach", "example {}: psi has feature {}, which support() does not name", i, entry.id);
    }
    const double score = dot(w_, cut.psi);
    if (is_product() && std::abs(score - cut.margin) > slack(score, cut.margin))
      report("margin", "example {}: the margin is {}, but w . psi is {}", i, cut.margin, score);
  }

  void remember(std::size_t i, const Cut& cut) {
    constexpr std::size_t kMost = 200;
    auto& seen = seen_[i];
    const auto known = [&cut](const Cut& other) {
      return other.loss == cut.loss && std::ranges::equal(other.psi.entries(), cut.psi.entries());
    };
    const bool usable =
        std::ranges::all_of(cut.psi.entries(), [this](const Entry& e) { return e.id < w_.size(); });
    if (usable && seen.size() < kMost && std::ranges::none_of(seen, known)) seen.push_back(cut);
  }

  // Compares the answers with gold and every output seen so far.
  void check_best(std::size_t i, const Cut& plain, const Cut& augmented) {
    if (plain.margin > slack(plain.margin, 0.0))
      report("plain gold", "example {}: the prediction scores {} below gold, so it is not the argmax", i,
             plain.margin);
    if (augmented.violation() < -slack(augmented.loss, augmented.margin))
      report("gold wins",
             "example {}: with the loss added, the rival scores {} below gold, so it is not the argmax", i,
             -augmented.violation());
    if (!is_product() || !facts_.fixed_gold) return;
    for (const Cut& other : seen_[i]) {
      const double margin = dot(w_, other.psi);
      if (margin < plain.margin - slack(margin, plain.margin))
        report("plain argmax", "example {}: the prediction scores {} below an output seen before", i,
               plain.margin - margin);
      const double missed = other.loss - margin - augmented.violation();
      if (missed <= slack(other.loss - margin, augmented.violation())) continue;
      if (same(plain, augmented)) {
        report("ignores",
               "example {}: decode ignores the loss: with it, it still gives the plain prediction, but an "
               "output seen before scores {} higher with its loss",
               i, missed);
      } else {
        report("argmax", "example {}: with the loss added, an output seen before scores {} above the answer",
               i, missed);
      }
    }
  }

  // decode(2 w, 2 l) = decode(w, l): doubling is exact in floats, so the answers
  // must be bit-identical.
  void check_scaling(std::size_t i, const Cut& augmented) {
    const auto scale = [this](float factor) {
      for (float& weight : w_.span()) {
        if (weight != 0.0f) weight *= factor;
      }
    };
    scale(2.0f);
    const Cut doubled = ask(i, 2.0);
    scale(0.5f);
    if (std::ranges::equal(doubled.psi.entries(), augmented.psi.entries()) && doubled.loss == augmented.loss)
      return;
    report(
        "scale",
        "example {}: twice the weights and twice the loss weight give another rival; the choice may depend "
        "on costs only through loss_weight times the loss",
        i);
  }

  void check_k_best(std::size_t i, const Cut& augmented) {
    if (k_best_ == nullptr) return;
    std::vector<Cut> cuts;
    k_best_->most_violated_k(i, w_, 1.0, 3, *scratch_, cuts);
    if (cuts.empty() || cuts.size() > 3) {
      report("k", "example {}: asked for 3 outputs, most_violated_k gave {}", i, cuts.size());
      return;
    }
    if (facts_.exact && std::abs(cuts[0].violation() - augmented.violation()) >
                            slack(cuts[0].violation(), augmented.violation()))
      report("k first", "example {}: the first of the k best violates {}, the most violated {}", i,
             cuts[0].violation(), augmented.violation());
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      if (cuts[k].violation() > cuts[k - 1].violation() + slack(cuts[k].violation(), 0.0))
        report("k order", "example {}: the k best outputs are not sorted best first", i);
    }
  }

  // log sum exp is at least the maximum, and the expected loss at least 0.
  void check_marginals(std::size_t i, const Cut& augmented) {
    if (marginals_ == nullptr) return;
    Expectation expectation;
    marginals_->expect(i, w_, 1.0, *scratch_, expectation);
    if (!(expectation.log_loss >= augmented.violation() - slack(expectation.log_loss, augmented.violation())))
      report("log loss", "example {}: the log-sum over all outputs is {}, less than the score {} of one", i,
             expectation.log_loss, augmented.violation());
    if (!(expectation.expected_loss >= -1e-6))
      report("expected", "example {}: the expected loss is {}", i, expectation.expected_loss);
  }

  // Parts add up to what the task says of the most violated output, and those of gold
  // make nothing but gold.
  void check_parts(std::size_t i, const Cut& augmented) {
    if (factored_ == nullptr) return;
    std::vector<Part> parts;
    factored_->gold_parts(i, *scratch_, parts);
    Exchange found;
    factored_->exchange(i, w_, parts, Search::kAll, *scratch_, found);
    const double violation = found.loss - found.margin;
    if (facts_.exact && std::abs(violation - augmented.violation()) > slack(violation, augmented.violation()))
      report("parts best", "example {}: the best output by its parts violates {}, the most violated {}", i,
             violation, augmented.violation());
    if (found.worst != parts)
      report("parts gold", "example {}: the parts of gold make another output than gold", i);
    std::vector<double> amounts(parts.size(), 1.0);
    parts.insert(parts.end(), found.best.begin(), found.best.end());
    amounts.resize(parts.size(), -1.0);
    Gradient psi;
    const double loss = -factored_->add_features(i, parts, amounts, *scratch_, psi);
    psi.merge();
    const double margin = factored_->product(w_, psi, *scratch_);
    if (std::abs(loss - found.loss) + std::abs(margin - found.margin) > slack(found.loss, found.margin))
      report("parts sum",
             "example {}: by its parts an output has loss {} and margin {}, but the task says {} and {}", i,
             loss, margin, found.loss, found.margin);
  }

  void check_same(std::size_t i, const Cut& before) {
    if (same(ask(i, 1.0), before)) return;
    report("differs",
           "example {}: the same call gave two answers; decode, features or loss depend "
           "on more than the example and the weights",
           i);
  }

  const Task& task_;
  const KBestTask* k_best_ = find_extension<KBestTask>(task_);
  const MarginalTask* marginals_ = find_extension<MarginalTask>(task_);
  const FactoredTask* factored_ = find_extension<FactoredTask>(task_);
  CheckTaskSettings settings_;
  TaskFacts facts_;
  std::unique_ptr<Scratch> scratch_;
  Weights w_;
  std::vector<std::vector<Cut>> seen_;  // [examples] distinct outputs
  std::map<std::string, Finding> findings_;
};

}  // namespace

std::vector<std::string> check_task(const Task& task, const CheckTaskSettings& settings) {
  return Checker(task, settings).run();
}

}  // namespace hinge
