// Reference translations: line i (from 0) is a reference of the sentence with id
// i. Several files give several references per sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

class References {
 public:
  std::size_t sentences() const { return sentences_; }
  std::size_t per_sentence() const { return begin_.size() / (sentences_ + 1); }
  // id < sentences(), reference < per_sentence(), in the order of the files.
  std::string_view text(std::size_t id, std::size_t reference) const {
    const std::size_t row = reference * (sentences_ + 1) + id;
    return std::string_view(texts_).substr(begin_[row], begin_[row + 1] - begin_[row]);
  }

 private:
  friend References read_references(std::span<const std::string> paths);
  friend References references_of(std::span<const std::vector<std::string>> files);

  std::size_t sentences_ = 0;
  std::string texts_;
  std::vector<std::uint64_t> begin_;  // [files][sentences + 1], into texts_
};

// Throws InputError if a file is empty or its number of lines differs from the
// first. Lines may be empty.
References read_references(std::span<const std::string> paths);

// The same from memory, [files][sentences]. Throws InputError likewise.
References references_of(std::span<const std::vector<std::string>> files);

}  // namespace hinge
