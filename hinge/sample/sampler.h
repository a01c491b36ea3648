// English-like sentences from a seeded probabilistic grammar, annotated in every
// layer that the tasks learn: parts of speech, base chunks, entities, dependencies
// and constituents. Any number of sentences can be drawn; the same seed gives the
// same sentences on every platform.
//
// The grammar and the words are text, in lexicon.h. All layers come from one
// derivation, so they always agree. It is a list of nodes in preorder, each with its
// parent and with the relation of its head word to the head word of the node it
// attaches to. A node without a relation is its parent's head child. A node attaches
// to its parent, with two exceptions: a conjunction attaches to the conjunct after
// it, and a phrase moved out of its place attaches to the word it was moved from. The
// latter makes about one dependency tree in fifty non-projective.
//
//   tree      the nodes, bracketed
//   head      the word reached by following head children
//   chunk     base phrases, taken from the tree as in CoNLL-2000 (the shared task
//             of Tjong Kim Sang and Buchholz, 2000): a noun phrase up to its head,
//             a verb with its auxiliaries, a bare preposition
//   entity    marked on the words of a name when it is drawn
//
// A mention is a noun phrase node, so coreference could be added as a field of nodes,
// set where the grammar draws a name or a pronoun.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/core/random.h"

namespace hinge {

struct SampleToken {
  std::string form, lemma;
  std::string upos, xpos;  // Universal and Penn Treebank part of speech
  std::string chunk;       // IOB2: NP VP PP ADVP ADJP SBAR PRT
  std::string entity;      // IOB2: PER ORG LOC DATE MONEY
  int head = 0;            // 1-based index of the governing word, 0 for the root
  std::string deprel;      // Universal Dependencies relation
};

struct SampleSentence {
  std::vector<SampleToken> tokens;
  std::string tree;  // one line, Penn style: (S (NP (DT the) (NN plan)) ...)
};

// Not thread-safe; give each thread its own, with its own seed.
class Sampler {
 public:
  explicit Sampler(std::uint64_t seed) : random_(seed) {}

  // At most kMaxWords words, about twenty on average.
  SampleSentence next();

  static constexpr int kMaxWords = 80;

 private:
  Random random_;
};

}  // namespace hinge
