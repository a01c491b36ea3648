// Sentences with or without trees, from a file or memory.
#pragma once

#include "hinge/corpus/dependencies.h"
#include "hinge/features/factor_keys.h"
#include "hinge/tasks/slices.h"

namespace hinge::dep {

// A reader of a file or of Trees. Throws InputError if trees or labels are
// requested but Trees has none.
DependencyReader open_reader(const Source& source, bool annotated, bool labelled);

// The same for a part of the source's text.
DependencyReader open_reader(const Source& source, const TextInput& part, bool annotated, bool labelled);

// The same for one slice; other slices are read after restart().
DependencyReader open_reader(const Slice& slice, bool annotated, bool labelled);

// The cells of a word (from 1) that templates read.
WordCells cells_of(const DependencyReader& reader, std::size_t word);

}  // namespace hinge::dep
