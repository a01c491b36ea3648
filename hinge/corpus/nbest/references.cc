#include "hinge/corpus/nbest/references.h"

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
      fail<InputError>("{}: is empty, but one reference per line was expected", lines.name());
    if (references.sentences_ == 0) references.sentences_ = lines.number();
    if (lines.number() == references.sentences_) continue;
    fail<InputError>("{}: has {} line{}, but {} has {}; give every reference file one line per sentence",
                     lines.name(), lines.number(), lines.number() == 1 ? "" : "s", paths[0],
                     references.sentences_);
  }
  return references;
}

References references_of(std::span<const std::vector<std::string>> files) {
  References references;
  references.sentences_ = files.empty() ? 0 : files[0].size();
  for (const std::vector<std::string>& file : files) {
    if (file.empty() || file.size() != references.sentences_)
      fail<InputError>(
          "references: a set has {} texts, but the first has {}; give one per sentence in each set",
          file.size(), references.sentences_);
    references.begin_.push_back(references.texts_.size());
    for (const std::string& text : file) {
      references.texts_ += trim(text);
      references.begin_.push_back(references.texts_.size());
    }
  }
  return references;
}

}  // namespace hinge
