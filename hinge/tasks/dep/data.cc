#include "hinge/tasks/dep/data.h"

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/decode/eisner.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/tasks/dep/columns.h"
#include "hinge/tasks/dep/reader.h"

namespace hinge::dep {

Corpus read_trees(const Source& source, const FactorTemplateSet& templates, const LabelSet& labels,
                  bool labelled, SpillSpace* space, FieldTexts* texts) {
  Corpus corpus;
  corpus.labels = labels;
  TreeData& data = corpus.data;
  if (space != nullptr) {
    spill_columns(data, *space);
    corpus.punctuation.spill(*space);
  }
  std::vector<Key> keys;  // of a sentence
  FieldHasher hasher(templates);
  data.fields = hasher.fields();
  DependencyReader reader = open_reader(source, /*annotated=*/true, labelled);
  while (reader.next()) {
    corpus.several_roots += reader.roots() > 1;
    keys.clear();
    hasher.add_root(keys);
    data.labels.push_back(0);
    corpus.punctuation.push_back(0);
    for (std::size_t m = 1; m <= reader.words(); ++m) {
      const WordCells cells = cells_of(reader, m);
      add_filled(cells, corpus.filled);
      hasher.add_word(cells, keys);
      if (texts != nullptr)
        texts->add(cells, templates.fields, std::span(keys).last(data.fields), hasher);
      data.labels.push_back(labelled ? corpus.labels.intern(reader.label(m)) : LabelId{0});
      corpus.punctuation.push_back(is_punctuation(reader.cell(m, kUpos), reader.cell(m, kForm)));
    }
    data.keys.append(keys);
    data.heads.append(reader.heads());
    data.begin.push_back(data.heads.size());
  }
  if (data.sentences() == 0) fail<InputError>("{}: has no sentences", source.name());
  return corpus;
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
