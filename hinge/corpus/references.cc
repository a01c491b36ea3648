#include "hinge/corpus/references.h"

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

References read_references(std::span<const std::string> paths) {
  References references;
  for (const std::string& path : paths) {
    LineReader lines(path);
    references.begin_.push_back(references.texts_.size());
    for (std::string_view line; lines.next(line);) {
      references.texts_ += trim(line);
      references.begin_.push_back(references.texts_.size());
    }
    if (lines.number() == 0)
      fail<InputError>("{}: is empty, but a reference a line was expected", lines.name());
    if (references.sentences_ == 0) references.sentences_ = lines.number();
    if (lines.number() == references.sentences_) continue;
    fail<InputError>(
        "{}: has {} line{}, but {} has {}; give every sentence a line in each file of references",
        lines.name(), lines.number(), lines.number() == 1 ? "" : "s", paths[0], references.sentences_);
  }
  return references;
}

}  // namespace hinge
