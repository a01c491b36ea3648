#include "hinge/tasks/dep/reader.h"

#include "hinge/core/error.h"
#include "hinge/tasks/dep/memory.h"

namespace hinge::dep {

DependencyReader open_reader(const Source& source, bool annotated, bool labelled) {
  return open_reader(source, source.memory == nullptr ? source.input() : TextInput(""), annotated, labelled);
}

DependencyReader open_reader(const Source& source, const TextInput& part, bool annotated, bool labelled) {
  const auto memory = memory_of<Trees>(source, "sentences to parse");
  if (memory == nullptr) return DependencyReader(part, annotated, labelled);
  if ((annotated && !memory->annotated()) || (labelled && !memory->labelled()))
    fail<InputError>("{}: has no {}, but they are needed here; give one for every word", source.name(),
                     memory->annotated() ? "labels" : "heads");
  return DependencyReader(memory->columns(), source.name(), annotated, labelled);
}

DependencyReader open_reader(const Slice& slice, bool annotated, bool labelled) {
  return open_reader(*slice.source, slice.input(), annotated, labelled);
}

WordCells cells_of(const DependencyReader& reader, std::size_t word) {
  return {.form = reader.cell(word, kForm),
          .lemma = reader.cell(word, kLemma),
          .upos = reader.cell(word, kUpos),
          .xpos = reader.cell(word, kXpos),
          .feats = reader.cell(word, kFeats)};
}

}  // namespace hinge::dep
