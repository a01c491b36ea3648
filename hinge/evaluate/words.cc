#include "hinge/evaluate/words.h"

#include <xxhash.h>

#include <algorithm>

namespace hinge {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t hash_of(std::string_view word) { return XXH3_64bits(word.data(), word.size()); }

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

// The length in bytes of the white space character at `at`, or 0. Beyond ASCII
// these are U+0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
std::size_t space_length(std::string_view line, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < line.size() ? static_cast<unsigned char>(line[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x20) ? 1 : 0;
  if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (first < 0xE1 || first > 0xE3) return 0;
  const unsigned rest = byte(1) << 8 | byte(2);
  if (first == 0xE1) return rest == 0x9A80 ? 3 : 0;
  if (first == 0xE3) return rest == 0x8080 ? 3 : 0;
  const bool is_space = (rest >= 0x8080 && rest <= 0x808A) || rest == 0x80A8 || rest == 0x80A9 ||
                        rest == 0x80AF || rest == 0x819F;
  return is_space ? 3 : 0;
}

}  // namespace

void split_words(std::string_view line, Words& words) {
  words.clear();
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t space = space_length(line, at);
    if (space > 0 && at > begin) words.push_back(line.substr(begin, at - begin));
    at += std::max<std::size_t>(space, 1);
    if (space > 0) begin = at;
  }
  if (begin < line.size()) words.push_back(line.substr(begin));
}

void WordIds::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  words_.clear();
  text_.clear();
}

std::string_view WordIds::text(std::uint32_t id) const {
  return std::string_view(text_).substr(words_[id].begin, words_[id].length);
}

// Where the word is, or the free slot where it belongs.
std::size_t WordIds::slot_of(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == kUnknown || (slot.tag == tag_of(hash) && text(slot.id) == word)) return i;
  }
}

std::uint32_t WordIds::find(std::string_view word) const {
  return slots_.empty() ? kUnknown : slots_[slot_of(word, hash_of(word))].id;
}

std::uint32_t WordIds::add(std::string_view word) {
  if (2 * (words_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(word);
  Slot& slot = slots_[slot_of(word, hash)];
  if (slot.id == kUnknown) {
    slot = {tag_of(hash), static_cast<std::uint32_t>(words_.size())};
    words_.push_back({text_.size(), word.size()});
    text_ += word;
  }
  return slot.id;
}

void WordIds::grow() {
  slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), Slot{});
  for (std::uint32_t id = 0; id < words_.size(); ++id) {
    const std::uint64_t hash = hash_of(text(id));
    slots_[slot_of(text(id), hash)] = {tag_of(hash), id};
  }
}

void WordIds::add_all(std::span<const std::string_view> words, std::vector<std::uint32_t>& ids) {
  ids.clear();
  for (const std::string_view word : words) ids.push_back(add(word));
}

void WordIds::find_all(std::span<const std::string_view> words, std::vector<std::uint32_t>& ids) const {
  ids.clear();
  for (const std::string_view word : words) ids.push_back(find(word));
}

}  // namespace hinge
