// A task of your own: segment a string of letters into words. Any learner that needs only
// `most_violated` can train it. Run: make build && build/release/custom_task
#include <fmt/ranges.h>

#include <algorithm>

#include "hinge/learn/driver/check_task.h"
#include "hinge/learn/driver/train.h"
#include "hinge/learn/registry.h"
using namespace hinge;
using Words = std::vector<std::string>;     // an output
constexpr std::size_t kFeatures = 1 << 12;  // words are hashed into this many weights
FeatureId feature(const std::string& word) { return std::hash<std::string>()(word) % kFeatures; }
double loss(const Words& gold, const std::string& word) { return std::ranges::count(gold, word) == 0; }

// Maximizes the sum over words of w[word] + loss_weight * loss, by dynamic programming over word ends.
Words decode(const std::string& text, const Weights& w, const Words& gold, double loss_weight) {
  std::vector<std::pair<double, Words>> best(text.size() + 1, {-1e300, {}});
  best[0].first = 0.0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    for (std::size_t begin = 0; begin < end; ++begin) {
      const std::string word = text.substr(begin, end - begin);
      const double score = best[begin].first + w[feature(word)] + loss_weight * loss(gold, word);
      if (score <= best[end].first) continue;
      best[end] = {score, best[begin].second};
      best[end].second.push_back(word);
    }
  }
  return best.back().second;
}

struct Segmentation : Task {
  std::vector<Words> golds{{"the", "cat", "sat"}, {"a", "dog", "ran"}, {"he", "ate", "a", "ham"}};
  std::size_t size() const override { return golds.size(); }
  std::size_t dimension() const override { return kFeatures; }
  void support(std::size_t, Scratch&, std::vector<Block>& b) const override { b.push_back({0, kFeatures}); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&, Cut& cut) const override {
    cut = {};
    for (const auto& word : golds[i]) cut.psi.add(feature(word), 1.0f);
    for (const auto& word : decode(fmt::format("{}", fmt::join(golds[i], "")), w, golds[i], loss_weight)) {
      cut.psi.add(feature(word), -1.0f);
      cut.loss += loss(golds[i], word);
    }
    cut.psi.merge();
    cut.margin = dot(w, cut.psi);
  }
};

int main() {
  const Segmentation task;
  for (const std::string& mistake : check_task(task)) fmt::print("{}\n", mistake);
  Workers workers(1);
  for (Observer silent; const LearnerRow& row : learner_table()) {
    if (!row.suits(task)) continue;  // needs more than most_violated
    const auto learner = choose_learner(row.name)->start(task, workers);
    const Weights w = train(task, *learner, {.epochs = 20}, workers, silent).weights;
    fmt::print("{:<14} {}\n", row.name, fmt::join(decode("thecatatethedog", w, {}, 0.0), " "));
  }
}
