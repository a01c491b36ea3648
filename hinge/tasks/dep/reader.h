// Sentences with or without trees, from a file or memory.
#pragma once

#include "hinge/corpus/dependencies.h"
#include "hinge/features/factor_keys.h"
#include "hinge/tasks/slices.h"

namespace hinge::dep {

// A reader of a file or of Trees. Throws InputError where trees or labels are
// asked for and memory has none.
DependencyReader open_reader(const Source& source, bool annotated, bool labelled);

// The same for a slice of one; others are read by restart().
DependencyReader open_reader(const Slice& slice, bool annotated, bool labelled);

// What templates read of a word, from 1.
WordCells cells_of(const DependencyReader& reader, std::size_t word);

}  // namespace hinge::dep
