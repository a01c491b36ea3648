// Splits lines into words and numbers the words, so that comparing two words is
// comparing two integers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

using Words = std::vector<std::string_view>;

// Replaces `words` by views of the words of the line, split at Unicode white space.
// As in sacrebleu, this includes the no-break space.
void split_words(std::string_view line, Words& words);

// Numbers words from 0 in order of appearance. The text is copied. clear() keeps the
// memory, so a table reused for every sentence soon stops allocating.
class WordIds {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;

  void clear();
  std::uint32_t add(std::string_view word);
  std::uint32_t find(std::string_view word) const;  // kUnknown if not added

  // Both replace `ids` by one id per word.
  void add_all(std::span<const std::string_view> words, std::vector<std::uint32_t>& ids);
  void find_all(std::span<const std::string_view> words, std::vector<std::uint32_t>& ids) const;

  std::size_t size() const { return words_.size(); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // bits of the hash, to find most mismatches early
    std::uint32_t id = kUnknown;
  };
  struct Place {
    std::size_t begin;
    std::size_t length;
  };

  std::size_t slot_of(std::string_view word, std::uint64_t hash) const;
  std::string_view text(std::uint32_t id) const;
  void grow();

  std::vector<Slot> slots_;   // a power of two, at most half full
  std::vector<Place> words_;  // [ids], in text_
  std::string text_;
};

}  // namespace hinge
