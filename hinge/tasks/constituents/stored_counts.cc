#include "hinge/tasks/constituents/stored_counts.h"

#include "hinge/core/error.h"

namespace hinge::constituents {
namespace {

[[noreturn]] void refuse(const StoredCounts& stored) {
  fail<ModelError>("{}: the grammar of the model is damaged; train again", stored.name);
}

TreeCounts read_tree_counts(const Grammar& grammar, const StoredCounts& stored, ByteReader& in) {
  TreeCounts counts{in.get_array<double>(), in.get_array<double>()};
  if (counts.rules.size() != grammar.rules().size() || counts.roots.size() != grammar.symbols())
    refuse(stored);
  for (const double count : counts.rules) {
    if (!(count >= 0.0)) refuse(stored);
  }
  return counts;
}

template <typename Part>
Part read_part(const StoredCounts& stored, std::string_view piece, std::string_view what) {
  ByteReader in(stored.find(piece), what);
  return Part::load(in);
}

TagPairs read_pairs(const StoredCounts& stored, std::size_t tags) {
  ByteReader in(stored.find("pairs"), "tags");
  TagPairs pairs(tags);
  const auto counts = in.get_array<float>();
  if (counts.size() != pairs.counts.size()) refuse(stored);
  pairs.counts = counts;
  return pairs;
}

template <typename Part>
std::string bytes_of(const Part& part) {
  ByteWriter out;
  part.write(out);
  return out.take();
}

std::string grammar_bytes(const Counted& counted) {
  ByteWriter out;
  counted.plan.grammars.fine.write(out);
  counted.plan.grammars.coarse.write(out);
  for (const TreeCounts* counts : {&counted.fine_counts, &counted.coarse_counts}) {
    out.put_array(std::span<const double>(counts->rules));
    out.put_array(std::span<const double>(counts->roots));
  }
  return out.take();
}

}  // namespace

std::vector<CountPiece> count_pieces(const Counted& counted) {
  std::vector<CountPiece> pieces = {{"grammar", grammar_bytes(counted)},
                                    {"words", bytes_of(counted.tags)},
                                    {"clusters", bytes_of(counted.plan.clusters)},
                                    {"embeddings", bytes_of(counted.plan.embeddings)}};
  if (counted.plan.aux) pieces.emplace_back("flat", bytes_of(counted.flat));
  ByteWriter pairs;
  pairs.put_array(std::span<const float>(counted.pairs.counts));
  pieces.emplace_back("pairs", pairs.take());
  return pieces;
}

Known read_counts(const StoredCounts& stored, bool aux) {
  Known known;
  known.any = true;
  ByteReader grammar(stored.find("grammar"), "grammar");
  GrammarPair& grammars = known.grammars;
  grammars.fine = Grammar::load(grammar);
  grammars.coarse = Grammar::load(grammar);
  if (grammars.fine.tags() != grammars.coarse.tags() || !grammars.connect()) refuse(stored);
  known.fine_counts = read_tree_counts(grammars.fine, stored, grammar);
  known.coarse_counts = read_tree_counts(grammars.coarse, stored, grammar);
  ByteReader words(stored.find("words"), "words");
  known.tags = TagModel::load(words, grammars.coarse.tags());
  known.pairs = read_pairs(stored, grammars.coarse.tags());
  known.clusters = read_part<BrownClusters>(stored, "clusters", "clusters");
  known.embeddings = read_part<Embeddings>(stored, "embeddings", "word vectors");
  if (aux) known.flat = read_part<FlatClassifier>(stored, "flat", "classifier");
  return known;
}

}  // namespace hinge::constituents
