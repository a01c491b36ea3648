#include "hinge/tasks/constituents/task.h"

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge::constituents {

struct ConstituentTask::TreeScratch final : Scratch {
  TreeScratch(const Plan& plan, bool exhaustive, Errors errors)
      : decoder(plan, exhaustive), part_trees(plan, errors) {}

  TreeDecoder decoder;
  std::size_t example = static_cast<std::size_t>(-1);  // in the decoder
  std::vector<std::string_view> words;
  Derivation gold_tree;
  std::vector<std::uint32_t> gold;  // edges
  std::vector<char> is_gold;        // [edges]
  std::vector<float> costs;         // [edges]
  std::vector<float> augmented;     // [edges]
  std::vector<std::uint32_t> best;
  std::vector<ForestKBest::Tree> trees;
  std::vector<float> posteriors;
  std::vector<NeuralScorer::Part> parts;
  PartTrees part_trees;
};

std::unique_ptr<Scratch> ConstituentTask::make_scratch() const {
  return std::make_unique<TreeScratch>(plan_, exhaustive_, errors_);
}

// The generative model's own weights are all ones.
bool ConstituentTask::initialize(Random& random, Weights& w) const {
  const bool generative = plan_.kind == FeatureKind::kGenerative;
  if (generative) w[plan_.hashed() + kTreeProbability] = 1.0f;
  if (plan_.network.hidden > 0) plan_.network.initialize(random, w);
  return generative || plan_.network.hidden > 0;
}

ConstituentTask::TreeScratch& ConstituentTask::load(std::size_t i, Scratch& base) const {
  data_.use(i);
  auto& scratch = static_cast<TreeScratch&>(base);
  if (scratch.example == i) return scratch;
  scratch.example = i;
  TreeDecoder& decoder = scratch.decoder;
  decoder.load(data_.sentence(i, scratch.words));
  const ParseForest& parse = decoder.forest();
  const Forest& forest = parse.forest;
  Derivation& gold = scratch.gold_tree;
  plan_.grammars.fine.read_tree(data_.gold[i], gold);

  // Which node of the forest each node of gold is, and whose head a gold edge has.
  std::vector<std::uint32_t> gold_of(forest.nodes(), kNone);
  for (std::uint32_t v = 0; v + 1 < forest.nodes(); ++v) {
    const Item& node = parse.nodes[v];
    for (std::uint32_t g = 0; g < gold.size(); ++g) {
      if (gold[g].symbol == node.symbol && gold[g].begin == node.begin && gold[g].end == node.end)
        gold_of[v] = g;
    }
  }
  scratch.gold.clear();
  scratch.is_gold.assign(forest.edges.size(), 0);
  scratch.costs.assign(forest.edges.size(), 0.0f);
  const auto is = [&](std::uint32_t node, std::uint32_t g) {
    return node == kNoNode ? g == kNone : g != kNone && gold_of[node] == g;
  };
  for (std::uint32_t e = 0; e < forest.edges.size(); ++e) {
    const std::uint32_t head = decoder.head_of(e);
    const Forest::Tails tails = forest.edges[e];
    const bool root = parse.nodes[head].symbol == kNoSymbol;
    const std::uint32_t g = gold_of[head];
    const bool right = root ? is(tails.left, 0)
                            : g != kNone && gold[g].rule == parse.rules[e] && is(tails.left, gold[g].left) &&
                                  is(tails.right, gold[g].right);
    scratch.is_gold[e] = right;
    if (right) scratch.gold.push_back(e);
    if (root) continue;
    const bool counts =
        errors_ == Errors::kRules || !plan_.grammars.fine.is_partial(parse.nodes[head].symbol);
    scratch.costs[e] = counts && (errors_ == Errors::kRules ? !right : g == kNone) ? 1.0f : 0.0f;
  }
  if (scratch.gold.size() != gold.size() + 1)
    throw std::logic_error("a gold tree is not in the forest of its sentence");
  return scratch;
}

double ConstituentTask::augment(const Weights& w, double loss_weight, TreeScratch& scratch) const {
  scratch.decoder.score(w.data());
  const std::vector<float>& scores = scratch.decoder.scores();
  scratch.augmented.resize(scores.size());
  const auto weight = static_cast<float>(loss_weight);
  for (std::size_t e = 0; e < scores.size(); ++e)
    scratch.augmented[e] = scores[e] + weight * scratch.costs[e];
  double gold = 0.0;
  for (const std::uint32_t e : scratch.gold) gold += scores[e];
  return gold;
}

void ConstituentTask::fill(std::span<const std::uint32_t> edges, const Weights& w, double gold_score,
                           double rival_score, TreeScratch& scratch, Cut& cut) const {
  cut.psi.clear();
  cut.loss = 0.0;
  cut.margin = 0.0;
  cut.exact = true;
  TreeDecoder& decoder = scratch.decoder;
  bool differs = false;
  for (const std::uint32_t e : edges) {
    cut.loss += scratch.costs[e];
    differs |= !scratch.is_gold[e];
  }
  if (!differs) return;
  cut.margin = gold_score - rival_score;
  const auto add = [&](std::uint32_t e, float sign) {
    decoder.scorer().each(decoder.forest(), decoder.head_of(e), e,
                          [&](FeatureId id, float value) { cut.psi.add(id, sign * value); });
    scratch.parts.push_back({e, sign});
  };
  scratch.parts.clear();
  for (const std::uint32_t e : scratch.gold) {
    if (std::ranges::find(edges, e) == edges.end()) add(e, 1.0f);
  }
  for (const std::uint32_t e : edges) {
    if (!scratch.is_gold[e]) add(e, -1.0f);
  }
  if (decoder.network() != nullptr)
    decoder.network()->add_gradient(decoder.forest(), scratch.parts, w.data(), cut.psi);
}

void ConstituentTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& base,
                                    Cut& cut) const {
  TreeScratch& scratch = load(i, base);
  const double gold = augment(w, loss_weight, scratch);
  scratch.decoder.search().best(scratch.decoder.forest().forest, scratch.augmented, scratch.best);
  double rival = 0.0;
  for (const std::uint32_t e : scratch.best) rival += scratch.decoder.scores()[e];
  fill(scratch.best, w, gold, rival, scratch, cut);
}

void ConstituentTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                                      Scratch& base, std::vector<Cut>& cuts) const {
  TreeScratch& scratch = load(i, base);
  const double gold = augment(w, loss_weight, scratch);
  scratch.decoder.k_best().best(scratch.decoder.forest().forest, scratch.augmented, k, scratch.trees);
  cuts.resize(scratch.trees.size());
  for (std::size_t t = 0; t < cuts.size(); ++t) {
    double rival = 0.0;
    for (const std::uint32_t e : scratch.trees[t].edges) rival += scratch.decoder.scores()[e];
    fill(scratch.trees[t].edges, w, gold, rival, scratch, cuts[t]);
  }
}

void ConstituentTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& base,
                             Expectation& expectation) const {
  TreeScratch& scratch = load(i, base);
  TreeDecoder& decoder = scratch.decoder;
  const double gold = augment(w, loss_weight, scratch);
  const double total = decoder.sums().run(decoder.forest().forest, scratch.augmented, scratch.posteriors);
  expectation.log_loss = total - gold;
  expectation.expected_loss = 0.0;
  expectation.gradient.clear();
  scratch.parts.clear();
  for (std::uint32_t e = 0; e < scratch.posteriors.size(); ++e) {
    expectation.expected_loss += scratch.posteriors[e] * scratch.costs[e];
    const float weight = scratch.posteriors[e] - static_cast<float>(scratch.is_gold[e]);
    if (weight == 0.0f) continue;
    decoder.scorer().each(decoder.forest(), decoder.head_of(e), e,
                          [&](FeatureId id, float value) { expectation.gradient.add(id, weight * value); });
    scratch.parts.push_back({e, weight});
  }
  if (decoder.network() != nullptr)
    decoder.network()->add_gradient(decoder.forest(), scratch.parts, w.data(), expectation.gradient);
}

void ConstituentTask::support(std::size_t i, Scratch& base, std::vector<Block>& blocks) const {
  TreeScratch& scratch = load(i, base);
  scratch.decoder.scorer().each_in(scratch.decoder.forest(), [&](FeatureId id, float) {
    blocks.push_back({id, 1});
  });
  if (scratch.decoder.network() != nullptr)
    scratch.decoder.network()->support(scratch.decoder.forest(), blocks);
}

void ConstituentTask::gold_support(std::size_t i, Scratch& base, std::vector<Block>& blocks) const {
  TreeScratch& scratch = load(i, base);
  for (const std::uint32_t e : scratch.gold) {
    scratch.decoder.scorer().each(scratch.decoder.forest(), scratch.decoder.head_of(e), e,
                                  [&](FeatureId id, float) {
                                    blocks.push_back({id, 1});
                                  });
  }
}

PartTrees& ConstituentTask::load_parts(std::size_t i, Scratch& base) const {
  data_.use(i);
  PartTrees& trees = static_cast<TreeScratch&>(base).part_trees;
  trees.load(data_, i);
  return trees;
}

void ConstituentTask::gold_parts(std::size_t i, Scratch& base, std::vector<Part>& parts) const {
  const auto gold = load_parts(i, base).gold();
  parts.assign(gold.begin(), gold.end());
}

void ConstituentTask::exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                               Scratch& base, Exchange& exchange) const {
  PartTrees& trees = load_parts(i, base);
  trees.search(w.data(), allowed, search, exchange);
  if (search == Search::kAll) {
    TreeScratch& scratch = load(i, base);
    const TreeDecoder& decoder = scratch.decoder;
    const double gold = augment(w, /*loss_weight=*/1.0, scratch);
    const double best =
        scratch.decoder.search().best(decoder.forest().forest, scratch.augmented, scratch.best);
    for (const std::uint32_t e : scratch.best) {
      exchange.loss += scratch.costs[e];
      exchange.best.push_back(trees.forest().part_of(decoder.forest(), decoder.head_of(e), e));
    }
    std::ranges::sort(exchange.best);
    exchange.margin = exchange.loss - (best - gold);
  }
  trees.add_pieces(exchange);
}

double ConstituentTask::add_features(std::size_t i, std::span<const Part> parts,
                                     std::span<const double> amounts, Scratch& base,
                                     Gradient& features) const {
  return load_parts(i, base).add_features(parts, amounts, features);
}

}  // namespace hinge::constituents
