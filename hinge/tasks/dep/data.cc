#include "hinge/tasks/dep/data.h"

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/decode/eisner.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/features/merged_vocabulary.h"
#include "hinge/tasks/dep/columns.h"
#include "hinge/tasks/dep/reader.h"

namespace hinge::dep {

namespace {

void add_sentence(const DependencyReader& reader, const FactorTemplateSet& templates, bool labelled,
                  FieldHasher& hasher, std::vector<Key>& keys, Corpus& corpus, FieldTexts* texts) {
  TreeData& data = corpus.data;
  corpus.several_roots += reader.roots() > 1;
  keys.clear();
  hasher.add_root(keys);
  data.labels.push_back(0);
  corpus.punctuation.push_back(0);
  for (std::size_t m = 1; m <= reader.words(); ++m) {
    const WordCells cells = cells_of(reader, m);
    add_filled(cells, corpus.filled);
    hasher.add_word(cells, keys);
    if (texts != nullptr) texts->add(cells, templates.fields, std::span(keys).last(data.fields), hasher);
    data.labels.push_back(labelled ? corpus.labels.intern(reader.label(m)) : LabelId{0});
    corpus.punctuation.push_back(is_punctuation(reader.cell(m, kUpos), reader.cell(m, kForm)));
  }
  data.keys.append(keys);
  data.heads.append(reader.heads());
  data.begin.push_back(data.heads.size());
}

void add_sentences(DependencyReader& reader, const FactorTemplateSet& templates, bool labelled,
                   Corpus& corpus, FieldTexts* texts) {
  std::vector<Key> keys;  // of a sentence
  FieldHasher hasher(templates);
  corpus.data.fields = hasher.fields();
  while (reader.next()) {
    add_sentence(reader, templates, labelled, hasher, keys, corpus, texts);
    corpus.own.count(reader.part());
  }
}

void check_corpus(const Corpus& corpus, const Source& source) {
  if (corpus.sentences() == 0) fail<InputError>("{}: has no sentences", source.name());
}

// What ranks read -> what one process reads.
void merge_trees(bool labelled, Corpus& corpus) {
  Communicator& ranks = corpus.own.ranks();
  TreeData& data = corpus.data;
  const std::vector<LabelId> numbers = merge_labels(corpus.labels, ranks);
  for (std::size_t i = 0; labelled && i < data.sentences(); ++i) {
    for (std::size_t row = data.begin[i] + 1; row < data.begin[i + 1]; ++row)  // not of the root
      data.labels[row] = numbers[data.labels[row]];
  }
  corpus.several_roots = sum_over_ranks(ranks, corpus.several_roots);
  corpus.all_words = sum_over_ranks(ranks, data.words());
  for (const CellMask& filled : gather_values(ranks, std::span<const CellMask>(&corpus.filled, 1)))
    corpus.filled = either(corpus.filled, filled);
}

}  // namespace

Corpus read_trees(const Source& source, const FactorTemplateSet& templates, const LabelSet& labels,
                  bool labelled, SpillSpace* space, FieldTexts* texts) {
  Corpus corpus;
  corpus.labels = labels;
  if (space != nullptr) {
    spill_columns(corpus.data, *space);
    corpus.punctuation.spill(*space);
  }
  DependencyReader reader = open_reader(source, /*annotated=*/true, labelled);
  add_sentences(reader, templates, labelled, corpus, texts);
  check_corpus(corpus, source);
  return corpus;
}

Corpus read_own_trees(const Source& source, OwnShards own, const FactorTemplateSet& templates,
                      const LabelSet& labels, bool labelled, FieldTexts* texts) {
  Corpus corpus;
  corpus.labels = labels;
  corpus.own = std::move(own);
  agree_on(corpus.own.ranks(), [&] {
    DependencyReader reader = open_reader(source, corpus.own.input(), /*annotated=*/true, labelled);
    add_sentences(reader, templates, labelled, corpus, texts);
  });
  corpus.own.finish();
  check_corpus(corpus, source);
  merge_trees(labelled, corpus);
  return corpus;
}

void add_trees(const TreeData& data, std::size_t first, std::size_t last, Fingerprint& print) {
  const std::size_t begin = data.begin[first], end = data.begin[last];
  const auto add = [&print](const auto& values, std::size_t from, std::size_t to) {
    print.add(std::span(values).subspan(from, to - from));
  };
  for (std::size_t i = first; i < last; ++i) print.add(data.begin[i + 1] - data.begin[i]);
  add(data.keys, begin * data.fields, end * data.fields);
  add(data.heads, begin, end);
  add(data.labels, begin, end);
  add(data.costs, begin, end);
  const std::size_t width = data.words() == 0 ? 0 : data.label_rows.size() / data.words();
  add(data.label_rows, data.words_before(first) * width, data.words_before(last) * width);
}

void make_projective(Corpus& corpus) {
  TreeData& data = corpus.data;
  Eisner eisner;
  std::vector<float> scores;
  for (std::size_t i = 0; i < data.sentences(); ++i) {
    check_interrupt();
    const std::span<HeadId> heads =
        std::span(data.heads).subspan(data.begin[i], data.begin[i + 1] - data.begin[i]);
    if (is_projective(heads)) continue;
    ++corpus.lifted;
    const std::size_t words = heads.size() - 1;
    scores.assign(heads.size() * heads.size(), 0.0f);
    std::size_t roots = 0;
    for (std::size_t m = 1; m <= words; ++m) {
      roots += heads[m] == 0;
      float value = 1.0f;
      for (HeadId h = heads[m];; h = heads[h]) {
        scores[h * heads.size() + m] = value;
        value =
            h == heads[m] ? 1.0f / (2 * kMaxWords) : value / 2;  // one kept head outweighs all changed ones
        if (h == 0) break;
      }
    }
    eisner.best({.score = scores.data(), .words = words, .stride = heads.size(), .single_root = roots == 1},
                heads);
  }
}

}  // namespace hinge::dep
