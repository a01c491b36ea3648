#include "hinge/tasks/dep/compiled.h"

#include <algorithm>
#include <utility>

#include "hinge/corpus/dependencies.h"
#include "hinge/features/factor_keys.h"

namespace hinge::dep {
namespace {

// What is small, as it is stored.
struct Record {
  std::vector<std::string> labels;
  std::uint64_t several_roots = 0, lifted = 0, fingerprint = 0;
  bool lemma = false, upos = false, xpos = false, feats = false;  // columns with values
  std::string pruner;
  std::vector<Key> dictionary;
  std::optional<TreeNames> names;

  void visit(State& state) {
    state(labels, several_roots, lifted, fingerprint, lemma, upos, xpos, feats, pruner, dictionary);
    if (names) state(*names);
  }
};

// The columns of sentences and of their candidate arcs.
struct AllColumns {
  TreeData& data;
  CandidateArcs& candidates;

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    TreeData::each_column(d.data, [&body](std::string_view name, auto& column, const auto& place) {
      body(name, column, [place](const AllColumns& all, std::size_t i) { return place(all.data, i); });
    });
    body("candidate_begin", d.candidates.begin,
         [](const AllColumns& all, std::size_t i) { return all.candidates.begin.size() > 1 ? i : 0; });
    body("candidates", d.candidates.arcs,
         [](const AllColumns& all, std::size_t i) { return all.candidates.begin[i]; });
  }
};

bool fits(const TreeParts& parts, std::size_t sentences) {
  const TreeData& data = parts.corpus.data;
  const std::size_t rows = data.heads.size(), order2 = parts.candidates.begin.size();
  return data.begin.size() == sentences + 1 && rows > sentences && data.keys.size() == rows * data.fields &&
         data.labels.size() == rows && data.costs.size() == rows &&
         data.label_rows.size() % data.words() == 0 &&
         (order2 == sentences + 1 || (order2 == 1 && parts.candidates.arcs.empty()));
}

bool comes_before(const SecondOrderScores::Arc& a, const SecondOrderScores::Arc& b) {
  return std::pair(a.head, a.modifier) < std::pair(b.head, b.modifier);
}

// Candidates are arcs of the sentence, in order, and its tree is among theirs: the decoder finds one.
bool has_candidates(const TreeParts& parts, std::size_t i) {
  const auto heads = parts.corpus.data.heads_of(i);
  const auto arcs = parts.candidates.of(i);
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    if (arcs[k].head >= heads.size() || arcs[k].modifier == 0 || arcs[k].modifier >= heads.size() ||
        (k > 0 && !comes_before(arcs[k - 1], arcs[k])))
      return false;
  }
  std::size_t roots = 0;
  for (HeadId m = 1; m < heads.size(); ++m) {
    roots += heads[m] == 0;
    if (!std::ranges::binary_search(arcs, SecondOrderScores::Arc{heads[m], m}, comes_before)) return false;
  }
  return is_projective(heads) && (roots <= 1 || parts.corpus.several_roots > 0);
}

// Heads are words of their sentence.
bool has_words(const TreeParts& parts, std::size_t i) {
  const auto heads = parts.corpus.data.heads_of(i);
  return !heads.empty() && are_below(heads, heads.size()) &&
         (parts.candidates.begin.size() == 1 || has_candidates(parts, i));
}

}  // namespace

void write_parts(TreeParts& parts, BlockCacheWriter& out) {
  Corpus& corpus = parts.corpus;
  Record record{.labels = corpus.labels.names(),
                .several_roots = corpus.several_roots,
                .lifted = corpus.lifted,
                .fingerprint = *parts.fingerprint,
                .lemma = corpus.filled.lemma,
                .upos = corpus.filled.upos,
                .xpos = corpus.filled.xpos,
                .feats = corpus.filled.feats,
                .pruner = parts.pruner,
                .dictionary = parts.dictionary,
                .names = parts.names};
  out.add_state(record);
  const AllColumns all{corpus.data, parts.candidates};
  out.add_columns(all, corpus.data.sentences());
  out.write();
}

TreeParts open_parts(std::shared_ptr<BlockCache> cache, const FactorTemplateSet& templates, bool named) {
  Record record;
  if (named) record.names.emplace();
  cache->read_state(record);
  TreeParts parts;
  parts.pruner = std::move(record.pruner);
  parts.dictionary = std::move(record.dictionary);
  parts.names = std::move(record.names);
  parts.fingerprint = record.fingerprint;
  parts.cache = cache;
  Corpus& corpus = parts.corpus;
  corpus.several_roots = record.several_roots;
  corpus.lifted = record.lifted;
  corpus.filled = {.lemma = record.lemma, .upos = record.upos, .xpos = record.xpos, .feats = record.feats};
  for (const std::string& label : record.labels) corpus.labels.intern(label);
  corpus.data.fields = FieldHasher(templates).fields();
  AllColumns all{corpus.data, parts.candidates};
  cache->read_columns(all, cache);
  corpus.data.use.set(cache);
  if (!fits(parts, cache->examples())) cache->refuse("has columns that do not fit each other");
  return parts;
}

bool is_sound(const TreeParts& parts, const TreeLayout& layout, std::size_t first, std::size_t last) {
  const TreeData& data = parts.corpus.data;
  const CandidateArcs& candidates = parts.candidates;
  if (!is_rising(part_of(data.begin, first, last + 1), data.heads.size())) return false;
  if (candidates.begin.size() > 1 &&
      !is_rising(part_of(candidates.begin, first, last + 1), candidates.arcs.size()))
    return false;
  for (std::size_t i = first; i < last; ++i) {
    if (!has_words(parts, i)) return false;
  }
  const std::size_t width = data.label_rows.size() / data.words();
  return are_below(
             part_of(data.label_rows, data.words_before(first) * width, data.words_before(last) * width),
             layout.label_rows()) &&
         (layout.labels() == 0 ||
          are_below(part_of(data.labels, data.begin[first], data.begin[last]), layout.labels()));
}

}  // namespace hinge::dep
