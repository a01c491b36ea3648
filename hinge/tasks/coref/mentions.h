// Mentions with what features need to know about each, computed once.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/core/arrays.h"
#include "hinge/features/hash.h"
#include "hinge/tasks/coref/tokens.h"
#include "hinge/tasks/coref/words.h"

namespace hinge::coref {

enum class Kind : std::uint8_t { kPronoun, kNominal, kProper, kEvent };

// Properties of one mention that templates may name, as hashes: "m.head", "a.kind".
enum class Field : std::uint8_t {
  kKind,       // pronoun, nominal, proper, event (a verb)
  kType,       // the pronoun (its nominative), or the kind
  kForm,       // the pronoun as written, or the kind
  kString,     // all words
  kHead,       // the head word
  kStem,       // the same without a plural ending
  kFirst,      // its first word
  kLast,       // its last word
  kBefore,     // the word before it
  kAfter,      // the word after it
  kLength,     // words, binned
  kTag,        // of the head
  kRelation,   // of the head to its head
  kParent,     // the word it depends on
  kParentTag,  // its tag
  kArticle,    // definite, indefinite, ...
  kGender,
  kNumber,
  kPerson,
  kAnimate,
  kEntity,     // type of the named entity
  kSeenHead,   // how many mentions before it have its head, binned
  kSeenText,   // the same for all words
  kLaterHead,  // whether a later mention has its head
  kPlace,      // sentence in the document, binned
  kOrder,      // how many mentions of the sentence begin before it, binned
  kDepth,      // how many mentions enclose it, binned
  kSpeaker,    // whether the speaker is known
  kScore,      // of the detector, binned
  kFollowed,   // sentences to the next "this", "that" or "it", and which it is
};
inline constexpr std::size_t kFields = 30;
std::string_view name_of(Field field);  // "seen_head"

// What fields hold: a word's hash_text(), or one of these. Small values need different
// hashes, too.
inline Key number_key(std::uint64_t value) { return combine(0x51ED270B, value + 1); }
// A word that is not frequent.
inline Key rare_key(std::string_view tag) { return combine(7, hash_text(tag)); }
// "this", "that" or "it", so many sentences later.
inline Key followed_key(std::string_view word, std::uint32_t sentences) {
  return combine(hash_text(word), sentences);
}

// A word without an English plural ending, in the crudest way: the same for both numbers of
// most nouns.
std::string_view stem_of(std::string_view word);

using FieldKeys = std::array<Key, kFields>;

struct MentionFacts {
  Span span{};
  std::uint32_t head = 0;  // word
  std::uint32_t sentence = 0;
  Kind kind = Kind::kNominal;
  Gender gender = Gender::kUnknown;
  Number number = Number::kUnknown;
  Article article = Article::kNone;
  std::uint16_t person = 3;
  bool animate = false;
  bool inanimate = false;
  Key text = 0;  // all words in lower case
  Key bare = 0;  // without articles and possessives
  Key stem = 0;  // of the head
  Key type = 0;  // Field::kType
  Key speaker = 0;
  Key initials = kAbsent;                        // of its capitalized words
  Key acronym = kAbsent;                         // the word, if it may be one
  std::uint32_t words_begin = 0, words_end = 0;  // its content words, in MentionSet::words, sorted
};

// Words seen too rarely in training stand for their tag (Durrett and Klein 2013).
class FrequentWords {
 public:
  FrequentWords() = default;  // all words are frequent
  explicit FrequentWords(std::vector<Key> sorted) : keys_(std::move(sorted)), limited_(true) {}
  bool has(Key word) const;
  std::span<const Key> keys() const { return keys_; }

 private:
  std::vector<Key> keys_;
  bool limited_ = false;
};

// The mentions of one document, ordered by begin, longer ones first.
template <template <typename> typename Array>
struct MentionArrays {
  Array<MentionFacts> mentions;
  Array<FieldKeys> fields;  // [mentions]
  Array<Key> words;         // stems of content words

  std::size_t size() const { return mentions.size(); }
  std::span<const Key> words_of(const MentionFacts& m) const {
    return std::span(words).subspan(m.words_begin, m.words_end - m.words_begin);
  }
  operator MentionArrays<Viewed>() const  // NOLINT: the same, elsewhere
      requires std::same_as<Array<int>, Owned<int>> {
    return {mentions, fields, words};
  }
};
using MentionSet = MentionArrays<Owned>;
using MentionView = MentionArrays<Viewed>;

// Spans that are taken for mentions, sorted: by begin, longer ones first.
struct FoundSpans {
  std::vector<Span> spans;
  std::vector<float> scores;  // of the detector; empty if they were given
};

void describe_mentions(const Tokens& tokens, const FoundSpans& found, const FrequentWords& frequent,
                       MentionSet& set);

// The first word from `from` to the end of the next sentence that may refer to a clause:
// "this", "that", "it"; else kNoHead.
std::uint32_t next_demonstrative(const Tokens& tokens, std::uint32_t from);

// The order of mentions.
inline bool precedes(const Span& a, const Span& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

// Hashes of the words that templates may see, for counting: each mention's head,
// first, last, preceding, following word and its string.
void append_visible_words(const Tokens& tokens, const Span& span, std::vector<Key>& words);

}  // namespace hinge::coref
