#include "hinge/tasks/dep/search.h"

#include "hinge/decode/chu_liu_edmonds.h"
#include "hinge/decode/eisner.h"
#include "hinge/decode/inside_outside.h"
#include "hinge/decode/matrix_tree.h"

namespace hinge::dep {

struct TreeSearch::Rooms {
  Eisner eisner;
  ChuLiuEdmonds chu_liu_edmonds;
  InsideOutside inside_outside;
  MatrixTree matrix_tree;
};

TreeSearch::TreeSearch(TreeDecoder decoder) : decoder_(decoder), rooms_(std::make_unique<Rooms>()) {}
TreeSearch::~TreeSearch() = default;

double TreeSearch::best(const ArcScores& scores, std::span<HeadId> heads) {
  return decoder_ == TreeDecoder::kEisner ? rooms_->eisner.best(scores, heads)
                                          : rooms_->chu_liu_edmonds.best(scores, heads);
}

double TreeSearch::sum(const ArcScores& scores) {
  return decoder_ == TreeDecoder::kEisner ? rooms_->inside_outside.run(scores)
                                          : rooms_->matrix_tree.run(scores);
}

std::span<const float> TreeSearch::marginals() const {
  return decoder_ == TreeDecoder::kEisner ? rooms_->inside_outside.marginals()
                                          : rooms_->matrix_tree.marginals();
}

}  // namespace hinge::dep
