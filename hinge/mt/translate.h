// Translates sentences with a model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/mt/model.h"
#include "hinge/mt/n_best.h"
#include "hinge/mt/search.h"

namespace hinge::mt {

inline constexpr std::size_t kMostWords = 2000;  // of a sentence

class Translator {
 public:
  // The model and the weights must outlive it. If `others` are given, the search is by
  // `weights`, but the translations are the best of the forest under the others.
  Translator(const Model& model, const FeatureWeights& weights, const SearchOptions& options,
             NBestRequest request, const FeatureWeights* others = nullptr);
  ~Translator();

  // One result per sentence: words separated by spaces. Results do not depend on the
  // number of threads. Throws InputError for a sentence of more than kMostWords words;
  // `name` and `first_line` are for its message.
  std::vector<NBest> translate(std::span<const std::string> sentences, Workers& workers,
                               std::string_view name, std::size_t first_line) const;

 private:
  struct Scratch;

  const Parts parts_;
  const FeatureWeights& weights_;
  const SearchOptions options_;
  const NBestRequest request_;
  const FeatureWeights* others_;
};

// Appends the translations of sentence `id`.
void add_translations(NBestBuilder& builder, std::uint64_t id, const NBest& best);

}  // namespace hinge::mt
