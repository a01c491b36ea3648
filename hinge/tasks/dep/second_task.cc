#include "hinge/tasks/dep/second_task.h"

namespace hinge::dep {
namespace {

struct SecondScratch final : Scratch {
  explicit SecondScratch(const ParserPlan& plan)
      : scorer(plan.arcs, plan.layout), second(plan.second, plan.layout) {}
  // Does nothing if sentence i was the last prepared.
  void prepare(const SentenceFields& sentence, std::span<const SecondOrderScores::Arc> arcs, bool single_root,
               std::size_t i) {
    if (prepared == i) return;
    scorer.prepare(sentence);
    second.prepare(sentence, arcs, single_root);
    prepared = i;
  }

  ArcScorer scorer;
  std::size_t prepared = std::numeric_limits<std::size_t>::max();
  SecondScorer second;
  SecondOrderDecoder decoder;
  LabelChoices labels;
  std::vector<HeadId> heads;
};

// Adds the features of a word's parts that differ from those in the other tree.
void add_parts(const SecondScorer& second, const ArcParts& parts, const ArcParts& others, float sign,
               Gradient& psi) {
  const auto add = [&](FeatureId id) { psi.add(id, sign); };
  if (parts.sibling == kNoPart) {
    if (others.sibling != kNoPart || others.arc != parts.arc)
      second.each_feature(TreePart::first, parts.arc, add);
  } else if (parts.sibling != others.sibling) {
    second.each_feature(TreePart::sibling, parts.sibling, add);
  }
  if (parts.grand != kNoPart && parts.grand != others.grand)
    second.each_feature(TreePart::grand, parts.grand, add);
}

}  // namespace

std::unique_ptr<Scratch> SecondTask::make_scratch() const { return std::make_unique<SecondScratch>(plan_); }

void SecondTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                               Cut& cut) const {
  data_.use(i);
  auto& own = static_cast<SecondScratch&>(scratch);
  const SentenceFields sentence = data_.sentence(i);
  own.prepare(sentence, candidates_.of(i), plan_.options.single_root, i);
  float* arcs = own.scorer.score(w.data());
  labels_.choose(i, w, loss_weight, own.labels);
  labels_.add_to_arcs(i, own.labels, arcs, own.scorer.stride());
  const SecondOrderScores& scores = own.second.score(w.data(), arcs, own.scorer.stride());
  if (!own.second.finite()) return refuse_weights(cut);
  own.heads.resize(sentence.words() + 1);
  own.decoder.best(scores, own.heads);

  cut.psi.clear();
  cut.loss = 0.0;
  const std::span<const HeadId> gold = data_.heads_of(i);
  for (HeadId m = 1; m < gold.size(); ++m) {
    if (own.heads[m] != gold[m]) {
      own.scorer.each_feature(gold[m], m, [&](FeatureId id) { cut.psi.add(id, 1.0f); });
      own.scorer.each_feature(own.heads[m], m, [&](FeatureId id) { cut.psi.add(id, -1.0f); });
    }
    const ArcParts of_gold = parts_into(scores, gold, m);
    const ArcParts of_rival = parts_into(scores, own.heads, m);
    add_parts(own.second, of_gold, of_rival, 1.0f, cut.psi);
    add_parts(own.second, of_rival, of_gold, -1.0f, cut.psi);
  }
  labels_.add_to_cut(i, own.heads, own.labels, cut);
  cut.margin = dot(w, cut.psi);
}

void SecondTask::support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  data_.use(i);
  auto& own = static_cast<SecondScratch&>(scratch);
  own.prepare(data_.sentence(i), candidates_.of(i), plan_.options.single_root, i);
  own.scorer.append_rows(blocks);
  own.second.each_row([&](FeatureId base) { blocks.push_back(row_of(base)); });
  labels_.support(i, blocks);
}

}  // namespace hinge::dep
