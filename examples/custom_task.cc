// A task of your own in one screenful: segment a string of letters into words.
//
// The output space is yours; here an output is a set of break points and a
// decoder finds the best one by dynamic programming over word ends. In return
// for answering `most_violated`, every learner of the library trains it, with
// objective, duality gap and all. Build and run: make build && build/release/custom_task
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "hinge/learn/registry.h"
#include "hinge/learn/train.h"

using namespace hinge;

constexpr std::size_t kLongest = 8;         // letters of a word
constexpr std::size_t kFeatures = 1 << 12;  // words are hashed into this many weights

struct Example {
  std::string letters;
  std::vector<std::size_t> ends;  // where the words of gold end
};

class Segmentation : public Task {
 public:
  explicit Segmentation(std::vector<Example> examples) : examples_(std::move(examples)) {}
  std::size_t size() const override { return examples_.size(); }
  std::size_t dimension() const override { return kFeatures; }

  // argmax over segmentations of  sum of w[word] + loss_weight * (words that gold does not have).
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&, Cut& cut) const override {
    const std::string& letters = examples_[i].letters;
    const std::vector<std::size_t>& gold = examples_[i].ends;
    const std::vector<std::size_t> rival = decode(letters, w, [&](std::size_t begin, std::size_t end) {
      return loss_weight * !has_word(gold, begin, end);
    });
    cut.psi.clear();
    cut.loss = 0.0;
    add_words(letters, gold, 1.0f, cut.psi);
    add_words(letters, rival, -1.0f, cut.psi);
    for (std::size_t k = 0, begin = 0; k < rival.size(); begin = rival[k++])
      cut.loss += !has_word(gold, begin, rival[k]);
    cut.psi.merge();
    cut.margin = dot(w, cut.psi);
  }

  // Any weight may be read: the words of all segmentations are many.
  void support(std::size_t, std::vector<Block>& blocks) const override { blocks.push_back({0, kFeatures}); }

  template <typename Extra>
  static std::vector<std::size_t> decode(const std::string& letters, const Weights& w, const Extra& extra) {
    std::vector<double> best(letters.size() + 1, -1e300);
    std::vector<std::size_t> from(letters.size() + 1, 0);
    best[0] = 0.0;
    for (std::size_t end = 1; end <= letters.size(); ++end) {
      for (std::size_t begin = end > kLongest ? end - kLongest : 0; begin < end; ++begin) {
        const double score = best[begin] + w[feature(letters, begin, end)] + extra(begin, end);
        if (score > best[end]) best[end] = score, from[end] = begin;
      }
    }
    std::vector<std::size_t> ends;
    for (std::size_t end = letters.size(); end > 0; end = from[end]) ends.insert(ends.begin(), end);
    return ends;
  }

 private:
  static FeatureId feature(const std::string& letters, std::size_t begin, std::size_t end) {
    return static_cast<FeatureId>(std::hash<std::string>()(letters.substr(begin, end - begin)) % kFeatures);
  }
  static bool has_word(const std::vector<std::size_t>& ends, std::size_t begin, std::size_t end) {
    for (std::size_t k = 0, from = 0; k < ends.size(); from = ends[k++]) {
      if (from == begin && ends[k] == end) return true;
    }
    return false;
  }
  static void add_words(const std::string& letters, const std::vector<std::size_t>& ends, float sign,
                        SparseVector& psi) {
    for (std::size_t k = 0, begin = 0; k < ends.size(); begin = ends[k++])
      psi.add(feature(letters, begin, ends[k]), sign);
  }
  std::vector<Example> examples_;
};

struct Silent : Observer {
  bool interrupts(std::int64_t) override { return false; }
  void epoch_done(const EpochReport&) override {}
  void warn(const std::string&) override {}
};

int main() {
  const Segmentation task({{"thecatsat", {3, 6, 9}},
                           {"acatran", {1, 4, 7}},
                           {"thedogsat", {3, 6, 9}},
                           {"adogatetheham", {1, 4, 7, 10, 13}},
                           {"heateaham", {2, 5, 6, 9}}});
  Workers workers(1);
  Silent observer;
  for (const LearnerRow& row : learner_table()) {
    if (!row.suits(task)) continue;  // needs more than most_violated
    const auto learner = choose_learner(row.name)->start(task, workers);
    const TrainResult result = train(task, *learner, {.epochs = 20}, workers, observer);
    std::string shown;
    const std::string text = "thecatatethedog";
    std::size_t begin = 0;
    for (const std::size_t end :
         Segmentation::decode(text, result.weights, [](std::size_t, std::size_t) { return 0.0; })) {
      shown += text.substr(begin, end - begin) + " ";
      begin = end;
    }
    fmt::print("{:<14} {}\n", row.name, shown);
  }
}
