#include "hinge/tasks/constituents/lexicon.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/features/text.h"

namespace hinge::constituents {
namespace {

constexpr std::size_t kRare = 4;         // words seen at most this often count towards looks
constexpr double kTrustWord = 1.0;       // s for words
constexpr double kTrustLooks = 4.0;      // s for looks
constexpr double kOutOfQuestion = 1e-5;  // probabilities below become zero
constexpr Key kWordKey = 0x776f7264;     // keeps words apart from looks
constexpr Key kNothingKey = 0x6e6f6e65;

}  // namespace

TagModel::Looks TagModel::looks(std::string_view word) {
  std::string shape;
  text_shape(word, shape);
  const Key shape_key = hash_text(shape);
  Looks result;
  for (std::size_t letters = 3; letters >= 1; --letters)
    result.keys[3 - letters] = combine(combine(shape_key, letters), hash_text(text_suffix(word, letters)));
  result.keys[3] = combine(shape_key, 0x10);
  result.keys[4] = kNothingKey;
  return result;
}

void TagModel::set_counts(std::vector<Event>& events) {
  ids_.clear();
  keys_.clear();
  entries_.clear();
  counts_.clear();
  std::ranges::sort(
      events, [](const Event& a, const Event& b) { return a.key != b.key ? a.key < b.key : a.tag < b.tag; });
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (k == 0 || events[k].key != events[k - 1].key) {
      ids_.add(events[k].key, static_cast<std::uint32_t>(entries_.size()));
      keys_.push_back(events[k].key);
      const auto begin = static_cast<std::uint32_t>(counts_.size());
      entries_.push_back({begin, begin, 0});
    }
    Entry& entry = entries_.back();
    if (entry.begin == entry.end || counts_.back().tag != events[k].tag) {
      counts_.push_back({events[k].tag, 0});
      ++entry.end;
    }
    counts_.back().count += events[k].count;
    entry.total += events[k].count;
  }
}

void TagModel::count(std::string_view word, std::uint16_t tag, int times) {
  const Key key = combine(kWordKey, hash_text(word));
  const auto [id, is_new] = word_ids_.add(key, static_cast<std::uint32_t>(seen_words_.size()));
  if (is_new) seen_words_.push_back({key, looks(word)});
  const auto [pair, added] =
      seen_ids_.add(std::uint64_t{id} << 16 | tag, static_cast<std::uint32_t>(seen_.size()));
  if (added) seen_.push_back({id, tag, 0});
  seen_[pair].times += static_cast<std::uint32_t>(times);
}

void TagModel::count(const TagModel& other, std::span<const std::uint16_t> tags) {
  for (std::size_t k = 0; k < other.entries_.size(); ++k) {
    for (std::uint32_t c = other.entries_[k].begin; c < other.entries_[k].end; ++c)
      known_.push_back({other.keys_[k], tags[other.counts_[c].tag], other.counts_[c].count});
  }
  if (tag_counts_.empty()) {
    for (std::uint32_t t = 0; t < tags_; ++t) tag_counts_.push_back({t, 0});
  }
  for (const Count& theirs : other.tag_counts_) tag_counts_[tags[theirs.tag]].count += theirs.count;
}

void TagModel::finish() {
  std::vector<Event> events = std::exchange(known_, {});
  std::erase_if(seen_, [](const Seen& seen) { return seen.times == 0; });
  for (const Seen& seen : seen_) events.push_back({seen_words_[seen.word].key, seen.tag, seen.times});
  set_counts(events);
  // Now it is known which words are rare.
  for (const Seen& seen : seen_) {
    const SeenWord& word = seen_words_[seen.word];
    if (find(word.key)->total > kRare) continue;
    for (const Key key : word.looks.keys) events.push_back({key, seen.tag, seen.times});
  }
  set_counts(events);
  if (tag_counts_.empty()) {
    for (std::uint32_t t = 0; t < tags_; ++t) tag_counts_.push_back({t, 0});
  }
  for (const Seen& seen : seen_) tag_counts_[seen.tag].count += seen.times;
  seen_words_ = {};
  seen_ = {};
  word_ids_.clear();
  seen_ids_.clear();
  compute_priors();
}

void TagModel::compute_priors() {
  double total = 0.0;
  for (const Count& count : tag_counts_) total += count.count + 0.1;
  priors_.clear();
  for (const Count& count : tag_counts_) priors_.push_back((count.count + 0.1) / total);
}

const TagModel::Entry* TagModel::find(Key key) const {
  const std::uint32_t id = ids_.find(key);
  return id == NumberMap::kNone ? nullptr : &entries_[id];
}

void TagModel::probabilities(std::string_view word, std::span<float> out) const {
  for (std::size_t t = 0; t < tags_; ++t) out[t] = static_cast<float>(priors_[t]);
  const auto refine = [&](Key key, double trust) {
    const Entry* entry = find(key);
    if (entry == nullptr) return;
    const auto keep = static_cast<float>(trust / (entry->total + trust));
    for (std::size_t t = 0; t < tags_; ++t) out[t] *= keep;
    const auto each = static_cast<float>(1.0 / (entry->total + trust));
    for (std::uint32_t c = entry->begin; c < entry->end; ++c)
      out[counts_[c].tag] += each * static_cast<float>(counts_[c].count);
  };
  const Looks alike = looks(word);
  for (std::size_t k = kLooks; k-- > 0;) refine(alike.keys[k], kTrustLooks);
  refine(combine(kWordKey, hash_text(word)), kTrustWord);
  const float high = *std::ranges::max_element(out);
  for (float& p : out) {
    if (p < kOutOfQuestion * high) p = 0.0f;
  }
}

void TagModel::write(ByteWriter& out) const {
  std::vector<std::uint32_t> ends;
  for (const Entry& entry : entries_) ends.push_back(entry.end);
  out.put_array(std::span<const Key>(keys_));
  out.put_array(std::span<const std::uint32_t>(ends));
  out.put_array(std::span<const Count>(counts_));
  out.put_array(std::span<const Count>(tag_counts_));
}

TagModel TagModel::load(ByteReader& in, std::size_t tags) {
  const auto check = [](bool holds) {
    if (!holds) fail<ModelError>("the words of the model are damaged; train again");
  };
  TagModel model(tags);
  model.keys_ = in.get_array<Key>();
  const auto ends = in.get_array<std::uint32_t>();
  model.counts_ = in.get_array<Count>();
  model.tag_counts_ = in.get_array<Count>();
  check(ends.size() == model.keys_.size() && model.tag_counts_.size() == tags);
  std::uint32_t begin = 0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    check(ends[k] >= begin && ends[k] <= model.counts_.size());
    Entry entry{begin, ends[k], 0};
    for (std::uint32_t c = begin; c < ends[k]; ++c) {
      check(model.counts_[c].tag < tags);
      entry.total += model.counts_[c].count;
    }
    model.ids_.add(model.keys_[k], static_cast<std::uint32_t>(k));
    model.entries_.push_back(entry);
    begin = ends[k];
  }
  model.compute_priors();
  return model;
}

}  // namespace hinge::constituents
