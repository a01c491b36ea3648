// The features of a text: its words, word n-grams and character n-grams, and a bias
// that every text has.
//
// A text has each feature once, however often it occurs, and all have the value
// 1 / sqrt(number of features), so that long and short texts have the same norm.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/features/vocabulary.h"
#include "hinge/model/row_names.h"
#include "hinge/tasks/classify/options.h"

namespace hinge::classify {

// Which features exist; stored in the model.
struct FeatureKinds {
  bool lowercase = false;
  std::size_t ngrams = 2;       // longest word n-gram
  std::size_t least_chars = 0;  // shortest and longest character n-gram; 0: none
  std::size_t most_chars = 0;
  std::int64_t hash_bits = 0;  // > 0: features are hashed, without a vocabulary

  bool operator==(const FeatureKinds&) const = default;
};

// Throws OptionError if `chars` is not "0", "N" or "N-M".
FeatureKinds kinds_of(const ClassifyOptions& options);
// Throws ModelError if damaged.
FeatureKinds read_kinds(const ModelFile& file);
void write_kinds(const FeatureKinds& kinds, Json& meta);
// For messages: "ngrams=2, chars=3-5, ...".
std::string describe(const FeatureKinds& kinds);

// What training data defines about features.
struct Features {
  explicit Features(FeatureKinds given) : kinds(given) {}

  FeatureKinds kinds;
  Vocabulary vocabulary;           // unused if hashed
  std::vector<std::string> names;  // [features] of the vocabulary
  RowNames row_names;              // if hashed and wanted

  std::size_t count() const {
    return kinds.hash_bits > 0 ? (std::size_t{1} << kinds.hash_bits) + 1 : vocabulary.size();
  }
};

// Distinguish words from characters.
inline constexpr Key kWordKey = 0x77;
inline constexpr Key kCharsKey = 0x63;
inline constexpr Key kBiasKey = 0x62;

// The key of a feature whose name is stored, and the name as people read it.
Key key_of(std::string_view stored_name);
std::string shown_name(std::string_view stored_name);

// The key of a row in a model file.
inline Key row_key(Key feature, const FeatureKinds& kinds) {
  return kinds.hash_bits > 0 ? combine(feature, 1) : feature;
}

// The row of a hashed feature. The bias has its own.
inline std::uint32_t hashed_row(Key key, std::int64_t bits) {
  return static_cast<std::uint32_t>(key == kBiasKey ? Key{1} << bits : key >> (64 - bits));
}
// The section with the names of hashed rows, if they are kept.
inline constexpr std::string_view kRowNames = "feature.hashed";

// Names in a model, in the order of its rows; empty if features were hashed.
std::vector<std::string> read_names(const ModelFile& file);

inline float value_of_each(std::size_t features) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(features)));
}

// Finds the features of texts; one per thread.
class FeatureFinder {
 public:
  explicit FeatureFinder(const FeatureKinds& kinds) : kinds_(kinds) {}

  // Distinct features, sorted: row numbers if hashed, else keys. At least the bias.
  // The view is valid until the next call.
  std::span<const Key> find(std::string_view text);

  // body(feature, place) for every occurrence, repeats included; name(place) is its
  // stored name and valid inside the body.
  struct Place {
    std::size_t first_word, words;  // a word n-gram
    std::string_view chars;         // or a character n-gram; the bias has neither
    Key key;                        // before it is hashed into a row
  };
  template <typename Body>
  void each(std::string_view text, const Body& body);
  std::string name(const Place& place) const;

 private:
  Key number(Key key) const { return kinds_.hash_bits > 0 ? key >> (64 - kinds_.hash_bits) : key; }
  void split(std::string_view text);
  template <typename Body>
  void each_chars(std::string_view word, const Body& body);

  FeatureKinds kinds_;
  std::string lowered_;
  std::vector<std::string_view> words_;
  std::vector<Key> hashes_;           // [words]
  std::string padded_;                // <word>
  std::vector<std::size_t> letters_;  // where the code points of padded_ begin, and its end
  std::vector<Key> found_;
};

template <typename Body>
void FeatureFinder::each(std::string_view text, const Body& body) {
  split(text);
  body(kinds_.hash_bits > 0 ? Key{1} << kinds_.hash_bits : kBiasKey, Place{0, 0, {}, kBiasKey});
  for (std::size_t first = 0; first < words_.size(); ++first) {
    Key key = kWordKey;
    for (std::size_t n = 1; n <= kinds_.ngrams && first + n <= words_.size(); ++n) {
      key = combine(key, hashes_[first + n - 1]);
      body(number(key), Place{first, n, {}, key});
    }
    if (kinds_.most_chars > 0) each_chars(words_[first], body);
  }
}

// Words are padded, so that beginnings and ends of words differ from middles.
template <typename Body>
void FeatureFinder::each_chars(std::string_view word, const Body& body) {
  padded_.assign(1, '<').append(word).append(1, '>');
  letters_.clear();
  for (std::size_t at = 0; at < padded_.size(); ++at) {
    if ((static_cast<unsigned char>(padded_[at]) & 0xC0) != 0x80) letters_.push_back(at);
  }
  letters_.push_back(padded_.size());
  for (std::size_t first = 0; first + 1 < letters_.size(); ++first) {
    for (std::size_t n = kinds_.least_chars; n <= kinds_.most_chars && first + n < letters_.size(); ++n) {
      const std::string_view chars =
          std::string_view(padded_).substr(letters_[first], letters_[first + n] - letters_[first]);
      const Key key = combine(kCharsKey, hash_text(chars));
      body(number(key), Place{0, 0, chars, key});
    }
  }
}

}  // namespace hinge::classify
