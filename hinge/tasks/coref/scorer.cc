#include "hinge/tasks/coref/scorer.h"

#include <algorithm>

#include "hinge/tasks/coref/path.h"

namespace hinge::coref {
namespace {

constexpr std::size_t kValues = 32;  // of a pair's property

// 1, 2, 3, 4, 5-7, 8-15, 16-31, ...
std::uint8_t bin(std::uint32_t n) {
  if (n < 5) return static_cast<std::uint8_t>(n);
  std::uint8_t bins = 5;
  for (std::uint32_t end = 8; n >= end && bins < 14; end *= 2) ++bins;
  return bins;
}

using ValueKeys = std::array<std::array<Key, kValues>, kPairFields>;
const ValueKeys kKeys = [] {
  ValueKeys keys;
  for (std::size_t field = 0; field < kPairFields; ++field) {
    for (std::size_t value = 0; value < kValues; ++value)
      keys[field][value] = combine(hash_text(name_of(static_cast<PairField>(field))), value + 1);
  }
  return keys;
}();

template <typename T>
std::uint8_t compare(T x, T y, T unknown) {
  if (x == unknown || y == unknown) return 1;
  return x == y ? 0 : 2;
}

std::size_t common(std::span<const Key> x, std::span<const Key> y) {
  std::size_t n = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] == y[j]) ++n;
    const bool advance_x = x[i] <= y[j];
    const bool advance_y = y[j] <= x[i];
    i += advance_x;
    j += advance_y;
  }
  return n;
}

// none, some, all of m, all of a, equal; 5: one of them has no words.
std::uint8_t overlap(std::size_t shared, std::size_t of_m, std::size_t of_a) {
  if (of_m == 0 || of_a == 0) return 5;
  if (shared == 0) return 0;
  return shared == of_m && shared == of_a ? 4 : shared == of_m ? 2 : shared == of_a ? 3 : 1;
}

bool has_word(std::span<const Key> words, Key stem) { return std::ranges::binary_search(words, stem); }

// Whether the short one is made of the initials of the long one.
bool is_acronym(const MentionFacts& small, const MentionFacts& large) {
  return small.acronym != kAbsent && small.acronym == large.initials;
}

void word_values(const MentionView& set, const MentionFacts& m, const MentionFacts& a,
                 std::array<std::uint8_t, kPairFields>& values) {
  const auto set_value = [&values](PairField field, int value) {
    values[static_cast<std::size_t>(field)] = static_cast<std::uint8_t>(value);
  };
  const bool named = m.kind != Kind::kPronoun && a.kind != Kind::kPronoun;
  set_value(PairField::kString, m.text == a.text ? 2 : m.bare == a.bare ? 1 : 0);
  set_value(PairField::kHead, m.stem == a.stem ? 1 : 0);
  if (!named) {
    for (const PairField field :
         {PairField::kInside, PairField::kWords, PairField::kModifiers, PairField::kAcronym})
      set_value(field, 7);
    return;
  }
  const auto of_m = set.words_of(m);
  const auto of_a = set.words_of(a);
  const std::size_t shared = common(of_m, of_a);
  const bool same_head = m.stem == a.stem;
  set_value(PairField::kInside, has_word(of_a, m.stem) + 2 * has_word(of_m, a.stem));
  set_value(PairField::kWords, overlap(shared, of_m.size(), of_a.size()));
  set_value(PairField::kModifiers,
            !same_head || shared == 0 ? 6 : overlap(shared - 1, of_m.size() - 1, of_a.size() - 1));
  set_value(PairField::kAcronym, is_acronym(m, a) || is_acronym(a, m));
}

}  // namespace

void pair_values(const DocumentView& data, std::size_t index, const Candidate& candidate,
                 std::array<std::uint8_t, kPairFields>& values) {
  const MentionFacts& m = data.set.mentions[index];
  const MentionFacts& a = data.set.mentions[candidate.mention];
  const auto set_value = [&values](PairField field, int value) {
    values[static_cast<std::size_t>(field)] = static_cast<std::uint8_t>(value);
  };
  word_values(data.set, m, a, values);
  set_value(PairField::kDistance, bin(static_cast<std::uint32_t>(index) - candidate.mention));
  set_value(PairField::kSentences, bin(m.sentence - a.sentence));
  set_value(PairField::kNested, a.span.contains(m.span) ? 1 : m.span.contains(a.span) ? 2 : 0);
  set_value(PairField::kSpeaker, compare(m.speaker, a.speaker, kAbsent));
  set_value(PairField::kGender, compare(m.gender, a.gender, Gender::kUnknown));
  set_value(PairField::kNumber, compare(m.number, a.number, Number::kUnknown));
  set_value(PairField::kPerson, m.person == a.person ? 0 : 1);
  const bool clash = (m.animate && a.inanimate) || (m.inanimate && a.animate);
  set_value(PairField::kAnimate, clash ? 2 : m.animate && a.animate ? 0 : 1);
  set_value(PairField::kAgree, static_cast<int>(agree(m, a)));
  set_value(PairField::kNearer, bin(candidate.nearer));
  const bool siblings = data.heads[m.head] != kNoHead && data.heads[m.head] == data.heads[a.head];
  set_value(PairField::kParent, siblings                       ? 1
                                : data.heads[m.head] == a.head ? 2
                                : data.heads[a.head] == m.head ? 3
                                                               : 0);
  set_value(PairField::kPath, 0);
}

namespace {

// A hash of the relations between two words of a sentence; long paths look alike.
Key path_key(const DocumentView& data, std::uint32_t m, std::uint32_t a) {
  Key key = 3;
  const bool met = walk_path(
      data, m, a, [&](std::uint32_t word) { key = combine(key, data.relations[word]); },
      [&](std::uint32_t word) { key = combine(key ^ 0x55, data.relations[word]); });
  return met ? key : 5;
}

Key fields_key(std::span<const Field> fields, const FieldKeys& values, Key key) {
  for (const Field field : fields) key = combine(key, values[static_cast<std::size_t>(field)]);
  return key;
}

}  // namespace

void Scorer::prepare(const DocumentView& data) {
  data_ = data;
  starts_.clear();
  mentions_.clear();
  antecedents_.clear();
  for (std::size_t m = 0; m < data.size(); ++m) {
    const FieldKeys& fields = data.set.fields[m];
    for (const Template& start : templates_.starts)
      starts_.push_back(fields_key(start.of_mention, fields, start.salt));
    for (const Template& pair : templates_.pairs) {
      mentions_.push_back(fields_key(pair.of_mention, fields, pair.salt));
      antecedents_.push_back(pair.of_antecedent.empty() ? 0
                                                        : fields_key(pair.of_antecedent, fields, ~pair.salt));
    }
  }
}

PairKeys Scorer::pair_keys(std::size_t m, const Candidate& candidate) const {
  std::array<std::uint8_t, kPairFields> values;
  pair_values(data_, m, candidate, values);
  PairKeys keys;
  for (std::size_t field = 0; field < kPairFields; ++field) keys[field] = kKeys[field][values[field]];
  keys[kPairFields] = 0;
  const MentionFacts& of_m = data_.set.mentions[m];
  const MentionFacts& of_a = data_.set.mentions[candidate.mention];
  if (of_m.sentence == of_a.sentence)
    keys[static_cast<std::size_t>(PairField::kPath)] = path_key(data_, of_m.head, of_a.head);
  return keys;
}

float Scorer::weight_of(Key key, const float* w) const {
  const FeatureId id = layout_.id(key);
  return id == Layout::kNone ? 0.0f : w[id];
}

float Scorer::pair_score(std::size_t m, const Candidate& candidate, const float* w) {
  float sum = alone_[candidate.mention];
  if (layout_.hashed()) {
    const int shift = layout_.shift();
    each_key_of(m, candidate, templates_.shared, [&](std::size_t, Key key) { sum += w[key >> shift]; });
    return sum;
  }
  // Many keys are looked up, so they are asked for before they are waited for.
  const KeyIndex& dictionary = layout_.dictionary();
  keys_.clear();
  each_key_of(m, candidate, templates_.shared, [&](std::size_t, Key key) {
    dictionary.prefetch(key);
    keys_.push_back(key);
  });
  for (const Key key : keys_) sum += weight_of(key, w);
  return sum;
}

void Scorer::weigh(const float* w) {
  const std::size_t n = templates_.pairs.size();
  alone_.assign(data_.size(), 0.0f);
  for (std::size_t m = 0; m < data_.size(); ++m) {
    for (std::size_t t = templates_.shared; t < n; ++t)
      alone_[m] += weight_of(templates_.pairs[t].salt ^ antecedents_[m * n + t], w);
  }
}

void Scorer::score(std::size_t m, const float* w, std::vector<float>& scores) {
  scores.clear();
  for (const Candidate& candidate : data_.candidates_of(m)) scores.push_back(pair_score(m, candidate, w));
  float sum = 0.0f;
  each_start_key(m, [&](std::size_t, Key key) { sum += weight_of(key, w); });
  scores.push_back(sum);
}

}  // namespace hinge::coref
