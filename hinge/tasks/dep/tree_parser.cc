#include "hinge/tasks/dep/tree_parser.h"

#include <limits>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/decode/k_best_trees.h"
#include "hinge/tasks/dep/corpus.h"

namespace hinge::dep {

TreeParser::TreeParser(const ModelFile& file, StoredParser&& stored)
    : file_(file),
      labels_(stored.labels),
      grammar_(stored.grammar(file)),
      pruner_(grammar_.options.order == 2
                  ? std::make_unique<StoredPruner>(file.nested("pruner"), grammar_.templates)
                  : nullptr),
      weights_(stored.weights),
      likelihood_(file.description().flag("likelihood")) {}

TreeParser::Room::Room(const TreeParser& parser)
    : parser_(parser.grammar_, parser.pruner_ ? &parser.pruner_->get() : nullptr),
      hasher_(parser.grammar_.templates) {}

void TreeParser::check_n_best() const {
  if (grammar_.options.decoder != TreeDecoder::kEisner || grammar_.options.order == 2)
    fail<OptionError>(
        "{}: finds one tree a sentence; n-best lists need a model with decoder=eisner and order=1",
        file_.name());
}

void TreeParser::check_marginals() const {
  if (grammar_.options.order == 2)
    fail<OptionError>("{}: has no marginals; they need a model with order=1", file_.name());
}

void TreeParser::score(const DependencyReader& reader, Room& room) const {
  room.keys_.clear();
  room.hasher_.add_root(room.keys_);
  for (std::size_t m = 1; m <= reader.words(); ++m) room.hasher_.add_word(cells_of(reader, m), room.keys_);
  room.parser_.score(room.sentence(), weights_);
}

void TreeParser::score(const Trees& trees, std::size_t i, Room& room) const {
  if (trees.words(i) > kMaxWords)
    fail<InputError>("sentence {}: has {} words, but at most {} are possible; split it", i + 1,
                     trees.words(i), kMaxWords);
  room.keys_.clear();
  room.hasher_.add_root(room.keys_);
  for (std::size_t m = 1; m <= trees.words(i); ++m) room.hasher_.add_word(trees.word(i, m), room.keys_);
  room.parser_.score(room.sentence(), weights_);
}

void TreeParser::allow_only(std::size_t word, std::size_t head, Room& room) const {
  for (std::size_t h = 0; h <= room.sentence().words(); ++h) {
    if (h != head && h != word) room.parser_.arc(h, word) = kForbidden;
  }
}

double TreeParser::best(Room& room) const {
  const double score = room.parser_.search(room.sentence(), weights_);
  if (score > kForbidden / 2) room.parser_.label(room.sentence(), room.parser_.heads(), weights_);
  return score;
}

std::vector<ScoredTree> TreeParser::n_best(std::size_t n, Room& room) const {
  check_n_best();
  return k_best_projective(room.parser_.scores(), n);
}

std::span<const LabelId> TreeParser::label(std::span<const HeadId> heads, Room& room) const {
  room.parser_.label(room.sentence(), heads, weights_);
  return room.parser_.labels();
}

std::span<const float> TreeParser::marginals(Room& room) const {
  check_marginals();
  room.parser_.trees().sum(room.parser_.scores());
  return room.parser_.trees().marginals();
}

std::vector<double> TreeParser::margins(double best, Room& room) const {
  const std::span<const HeadId> heads = room.parser_.heads();
  std::vector<double> margins(heads.size(), 0.0);
  std::vector<HeadId> other(heads.size());
  for (std::size_t m = 1; m < heads.size(); ++m) {
    float& arc = room.parser_.arc(heads[m], m);
    const float kept = std::exchange(arc, kForbidden);
    const double second = room.parser_.search_again(weights_, other);
    margins[m] = second < kForbidden / 2 ? std::numeric_limits<double>::infinity() : best - second;
    arc = kept;
  }
  return margins;
}

}  // namespace hinge::dep
