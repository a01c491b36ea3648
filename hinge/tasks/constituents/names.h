// Names of the weights of a parser, for people who look at a model; with names=true only.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hinge/core/state.h"
#include "hinge/model/row_names.h"
#include "hinge/tasks/system.h"

namespace hinge::constituents {

class Parser;
struct Counted;

// Of hashed weights with a grammar; of the rows of spans and words without one.
struct WeightNames {
  RowNames hashed, spans, words;

  void visit(State& state) { state(hashed, spans, words); }
};

// The sections of models.
inline constexpr std::string_view kHashedNames = "weight.names", kSpanNames = "spans.names",
                                  kWordNames = "tagrows.names";

WeightNames read_names(const ModelFile& file);

// Known names, then those of everything that training may meet: the features of all trees that pruning
// has left, in the order of the data.
RowNames name_weights(const Counted& counted, bool exhaustive, const RowNames& known);
// The same for the rows of grammar=none, which have these keys.
WeightNames name_rows(const Counted& counted, std::span<const Key> span_keys, std::span<const Key> word_keys,
                      const WeightNames& known);

// The heaviest weights of a model. Those without a name have a number.
std::vector<WeightLine> heaviest_weights(const ModelFile& file, const Parser& parser, std::size_t n);

}  // namespace hinge::constituents
