#include "hinge/tasks/classify/features.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "hinge/core/error.h"
#include "hinge/features/text.h"

namespace hinge::classify {
namespace {

// All that ASCII calls white space; texts in memory may have several lines.
constexpr std::string_view kSpaces = " \t\n\v\f\r";
constexpr std::size_t kMostChars = 20;

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool parse_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// False if `text` is not "0", "N" or "N-M".
bool parse_chars(std::string_view text, FeatureKinds& kinds) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  if (!parse_number(text.substr(0, dash), kinds.least_chars)) return false;
  kinds.most_chars = kinds.least_chars;
  if (dash < text.size() && !parse_number(text.substr(dash + 1), kinds.most_chars)) return false;
  return kinds.least_chars <= kinds.most_chars && kinds.most_chars <= kMostChars &&
         (kinds.least_chars > 0 || kinds.most_chars == 0);
}

std::string chars_text(const FeatureKinds& kinds) {
  return kinds.most_chars == 0 ? "0" : fmt::format("{}-{}", kinds.least_chars, kinds.most_chars);
}

}  // namespace

FeatureKinds kinds_of(const ClassifyOptions& options) {
  FeatureKinds kinds{.lowercase = options.lowercase,
                     .ngrams = static_cast<std::size_t>(options.ngrams),
                     .hash_bits = options.hash_bits};
  if (!parse_chars(options.chars, kinds))
    fail<OptionError>(
        "classify: chars is '{}', but lengths up to {} were expected: 0 for none, 3, or 3-5 for three to "
        "five",
        options.chars, kMostChars);
  return kinds;
}

FeatureKinds read_kinds(const ModelFile& file) {
  const Description& meta = file.description();
  FeatureKinds kinds{.lowercase = meta.flag("lowercase"),
                     .ngrams = static_cast<std::size_t>(meta.whole("ngrams")),
                     .hash_bits = meta.whole("hash_bits")};
  if (!parse_chars(meta.text("chars", "0"), kinds) || kinds.ngrams > kMostNGrams || kinds.hash_bits < 0 ||
      kinds.hash_bits > kMostHashBits)
    fail<ModelError>("{}: the description of its features is damaged; train it again", file.name());
  return kinds;
}

void write_kinds(const FeatureKinds& kinds, Json& meta) {
  meta.set("lowercase", kinds.lowercase);
  meta.set("ngrams", static_cast<std::int64_t>(kinds.ngrams));
  meta.set("chars", chars_text(kinds));
  meta.set("hash_bits", kinds.hash_bits);
}

std::string describe(const FeatureKinds& kinds) {
  return fmt::format("ngrams={} chars={} lowercase={} hash_bits={}", kinds.ngrams, chars_text(kinds),
                     kinds.lowercase, kinds.hash_bits);
}

// No word begins with a space, so it can mark characters; the bias has no name.
std::string FeatureFinder::name(const Place& place) const {
  if (place.words == 0) return place.chars.empty() ? "" : fmt::format(" {}", place.chars);
  std::string name(words_[place.first_word]);
  for (std::size_t k = 1; k < place.words; ++k) name.append(1, ' ').append(words_[place.first_word + k]);
  return name;
}

Key key_of(std::string_view stored_name) {
  if (stored_name.empty()) return kBiasKey;
  if (stored_name.starts_with(' ')) return combine(kCharsKey, hash_text(stored_name.substr(1)));
  Key key = kWordKey;
  while (true) {
    const std::size_t end = std::min(stored_name.find(' '), stored_name.size());
    key = combine(key, hash_text(stored_name.substr(0, end)));
    if (end == stored_name.size()) return key;
    stored_name.remove_prefix(end + 1);
  }
}

std::string shown_name(std::string_view stored_name) {
  if (stored_name.empty()) return "(bias)";
  if (stored_name.starts_with(' ')) return fmt::format("chars:{}", stored_name.substr(1));
  return std::string(stored_name);
}

std::vector<std::string> read_names(const ModelFile& file) {
  std::vector<std::string> names;
  const std::string_view section = file.section("names");
  if (section.empty()) return names;
  ByteReader bytes(section, "feature names");
  while (!bytes.at_end()) names.emplace_back(bytes.get_text());
  return names;
}

void FeatureFinder::split(std::string_view text) {
  if (kinds_.lowercase) {
    text_lower(text, lowered_);
    text = lowered_;
  }
  words_.clear();
  hashes_.clear();
  for (std::size_t at = 0; at < text.size();) {
    if (is_white(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
    words_.push_back(text.substr(at, end - at));
    hashes_.push_back(hash_text(words_.back()));
    at = end;
  }
}

std::span<const Key> FeatureFinder::find(std::string_view text) {
  found_.clear();
  each(text, [this](Key feature, const Place&) { found_.push_back(feature); });
  std::ranges::sort(found_);
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return found_;
}

}  // namespace hinge::classify
