// Words and their numbers, in order of appearance. Those of a model file are used in
// place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/key_index.h"
#include "hinge/files/section_file.h"

namespace hinge::mt {

using Word = std::uint32_t;

class Words {
 public:
  static constexpr Word kNone = KeyIndex::kNone;

  Words() = default;
  // Views sections that write() added; the file must outlive it. Throws the file's
  // Error if they do not fit together.
  Words(const SectionFile& file, std::string_view name);

  Word add(std::string_view text);                                                 // not for views
  Word find(std::string_view text) const { return index_.find(hash_text(text)); }  // kNone if unknown
  std::string_view text(Word word) const {
    return {texts().data() + begins()[word], begins()[word + 1] - begins()[word]};
  }
  std::size_t size() const { return begins().size() - 1; }

  // Adds sections whose names begin with `name` (at most 9 bytes). The words must
  // outlive the writer.
  void write(SectionWriter& writer, const std::string& name) const;

 private:
  bool is_view() const { return !viewed_begins_.empty(); }
  std::span<const std::uint64_t> begins() const { return is_view() ? viewed_begins_ : std::span(begins_); }
  std::string_view texts() const { return is_view() ? viewed_texts_ : std::string_view(texts_); }

  KeyIndex index_;
  std::string texts_;
  std::vector<std::uint64_t> begins_ = {0};  // [size + 1], into texts_
  std::string_view viewed_texts_;
  std::span<const std::uint64_t> viewed_begins_;
};

}  // namespace hinge::mt
