// Which tags a word can have: P(tag | word), smoothed towards words that look alike.
//
//   P(t | x) = (count(t, x) + s P(t | shorter x)) / (count(x) + s)
//
// x is the word, then its shape with its last three, two, one or no letters, then
// nothing. Only rare words count towards looks, as they tell what unknown words are like.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/features/hash.h"
#include "hinge/files/bytes.h"

namespace hinge::constituents {

class TagModel {
 public:
  TagModel() = default;
  explicit TagModel(std::size_t tags) : tags_(tags) {}

  // First all words, then finish(). What was counted may be taken off again, with -1.
  void count(std::string_view word, std::uint16_t tag, int times = 1);
  // Adds the counts of another model; tags: [its tags] their numbers here.
  void count(const TagModel& other, std::span<const std::uint16_t> tags);
  void finish();

  // [tags] P(tag | word); zeros for tags that are out of the question.
  void probabilities(std::string_view word, std::span<float> out) const;
  // P(tag), over all words.
  double prior(std::uint16_t tag) const { return priors_[tag]; }
  std::size_t tags() const { return tags_; }

  void write(ByteWriter& out) const;
  static TagModel load(ByteReader& in, std::size_t tags);

 private:
  static constexpr std::size_t kLooks = 5;
  struct Looks {
    Key keys[kLooks];  // shape and last three, two, one letters; shape; nothing
  };
  struct SeenWord {
    Key key;
    Looks looks;
  };
  struct Seen {
    std::uint32_t word;  // into seen_words_
    std::uint16_t tag;
    std::uint32_t times;
  };
  struct Entry {
    std::uint32_t begin, end;  // into counts_
    std::uint32_t total;
  };
  struct Count {
    std::uint32_t tag;
    std::uint32_t count;
  };
  static Looks looks(std::string_view word);
  struct Event {
    Key key;
    std::uint32_t tag;
    std::uint32_t count;
  };
  void set_counts(std::vector<Event>& events);
  void compute_priors();
  const Entry* find(Key key) const;

  std::size_t tags_ = 0;
  // Until finish():
  std::vector<SeenWord> seen_words_;
  std::vector<Seen> seen_;  // each word with each tag once
  NumberMap word_ids_, seen_ids_;
  std::vector<Event> known_;  // of another model

  NumberMap ids_;          // of words and looks, into entries_
  std::vector<Key> keys_;  // [entries]
  std::vector<Entry> entries_;
  std::vector<Count> counts_;
  std::vector<Count> tag_counts_;
  std::vector<double> priors_;
};

}  // namespace hinge::constituents
