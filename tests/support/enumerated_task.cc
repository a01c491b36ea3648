#include "tests/support/enumerated_task.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "hinge/core/random.h"

namespace hinge::test {
namespace {

using Structure = std::vector<std::size_t>;  // labels of tokens, or heads of words

double symmetric(Random& random) { return 2.0 * random.uniform() - 1.0; }

// A feature value on a grid of 2^-10, so that sums of them are exact in floats.
float random_value(Random& random) { return (static_cast<float>(random.below(2049)) - 1024.0f) / 1024.0f; }

std::size_t argmax(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

double wrong_places(const Structure& gold, const Structure& other) {
  double wrong = 0.0;
  for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != other[t];
  return wrong;
}

// All of {0 .. values-1}^length; the first position changes fastest.
std::vector<Structure> all_sequences(std::size_t length, std::size_t values) {
  std::vector<Structure> all;
  Structure sequence(length, 0);
  while (true) {
    all.push_back(sequence);
    std::size_t t = 0;
    while (t < length && ++sequence[t] == values) sequence[t++] = 0;
    if (t == length) return all;
  }
}

// Word m (from 1) has head heads[m - 1]; 0 is the root. A tree has no cycle.
bool is_tree(const Structure& heads) {
  for (std::size_t m = 1; m <= heads.size(); ++m) {
    std::size_t node = m;
    for (std::size_t steps = 0; node != 0; ++steps) {
      if (steps == heads.size()) return false;
      node = heads[node - 1];
    }
  }
  return true;
}

std::vector<Structure> all_trees(std::size_t words) {
  std::vector<Structure> trees = all_sequences(words, words + 1);
  std::erase_if(trees, [](const Structure& heads) { return !is_tree(heads); });
  return trees;
}

// Gold first, then every other structure in order.
template <typename Features>
std::vector<Candidate> list_candidates(const std::vector<Structure>& structures, std::size_t gold,
                                       const Features& features) {
  std::vector<Candidate> list{{features(structures[gold]), 0.0}};
  for (std::size_t s = 0; s < structures.size(); ++s) {
    if (s == gold) continue;
    list.push_back({features(structures[s]), wrong_places(structures[gold], structures[s])});
  }
  return list;
}

std::size_t index_of(const std::vector<Structure>& structures, const Structure& wanted) {
  return static_cast<std::size_t>(std::find(structures.begin(), structures.end(), wanted) -
                                  structures.begin());
}

std::size_t other_than(std::size_t value, std::size_t count, Random& random) {
  return (value + 1 + random.below(count - 1)) % count;
}

struct Input {
  std::vector<float> x;
  std::size_t gold;
};

Input random_input(Random& random, const std::vector<double>& hidden, std::size_t classes,
                   std::size_t inputs) {
  Input input{std::vector<float>(inputs), 0};
  std::vector<double> score(classes, 0.0);
  for (std::size_t d = 0; d < inputs; ++d) {
    if (d > 0 && random.uniform() < 0.4) continue;  // sparse, but never empty
    input.x[d] = random_value(random);
    for (std::size_t y = 0; y < classes; ++y) score[y] += hidden[y * inputs + d] * input.x[d];
  }
  input.gold = argmax(score);
  return input;
}

SparseVector outer_product(std::size_t label, const std::vector<float>& x) {
  SparseVector features;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (x[d] != 0.0f) features.add(static_cast<FeatureId>(label * x.size() + d), x[d]);
  }
  return features;
}

std::vector<Candidate> multiclass_candidates(const Input& input, std::size_t classes, Random& random) {
  std::vector<Candidate> list{{outer_product(input.gold, input.x), 0.0}};
  for (std::size_t y = 0; y < classes; ++y) {
    if (y != input.gold) list.push_back({outer_product(y, input.x), 0.5 + random.uniform()});
  }
  return list;
}

std::vector<double> random_weights(Random& random, std::size_t dimension) {
  std::vector<double> w(dimension);
  for (double& value : w) value = symmetric(random);
  return w;
}

double score(const std::vector<double>& w, const SparseVector& features) {
  double sum = 0.0;
  for (const Entry& entry : features.entries()) sum += w[entry.id] * entry.value;
  return sum;
}

}  // namespace

Cut EnumeratedTask::cut_of(std::size_t i, std::size_t candidate) const {
  Cut cut{.loss = examples_[i][candidate].loss};
  if (candidate == 0) return cut;
  cut.psi.append(examples_[i][0].features, 1.0f);
  cut.psi.append(examples_[i][candidate].features, -1.0f);
  cut.psi.merge();
  return cut;
}

EnumeratedTask::EnumeratedTask(std::vector<std::vector<Candidate>> examples, std::size_t dimension)
    : examples_(std::move(examples)), support_(examples_.size()), dimension_(dimension) {
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    std::set<FeatureId> ids;
    for (const Candidate& candidate : examples_[i]) {
      for (const Entry& entry : candidate.features.entries()) ids.insert(entry.id);
    }
    for (const FeatureId id : ids) support_[i].push_back({id, 1});
  }
}

std::vector<double> EnumeratedTask::scores(std::size_t i, const Weights& w, double loss_weight) const {
  std::vector<double> result;
  for (const Candidate& candidate : examples_[i]) {
    result.push_back(dot(w, candidate.features) + loss_weight * candidate.loss);
  }
  return result;
}

void EnumeratedTask::fill(std::size_t i, std::size_t candidate, const Weights& w, Cut& cut) const {
  cut.psi.clear();
  cut.loss = examples_[i][candidate].loss;
  cut.margin = 0.0;
  if (candidate == 0) return;
  cut.psi.append(examples_[i][candidate].features, -1.0f);
  cut.psi.append(examples_[i][0].features, 1.0f);
  cut.margin = dot(w, cut.psi);
}

void EnumeratedTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&,
                                   Cut& cut) const {
  const std::vector<double> score = scores(i, w, loss_weight);
  const auto last_best = std::max_element(score.rbegin(), score.rend());
  fill(i, static_cast<std::size_t>(score.rend() - last_best) - 1, w, cut);
}

void EnumeratedTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                                     Scratch&, std::vector<Cut>& cuts) const {
  const std::vector<double> score = scores(i, w, loss_weight);
  std::vector<std::size_t> order(score.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  cuts.resize(std::min(k, order.size()));
  for (std::size_t rank = 0; rank < cuts.size(); ++rank) fill(i, order[rank], w, cuts[rank]);
}

void EnumeratedTask::support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  blocks.insert(blocks.end(), support_[i].begin(), support_[i].end());
}

void EnumeratedTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch&,
                            Expectation& expectation) const {
  const std::vector<double> score = scores(i, w, loss_weight);
  const double highest = *std::max_element(score.begin(), score.end());
  double total = 0.0;
  for (const double s : score) total += std::exp(s - highest);
  expectation.gradient.clear();
  expectation.expected_loss = 0.0;
  expectation.log_loss = std::log(total) + highest - score[0];
  SparseVector sum;
  sum.append(examples_[i][0].features, -1.0f);
  for (std::size_t y = 0; y < score.size(); ++y) {
    const double p = std::exp(score[y] - highest) / total;
    expectation.expected_loss += p * examples_[i][y].loss;
    sum.append(examples_[i][y].features, static_cast<float>(p));
  }
  sum.merge();
  for (const Entry& entry : sum.entries()) expectation.gradient.add(entry.id, entry.value);
}

void EnumeratedTask::gold_support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  for (const Entry& entry : examples_[i][0].features.entries()) blocks.push_back({entry.id, 1});
}

void EnumeratedTask::gold_parts(std::size_t, Scratch&, std::vector<Part>& parts) const { parts.assign(1, 0); }

void EnumeratedTask::exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                              Scratch&, Exchange& exchange) const {
  const std::vector<double> score = scores(i, w, 1.0);
  exchange.clear();
  for (Part part = 0; part < score.size(); ++part) {
    const bool is_allowed = std::ranges::binary_search(allowed, part);
    if (is_allowed && (exchange.worst.empty() || score[part] < score[exchange.worst[0]]))
      exchange.worst.assign(1, part);
    if (search == Search::kAllowed && !is_allowed) continue;
    if (exchange.best.empty() || score[part] >= score[exchange.best[0]]) exchange.best.assign(1, part);
  }
  if (exchange.best.empty()) return;
  exchange.loss = examples_[i][exchange.best[0]].loss;
  exchange.margin = exchange.loss - (score[exchange.best[0]] - score[0]);
  if (!exchange.worst.empty()) exchange.violation = score[exchange.worst[0]] - score[0];
  exchange.make_one_piece();
}

double EnumeratedTask::add_features(std::size_t i, std::span<const Part> parts,
                                    std::span<const double> amounts, Scratch&, Gradient& features) const {
  double loss = 0.0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k] >= examples_[i].size()) continue;
    const Candidate& candidate = examples_[i][parts[k]];
    features.append(candidate.features, static_cast<float>(amounts[k]));
    loss += amounts[k] * candidate.loss;
  }
  return loss;
}

EnumeratedTask random_multiclass(std::uint64_t seed, std::size_t examples, std::size_t classes,
                                 std::size_t inputs) {
  Random random(seed);
  const std::vector<double> hidden = random_weights(random, classes * inputs);
  std::vector<Input> data;
  for (std::size_t i = 0; i + 1 < examples; ++i) {
    data.push_back(random_input(random, hidden, classes, inputs));
    if (random.uniform() < 0.15) data[i].gold = random.below(classes);
  }
  data.push_back({data[0].x, other_than(data[0].gold, classes, random)});
  std::vector<std::vector<Candidate>> lists;
  for (const Input& input : data) lists.push_back(multiclass_candidates(input, classes, random));
  return {std::move(lists), classes * inputs};
}

EnumeratedTask separable_multiclass(std::uint64_t seed, std::size_t examples, std::size_t classes,
                                    std::size_t inputs) {
  constexpr double kRoom = 0.2;
  Random random(seed);
  const std::vector<double> hidden = random_weights(random, classes * inputs);
  std::vector<std::vector<Candidate>> lists;
  while (lists.size() < examples) {
    const Input input = random_input(random, hidden, classes, inputs);
    const std::vector<Candidate> list = multiclass_candidates(input, classes, random);
    const double gold = score(hidden, list[0].features);
    const bool clear = std::all_of(list.begin() + 1, list.end(), [&](const Candidate& rival) {
      return gold - score(hidden, rival.features) > kRoom;
    });
    if (clear) lists.push_back(list);
  }
  return {std::move(lists), classes * inputs};
}

// Node features of a token: its word, and one real value shared by all words.
EnumeratedTask random_chains(std::uint64_t seed, std::size_t examples, std::size_t tokens,
                             std::size_t labels) {
  struct Sentence {
    Structure words;
    std::vector<float> value;
    std::size_t gold;  // index of a sequence
  };
  Random random(seed);
  const std::size_t words = labels + 2;
  const std::size_t transitions = (words + 1) * labels;
  const std::vector<Structure> sequences = all_sequences(tokens, labels);
  std::vector<Sentence> data;
  for (std::size_t i = 0; i + 1 < examples; ++i) {
    Sentence sentence;
    Structure gold;
    for (std::size_t t = 0; t < tokens; ++t) {
      sentence.words.push_back(random.below(words));
      sentence.value.push_back(random_value(random));
      gold.push_back(random.uniform() < 0.7 ? sentence.words[t] % labels : random.below(labels));
    }
    sentence.gold = index_of(sequences, gold);
    data.push_back(sentence);
  }
  data.push_back(data[0]);
  data.back().gold = other_than(data[0].gold, sequences.size(), random);

  std::vector<std::vector<Candidate>> lists;
  for (const Sentence& sentence : data) {
    lists.push_back(list_candidates(sequences, sentence.gold, [&](const Structure& path) {
      SparseVector features;
      for (std::size_t t = 0; t < tokens; ++t) {
        features.add(static_cast<FeatureId>(sentence.words[t] * labels + path[t]), 1.0f);
        features.add(static_cast<FeatureId>(words * labels + path[t]), sentence.value[t]);
        if (t > 0) features.add(static_cast<FeatureId>(transitions + path[t - 1] * labels + path[t]), 1.0f);
      }
      features.merge();
      return features;
    }));
  }
  return {std::move(lists), transitions + labels * labels};
}

// Features of an arc: the tags of its ends, its direction and whether its ends
// are neighbours, and one real value per arc.
EnumeratedTask random_trees(std::uint64_t seed, std::size_t examples, std::size_t words) {
  constexpr std::size_t kTags = 3;  // the root has the tag kTags
  constexpr FeatureId kShape = (kTags + 1) * kTags;
  constexpr FeatureId kValue = kShape + 4;
  struct Sentence {
    Structure tags;            // [words + 1]
    std::vector<float> value;  // [head][word - 1]
    std::size_t gold = 0;      // index of a tree
  };
  const std::vector<Structure> trees = all_trees(words);
  const auto features_of = [&](const Sentence& sentence, const Structure& heads) {
    SparseVector features;
    for (std::size_t m = 1; m <= words; ++m) {
      const std::size_t h = heads[m - 1];
      const FeatureId shape = kShape + 2 * (h < m) + (h + 1 == m || m + 1 == h);
      features.add(static_cast<FeatureId>(sentence.tags[h] * kTags + sentence.tags[m]), 1.0f);
      features.add(shape, 1.0f);
      features.add(kValue, sentence.value[h * words + m - 1]);
    }
    features.merge();
    return features;
  };

  Random random(seed);
  const std::vector<double> hidden = random_weights(random, kValue + 1);
  std::vector<Sentence> data;
  for (std::size_t i = 0; i + 1 < examples; ++i) {
    Sentence sentence{.tags = {kTags}};
    for (std::size_t m = 1; m <= words; ++m) sentence.tags.push_back(random.below(kTags));
    for (std::size_t arc = 0; arc < (words + 1) * words; ++arc)
      sentence.value.push_back(random_value(random));
    std::vector<double> noisy;
    for (const Structure& tree : trees) {
      noisy.push_back(score(hidden, features_of(sentence, tree)) + symmetric(random));
    }
    sentence.gold = argmax(noisy);
    data.push_back(sentence);
  }
  data.push_back(data[0]);
  data.back().gold = other_than(data[0].gold, trees.size(), random);

  std::vector<std::vector<Candidate>> lists;
  for (const Sentence& sentence : data) {
    lists.push_back(list_candidates(trees, sentence.gold,
                                    [&](const Structure& heads) { return features_of(sentence, heads); }));
  }
  return {std::move(lists), kValue + 1};
}

std::vector<NamedTask> small_problems(std::uint64_t seed) {
  const std::string suffix = ", seed " + std::to_string(seed);
  return {{"multiclass" + suffix, random_multiclass(seed, 20, 4, 6)},
          {"chains" + suffix, random_chains(seed, 12, 3, 3)},
          {"trees" + suffix, random_trees(seed, 12, 3)}};
}

}  // namespace hinge::test
