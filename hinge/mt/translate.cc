#include "hinge/mt/translate.h"

#include "hinge/core/error.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/corpus/split.h"

namespace hinge::mt {

struct Translator::Scratch {
  explicit Scratch(const Translator& t) : search(t.parts_, t.weights_, t.options_), extractor(t.parts_) {}

  Search search;
  NBestExtractor extractor;
  std::vector<std::string_view> words;
};

Translator::Translator(const Model& model, const FeatureWeights& weights, const SearchOptions& options,
                       NBestRequest request, const FeatureWeights* others)
    : parts_(model.parts()), weights_(weights), options_(options), request_(request), others_(others) {}
Translator::~Translator() = default;

std::vector<NBest> Translator::translate(std::span<const std::string> sentences, Workers& workers,
                                         std::string_view name, std::size_t first_line) const {
  std::vector<NBest> results(sentences.size());
  PerThread<Scratch> pool(workers, [this] { return Scratch(*this); });
  each_until_error(workers, sentences.size(), [&](std::size_t i) {
    Scratch& scratch = pool.local();
    split_at_blanks(sentences[i], scratch.words);
    if (scratch.words.size() > kMostWords)
      fail<InputError>("{}:{}: has {} words, but at most {} can be translated; split the sentence", name,
                       first_line + i, scratch.words.size(), kMostWords);
    const TranslationForest& forest = scratch.search.run(scratch.words);
    if (others_ == nullptr) {
      results[i] = scratch.extractor.extract(forest, forest.scores, request_);
    } else {
      results[i] = scratch.extractor.extract(forest, edge_scores(forest, parts_, *others_), request_);
    }
  }).rethrow();
  return results;
}

void add_translations(NBestBuilder& builder, std::uint64_t id, const NBest& best) {
  std::vector<std::uint32_t> dense, sparse;
  for (std::size_t f = 0; f < kDenseFeatures; ++f) dense.push_back(builder.feature(dense_name(f)));
  for (const std::string& feature : best.names) sparse.push_back(builder.feature(feature));
  for (const Translation& translation : best.translations) {
    hinge::Hypothesis entry{.id = id, .text = translation.text};
    for (std::size_t f = 0; f < kDenseFeatures; ++f) {
      if (translation.dense[f] != 0.0f) entry.entries.push_back({dense[f], translation.dense[f]});
    }
    for (const Translation::Sparse& value : translation.sparse)
      entry.entries.push_back({sparse[value.feature], value.value});
    entry.score = static_cast<float>(translation.score);
    builder.add(entry, {"translations"});
  }
}

}  // namespace hinge::mt
