#include "hinge/tasks/dep/decoder.h"

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge::dep {
namespace {

[[noreturn]] void refuse_weights() {
  fail<ModelError>(
      "some weights of the parser are not finite numbers; the model is damaged, copy or train it again");
}

}  // namespace

TreeDecoder::TreeDecoder(const ParserPlan& plan, const Pruner* pruner)
    : plan_(plan),
      scorer_(plan.arcs, plan.layout),
      features_(plan.labels, plan.layout),
      trees_(plan.options.algorithm),
      second_(plan.second, plan.layout) {
  if (pruner == nullptr) return;
  pruner_ = std::make_unique<TreeDecoder>(pruner->plan);
  pruner_weights_ = pruner->weights;
}

void TreeDecoder::parse(const SentenceFields& sentence, const ParserWeights& w) {
  score(sentence, w);
  search(sentence, w);
  label(sentence, heads_, w);
}

void TreeDecoder::score(const SentenceFields& sentence, const ParserWeights& w) {
  scorer_.prepare(sentence);
  arcs_ = scorer_.score(w.parts);
  if (!scorer_.finite()) refuse_weights();
}

double TreeDecoder::search(const SentenceFields& sentence, const ParserWeights& w) {
  heads_.resize(sentence.words() + 1);
  if (pruner_ != nullptr) {
    pruner_->prune(sentence, pruner_weights_, {}, arcs_, left_);
    second_.prepare(sentence, left_, plan_.options.single_root);
  }
  return search_again(w, heads_);
}

double TreeDecoder::search_again(const ParserWeights& w, std::span<HeadId> heads) {
  if (pruner_ == nullptr) return trees_.best(scores(), heads);
  const SecondOrderScores& scores = second_.score(w.parts, arcs_, scorer_.stride());
  if (!second_.finite()) refuse_weights();
  return second_order_.best(scores, heads);
}

void TreeDecoder::prune(const SentenceFields& sentence, const ParserWeights& w, std::span<const HeadId> keep,
                        const float* forbidden, std::vector<SecondOrderScores::Arc>& arcs) {
  score(sentence, w);
  for (std::size_t k = 0; forbidden != nullptr && k < scorer_.stride() * scorer_.stride(); ++k) {
    if (forbidden[k] == kForbidden) arcs_[k] = kForbidden;
  }
  heads_.resize(sentence.words() + 1);
  trees_.best(scores(), heads_);
  choose_arcs(scores(), heads_, keep, kPrunedHeads, arcs);
}

void TreeDecoder::label(const SentenceFields& sentence, std::span<const HeadId> heads,
                        const ParserWeights& w) {
  const std::size_t labels = plan_.layout.labels();
  if (labels == 0) return;
  features_.find(sentence, heads, rows_);
  best_.assign(heads.size(), 0);
  sums_.resize(padded_labels(labels));
  const std::size_t width = plan_.labels.size();
  for (std::size_t m = 1; m < heads.size(); ++m) {
    sum_rows(w.labels, std::span(rows_).subspan((m - 1) * width, width), nullptr, labels, sums_.size(),
             sums_.data());
    const auto all = std::span(sums_).first(labels);
    best_[m] = static_cast<LabelId>(std::ranges::max_element(all) - all.begin());
  }
}

}  // namespace hinge::dep
