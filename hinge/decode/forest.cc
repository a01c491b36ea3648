#include "hinge/decode/forest.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hinge/core/wide.h"

namespace hinge {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// Always in this order: equal trees must have equal scores.
double with_tails(double score, std::span<const double> best, Forest::Tails tails) {
  if (tails.left != kNoNode) score += best[tails.left];
  if (tails.right != kNoNode) score += best[tails.right];
  return score;
}

void fill_best(const Forest& forest, std::span<const float> scores, std::vector<double>& best,
               std::vector<std::uint32_t>* choice) {
  const std::size_t nodes = forest.nodes();
  best.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    double high = kImpossible;
    std::uint32_t chosen = kNoNode;
    for (std::uint32_t e = forest.begin[v]; e < forest.begin[v + 1]; ++e) {
      const double score = with_tails(scores[e], best, forest.edges[e]);
      if (score > high) {
        high = score;
        chosen = e;
      }
    }
    best[v] = high;
    if (choice != nullptr) (*choice)[v] = chosen;
  }
}

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kImpossible ? a : a + std::log1p(std::exp(b - a));
}

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x0B5F'3C9A'71D2'E684;  // below the prime, otherwise of no meaning

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const Uint128 wide = wide_product(a, b);
  const std::uint64_t sum =
      (static_cast<std::uint64_t>(wide) & kPrime) + static_cast<std::uint64_t>(wide >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

}  // namespace

// Never 0, which would make no difference in front of others.
SequenceHash SequenceHash::of(std::uint64_t symbol) { return {1 + symbol % (kPrime - 1), kBase}; }

SequenceHash SequenceHash::then(SequenceHash next) const {
  const std::uint64_t sum = product(hash, next.power) + next.hash;
  return {sum >= kPrime ? sum - kPrime : sum, product(power, next.power)};
}

double ForestSearch::best(const Forest& forest, std::span<const float> scores,
                          std::vector<std::uint32_t>& edges) {
  edges.clear();
  const std::size_t nodes = forest.nodes();
  if (nodes == 0) return kImpossible;
  choice_.resize(nodes);
  fill_best(forest, scores, best_, &choice_);
  if (choice_[nodes - 1] == kNoNode) return kImpossible;
  open_.assign(1, static_cast<std::uint32_t>(nodes - 1));
  while (!open_.empty()) {
    const std::uint32_t edge = choice_[open_.back()];
    open_.pop_back();
    edges.push_back(edge);
    const Forest::Tails tails = forest.edges[edge];
    if (tails.right != kNoNode) open_.push_back(tails.right);
    if (tails.left != kNoNode) open_.push_back(tails.left);
  }
  return best_[nodes - 1];
}

void ForestKBest::best(const Forest& forest, std::span<const float> scores, std::size_t k,
                       std::vector<Tree>& trees) {
  trees.clear();
  begin(forest, scores);
  for (Tree tree; trees.size() < k && next(tree);) trees.push_back(std::move(tree));
}

void ForestKBest::begin(const Forest& forest, std::span<const float> scores,
                        std::span<const EdgeText> texts) {
  forest_ = &forest;
  scores_ = scores;
  texts_ = texts;
  rank_ = 0;
  fill_best(forest, scores, best_, nullptr);
  nodes_.assign(forest.nodes(), {});
}

bool ForestKBest::next(Tree& tree) {
  if (nodes_.empty()) return false;
  const auto root = static_cast<std::uint32_t>(nodes_.size() - 1);
  if (!has(root, rank_)) return false;
  tree.score = nodes_[root].found[rank_].score;
  tree.edges.clear();
  collect(root, rank_++, tree.edges);
  return true;
}

// Every edge with the best derivations of its tails.
void ForestKBest::start(std::uint32_t node) {
  nodes_[node].started = true;
  for (std::uint32_t e = forest_->begin[node]; e < forest_->begin[node + 1]; ++e) {
    const double score = with_tails(scores_[e], best_, forest_->edges[e]);
    if (score > kImpossible) nodes_[node].waiting.push_back({score, e, 0, 0});
  }
  std::ranges::make_heap(nodes_[node].waiting, worse);
}

bool ForestKBest::worse(const Derivation& a, const Derivation& b) {
  if (a.score != b.score) return a.score < b.score;
  if (a.edge != b.edge) return a.edge > b.edge;
  return a.left != b.left ? a.left > b.left : a.right > b.right;
}

bool ForestKBest::has(std::uint32_t node, std::uint32_t rank) {
  if (node == kNoNode) return rank == 0;
  if (!nodes_[node].started) start(node);
  while (nodes_[node].found.size() <= rank) {
    if (!extend(node)) return false;
  }
  return true;
}

// Moves the best waiting derivation with a new text to those found, after adding the neighbours
// of the one taken before. A derivation has several neighbours before it; only one of them adds
// it: the one with the same left rank, or with left rank one less if its right rank is 0.
bool ForestKBest::extend(std::uint32_t node) {
  while (true) {
    if (nodes_[node].has_last) {
      const Derivation last = nodes_[node].last;
      nodes_[node].has_last = false;
      const Forest::Tails tails = forest_->edges[last.edge];
      if (tails.right != kNoNode) add(node, last.edge, last.left, last.right + 1);
      if (tails.left != kNoNode && last.right == 0) add(node, last.edge, last.left + 1, 0);
    }
    Node& here = nodes_[node];
    if (here.waiting.empty()) return false;
    std::ranges::pop_heap(here.waiting, worse);
    here.last = here.waiting.back();
    here.has_last = true;
    here.waiting.pop_back();
    if (!texts_.empty()) {
      const SequenceHash text = text_of(here.last);
      if (!here.seen.insert(text.hash).second) continue;
      here.texts.push_back(text);
    }
    here.found.push_back(here.last);
    return true;
  }
}

SequenceHash ForestKBest::text_of(const Derivation& derivation) {
  const EdgeText& own = texts_[derivation.edge];
  const Forest::Tails tails = forest_->edges[derivation.edge];
  has(tails.left, derivation.left);  // the best of a tail is scored, but perhaps not yet found
  has(tails.right, derivation.right);
  SequenceHash first = tails.left == kNoNode ? SequenceHash() : nodes_[tails.left].texts[derivation.left];
  SequenceHash second = tails.right == kNoNode ? SequenceHash() : nodes_[tails.right].texts[derivation.right];
  if (own.swapped) std::swap(first, second);
  return own.before.then(first).then(own.between).then(second).then(own.after);
}

void ForestKBest::add(std::uint32_t node, std::uint32_t edge, std::uint32_t left, std::uint32_t right) {
  const Forest::Tails tails = forest_->edges[edge];
  if (!has(tails.left, left) || !has(tails.right, right)) return;
  double score = scores_[edge];
  if (tails.left != kNoNode) score += nodes_[tails.left].found[left].score;
  if (tails.right != kNoNode) score += nodes_[tails.right].found[right].score;
  nodes_[node].waiting.push_back({score, edge, left, right});
  std::ranges::push_heap(nodes_[node].waiting, worse);
}

void ForestKBest::collect(std::uint32_t node, std::uint32_t rank, std::vector<std::uint32_t>& edges) {
  struct Open {
    std::uint32_t node, rank;
  };
  std::vector<Open> open{{node, rank}};
  while (!open.empty()) {
    const Open top = open.back();
    open.pop_back();
    has(top.node, top.rank);
    const Derivation derivation = nodes_[top.node].found[top.rank];
    edges.push_back(derivation.edge);
    const Forest::Tails tails = forest_->edges[derivation.edge];
    if (tails.right != kNoNode) open.push_back({tails.right, derivation.right});
    if (tails.left != kNoNode) open.push_back({tails.left, derivation.left});
  }
}

double ForestSums::run(const Forest& forest, std::span<const float> scores, std::vector<float>& posteriors) {
  const std::size_t nodes = forest.nodes();
  posteriors.assign(forest.edges.size(), 0.0f);
  if (nodes == 0) return kImpossible;
  inside_.assign(nodes, kImpossible);
  outside_.assign(nodes, kImpossible);
  for (std::size_t v = 0; v < nodes; ++v) {
    // The highest first, so that a node costs one logarithm.
    double high = kImpossible;
    for (std::uint32_t e = forest.begin[v]; e < forest.begin[v + 1]; ++e)
      high = std::max(high, with_tails(scores[e], inside_, forest.edges[e]));
    if (high == kImpossible) continue;
    double sum = 0.0;
    for (std::uint32_t e = forest.begin[v]; e < forest.begin[v + 1]; ++e)
      sum += std::exp(with_tails(scores[e], inside_, forest.edges[e]) - high);
    inside_[v] = high + std::log(sum);
  }
  const double total = inside_[nodes - 1];
  if (total == kImpossible) return total;
  outside_[nodes - 1] = 0.0;
  for (std::size_t v = nodes; v-- > 0;) {
    if (outside_[v] == kImpossible) continue;
    for (std::uint32_t e = forest.begin[v]; e < forest.begin[v + 1]; ++e) {
      const Forest::Tails tails = forest.edges[e];
      const double below = with_tails(0.0, inside_, tails);
      const double through = outside_[v] + scores[e];
      if (below == kImpossible) continue;
      posteriors[e] = static_cast<float>(std::exp(through + below - total));
      if (posteriors[e] < 1e-12f) continue;
      for (const std::uint32_t tail : {tails.left, tails.right}) {
        if (tail != kNoNode) outside_[tail] = log_add(outside_[tail], through + below - inside_[tail]);
      }
    }
  }
  return total;
}

}  // namespace hinge
