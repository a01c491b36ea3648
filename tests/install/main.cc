// A task that the library does not have: classifies a number into three kinds by
// its divisors. Two learners must fit the data.
#include <hinge/hinge.h>

#include <array>
#include <cstdio>

namespace {

constexpr std::size_t kKinds = 3;
constexpr std::size_t kFeatures = 4;  // divisible by 2, by 3, by 5, and a bias

std::array<float, kFeatures> features(std::size_t number) {
  return {number % 2 == 0 ? 1.0f : 0.0f, number % 3 == 0 ? 1.0f : 0.0f, number % 5 == 0 ? 1.0f : 0.0f, 1.0f};
}

std::size_t gold(std::size_t number) { return number % 2 == 0 ? 0 : number % 3 == 0 ? 1 : 2; }

// A rival kind costs loss_weight; gold costs nothing.
std::size_t best_kind(std::size_t number, const hinge::Weights& w, double loss_weight) {
  const auto values = features(number);
  std::size_t best = 0;
  double best_score = 0.0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    double score = kind == gold(number) ? 0.0 : loss_weight;
    for (std::size_t f = 0; f < kFeatures; ++f) score += values[f] * w[kind * kFeatures + f];
    if (kind > 0 && score <= best_score) continue;
    best = kind;
    best_score = score;
  }
  return best;
}

class Kinds : public hinge::Task {
 public:
  std::size_t size() const override { return 60; }
  std::size_t dimension() const override { return kKinds * kFeatures; }
  void support(std::size_t, hinge::Scratch&, std::vector<hinge::Block>& blocks) const override {
    blocks.push_back({0, kKinds * kFeatures});
  }
  void most_violated(std::size_t i, const hinge::Weights& w, double loss_weight, hinge::Scratch&,
                     hinge::Cut& cut) const override {
    cut = {};
    const std::size_t rival = best_kind(i, w, loss_weight);
    if (rival == gold(i)) return;
    const auto values = features(i);
    for (std::size_t f = 0; f < kFeatures; ++f) {
      cut.psi.add(static_cast<hinge::FeatureId>(gold(i) * kFeatures + f), values[f]);
      cut.psi.add(static_cast<hinge::FeatureId>(rival * kFeatures + f), -values[f]);
    }
    cut.psi.merge();
    cut.loss = 1.0;
    cut.margin = dot(w, cut.psi);
  }
};

std::size_t mistakes_of(const char* name, const Kinds& task) {
  hinge::Workers workers(1);
  hinge::Observer silent;
  const auto choice = hinge::choose_learner(name);
  const auto learner = choice->start(task, workers);
  const hinge::TrainResult result = hinge::train(task, *learner, {.epochs = 30}, workers, silent);
  std::size_t mistakes = 0;
  for (std::size_t i = 0; i < task.size(); ++i) mistakes += best_kind(i, result.weights, 0.0) != gold(i);
  std::printf("%s: %zu mistakes\n", name, mistakes);
  return mistakes;
}

}  // namespace

int main() {
  const Kinds task;
  for (const std::string& mistake : hinge::check_task(task)) {
    std::printf("%s\n", mistake.c_str());
    return 1;
  }
  const std::size_t tasks = hinge::task_table().size();  // the library's tasks are registered, too
  return tasks > 0 && mistakes_of("perceptron", task) + mistakes_of("dcd", task) == 0 ? 0 : 1;
}
