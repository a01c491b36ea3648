#include "hinge/tasks/dep/second_task.h"

namespace hinge::dep {
namespace {

struct Room final : Scratch {
  explicit Room(const Grammar& grammar)
      : scorer(grammar.arcs, grammar.space), second(grammar.second, grammar.space) {}
  ArcScorer scorer;
  SecondScorer second;
  SecondOrderDecoder decoder;
  LabelChoices labels;
  std::vector<HeadId> heads;
};

// Adds the features of the parts of one word that only one of two trees has.
void add_parts(const SecondScorer& second, const ArcParts& parts, const ArcParts& others, float sign,
               SparseVector& psi) {
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

std::unique_ptr<Scratch> SecondTask::make_scratch() const { return std::make_unique<Room>(grammar_); }

void SecondTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                               Cut& cut) const {
  auto& room = static_cast<Room&>(scratch);
  const SentenceFields sentence = data_.sentence(i);
  room.scorer.prepare(sentence);
  float* arcs = room.scorer.score(w.data());
  labels_.choose(i, w, loss_weight, room.labels);
  labels_.add_to_arcs(i, room.labels, arcs, room.scorer.stride());
  room.second.prepare(sentence, candidates_.of(i), grammar_.options.single_root);
  const SecondOrderScores& scores = room.second.score(w.data(), arcs, room.scorer.stride());
  if (!room.second.finite()) return refuse_weights(cut);
  room.heads.resize(sentence.words() + 1);
  room.decoder.best(scores, room.heads);

  cut.psi.clear();
  cut.loss = 0.0;
  const std::span<const HeadId> gold = data_.heads_of(i);
  for (HeadId m = 1; m < gold.size(); ++m) {
    if (room.heads[m] != gold[m]) {
      room.scorer.each_feature(gold[m], m, [&](FeatureId id) { cut.psi.add(id, 1.0f); });
      room.scorer.each_feature(room.heads[m], m, [&](FeatureId id) { cut.psi.add(id, -1.0f); });
    }
    const ArcParts of_gold = parts_into(scores, gold, m);
    const ArcParts of_rival = parts_into(scores, room.heads, m);
    add_parts(room.second, of_gold, of_rival, 1.0f, cut.psi);
    add_parts(room.second, of_rival, of_gold, -1.0f, cut.psi);
  }
  labels_.add_to_cut(i, room.heads, room.labels, cut);
  cut.margin = dot(w, cut.psi);
}

void SecondTask::support(std::size_t i, std::vector<Block>& blocks) const {
  const auto add = [&](FeatureId base) { blocks.push_back(row_of(base)); };
  ArcScorer scorer(grammar_.arcs, grammar_.space);
  scorer.prepare(data_.sentence(i));
  scorer.each_row(add);
  SecondScorer second(grammar_.second, grammar_.space);
  second.prepare(data_.sentence(i), candidates_.of(i), grammar_.options.single_root);
  second.each_row(add);
  labels_.support(i, blocks);
}

}  // namespace hinge::dep
