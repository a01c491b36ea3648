#include "hinge/mt/n_best.h"

#include <algorithm>

#include "hinge/core/interrupt.h"

namespace hinge::mt {

NBest NBestExtractor::extract(const TranslationForest& forest, std::span<const float> scores,
                              const NBestRequest& request) {
  forest_ = &forest;
  request_ = request;
  result_ = {};
  features_of_edge_.clear();
  numbers_.clear();
  texts_.clear();
  if (request.distinct && request.count > 1) find_texts();
  search_.begin(forest.forest, scores, texts_);
  ForestKBest::Tree tree;
  while (result_.translations.size() < request.count && search_.next(tree)) {
    check_interrupt();
    read(tree);
    describe(tree, result_.translations.emplace_back());
  }
  return std::move(result_);
}

void NBestExtractor::find_texts() {
  texts_.resize(forest_->edges.size());
  for (std::size_t e = 0; e < texts_.size(); ++e) {
    EdgeText& text = texts_[e];
    unsigned parts = 0;
    read_target(
        *forest_, forest_->edges[e], parts_,
        [&](Word word) {
          SequenceHash& piece = parts == 0 ? text.before : parts == 1 ? text.between : text.after;
          piece = piece.then(SequenceHash::of(word));
        },
        [&](unsigned part) {
          if (parts == 0) text.swapped = part == 1;
          ++parts;
        });
  }
}

void NBestExtractor::read(const ForestKBest::Tree& tree) {
  edges_ = tree.edges;
  sizes_.assign(edges_.size(), 1);
  for (std::size_t at = edges_.size(); at-- > 0;) {  // parents first, so children are done
    const Forest::Tails tails = forest_->forest.edges[edges_[at]];
    if (tails.left != kNoNode) sizes_[at] += sizes_[at + 1];
    if (tails.right != kNoNode) sizes_[at] += sizes_[at + sizes_[at]];
  }
  words_.clear();
  read_from(0);
}

// Appends the words below the edge at a position of the tree.
std::uint32_t NBestExtractor::read_from(std::uint32_t at) {
  const Forest::Tails tails = forest_->forest.edges[edges_[at]];
  const std::uint32_t right = tails.left == kNoNode ? 0 : at + 1 + sizes_[at + 1];
  read_target(
      *forest_, forest_->edges[edges_[at]], parts_, [&](Word word) { words_.push_back(word); },
      [&](unsigned part) {
        if ((part == 0 ? tails.left : tails.right) != kNoNode) read_from(part == 0 ? at + 1 : right);
      });
  return at;
}

std::string_view NBestExtractor::text_of(Word word) const {
  const std::size_t known = parts_.target->size();
  return word < known ? parts_.target->text(word) : forest_->new_words[word - known];
}

void NBestExtractor::describe(const ForestKBest::Tree& tree, Translation& translation) {
  for (const Word word : words_) {
    if (!translation.text.empty()) translation.text += ' ';
    translation.text += text_of(word);
  }
  translation.score = tree.score;
  Features features;
  DenseSums dense{};
  for (const std::uint32_t e : tree.edges) {
    const TranslationForest::Edge& edge = forest_->edges[e];
    add_dense(*forest_, edge, parts_, dense);
    dense[kLanguageModel] += edge.language_model;
    if (!is_rule(edge.rule) || !request_.sparse.has_rule_features()) continue;
    const Features& own = rule_features(e);
    features.insert(features.end(), own.begin(), own.end());
  }
  std::ranges::transform(dense, translation.dense.begin(),
                         [](double sum) { return static_cast<float>(sum); });
  if (request_.sparse.has(SparseKind::kBigram)) add_bigrams(features);
  std::ranges::sort(features);
  for (const std::uint32_t feature : features) {
    if (translation.sparse.empty() || translation.sparse.back().feature != feature)
      translation.sparse.push_back({feature, 0.0f});
    translation.sparse.back().value += 1.0f;
  }
}

const NBestExtractor::Features& NBestExtractor::rule_features(std::uint32_t e) {
  const auto [place, is_new] = features_of_edge_.try_emplace(e);
  Features& features = place->second;
  if (!is_new) return features;
  const TranslationForest::Edge& edge = forest_->edges[e];
  const auto source = forest_->sources[edge.source].text(), target = parts_.rules->target(edge.rule);
  each_rule_feature(
      source, target, parts_.rules->values(edge.rule).links, request_.sparse, parts_.frequent,
      [&](SparseKind kind, Word first, Word second) {
        const bool insert = kind == SparseKind::kInsert;
        const std::string_view a = (insert ? parts_.target : parts_.source)->text(first);
        features.push_back(number(
            kind, a, second == Words::kNone ? "" : (insert ? parts_.source : parts_.target)->text(second)));
      });
  if (request_.sparse.has(SparseKind::kShape))
    features.push_back(number(SparseKind::kShape, shape_of(source).text(), shape_of(target).text()));
  return features;
}

void NBestExtractor::add_bigrams(Features& features) {
  for (std::size_t i = 0; i <= words_.size(); ++i) {
    const std::string_view left = i == 0 ? "<s>" : text_of(words_[i - 1]);
    features.push_back(number(SparseKind::kBigram, left, i == words_.size() ? "</s>" : text_of(words_[i])));
  }
}

std::uint32_t NBestExtractor::number(SparseKind kind, std::string_view first, std::string_view second) {
  const Key key =
      sparse_key(kind, hash_text(first), kind == SparseKind::kDelete ? kAbsent : hash_text(second));
  const auto [place, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(result_.names.size()));
  if (is_new) result_.names.push_back(sparse_name(kind, first, second));
  return place->second;
}

}  // namespace hinge::mt
