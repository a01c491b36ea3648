// The words of a sentence: where a line splits into them, and small numbers in
// their place, so that comparing two is comparing two integers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

using Words = std::vector<std::string_view>;

// Replaces `words` by those of the line, views into it, split at white space
// as Unicode defines it: a no-break space separates words too, as it does for
// sacrebleu.
void split_words(std::string_view line, Words& words);

// Words numbered from 0 as they come. The text is copied, and memory is kept
// over clear(), so that a table reused for every sentence soon stops allocating.
class WordIds {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;

  void clear();
  std::uint32_t add(std::string_view word);
  std::uint32_t find(std::string_view word) const;  // kUnknown where it was not added

  // Each replaces `ids` by one a word.
  void add_all(std::span<const std::string_view> words, std::vector<std::uint32_t>& ids);
  void find_all(std::span<const std::string_view> words, std::vector<std::uint32_t>& ids) const;

  std::size_t size() const { return words_.size(); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // bits of the hash: a mismatch mostly ends here
    std::uint32_t id = kUnknown;
  };
  struct Place {
    std::size_t begin;
    std::size_t length;
  };

  std::size_t slot_of(std::string_view word, std::uint64_t hash) const;
  std::string_view text(std::uint32_t id) const;
  void grow();

  std::vector<Slot> slots_;   // a power of two, at most half of them taken
  std::vector<Place> words_;  // [ids], in text_
  std::string text_;
};

}  // namespace hinge
