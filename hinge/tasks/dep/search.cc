#include "hinge/tasks/dep/search.h"

#include "hinge/decode/chu_liu_edmonds.h"
#include "hinge/decode/eisner.h"
#include "hinge/decode/inside_outside.h"
#include "hinge/decode/matrix_tree.h"

namespace hinge::dep {

struct TreeSearch::Algorithms {
  Eisner eisner;
  ChuLiuEdmonds chu_liu_edmonds;
  InsideOutside inside_outside;
  MatrixTree matrix_tree;
};

TreeSearch::TreeSearch(TreeAlgorithm algorithm)
    : algorithm_(algorithm), algorithms_(std::make_unique<Algorithms>()) {}
TreeSearch::~TreeSearch() = default;

double TreeSearch::best(const ArcScores& scores, std::span<HeadId> heads) {
  return algorithm_ == TreeAlgorithm::kEisner ? algorithms_->eisner.best(scores, heads)
                                              : algorithms_->chu_liu_edmonds.best(scores, heads);
}

double TreeSearch::sum(const ArcScores& scores) {
  return algorithm_ == TreeAlgorithm::kEisner ? algorithms_->inside_outside.run(scores)
                                              : algorithms_->matrix_tree.run(scores);
}

std::span<const float> TreeSearch::marginals() const {
  return algorithm_ == TreeAlgorithm::kEisner ? algorithms_->inside_outside.marginals()
                                              : algorithms_->matrix_tree.marginals();
}

}  // namespace hinge::dep
