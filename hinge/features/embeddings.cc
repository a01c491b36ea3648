#include "hinge/features/embeddings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>

#include "hinge/core/error.h"
#include "hinge/core/missing.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/text_source.h"
#include "hinge/features/text.h"

namespace hinge {
namespace {

constexpr std::size_t kMostSize = 4096;

std::uint16_t to_short(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);  // to nearest even
}
float to_float(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

// The next word of the line, which loses it.
std::string_view next_word(std::string_view& line) {
  line = trim(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool parse(std::string_view text, float& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

Embeddings Embeddings::read(const std::string& path) {
  Embeddings result = path.ends_with(".bin") ? read_binary(path) : read_text(path);
  if (result.words() == 0) fail<InputError>("{}: has no word vectors; expected lines 'word x1 x2 ...'", path);
  result.find_scale();
  return result;
}

Embeddings Embeddings::random(std::size_t size) {
  Embeddings result;
  result.size_ = size;
  result.random_ = true;
  return result;
}

void Embeddings::add(std::string_view word, std::span<const float> vector) {
  const Key key = hash_text(word);
  if (!rows_.add(key, static_cast<std::uint32_t>(keys_.size())).second) return;
  keys_.push_back(key);
  for (const float value : vector) values_.push_back(to_short(value));
}

Embeddings Embeddings::read_text(const std::string& path) {
  Embeddings result;
  LineReader lines(path);
  std::vector<float> vector;
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    const std::string_view word = next_word(line);
    vector.clear();
    for (float value; !trim(line).empty();) {
      const std::string_view text = next_word(line);
      if (!parse(text, value))
        fail<InputError>("{}:{}: '{}' is not a number; expected 'word x1 x2 ...'", path, lines.number(),
                         text);
      vector.push_back(value);
    }
    if (lines.number() == 1 && vector.size() == 1) continue;  // "words size"
    if (result.size_ == 0) result.size_ = vector.size();
    if (vector.size() != result.size_ || vector.empty() || vector.size() > kMostSize)
      fail<InputError>("{}:{}: has {} numbers; expected {} as before, at most {}", path, lines.number(),
                       vector.size(), result.size_, kMostSize);
    result.add(word, vector);
  }
  return result;
}

Embeddings Embeddings::read_binary(const std::string& path) {
  std::ifstream file(existing<MissingInput>(path), std::ios::binary);
  std::size_t words = 0;
  Embeddings result;
  if (!(file >> words >> result.size_) || result.size_ == 0 || result.size_ > kMostSize)
    fail<InputError>("{}: is not word2vec's binary format; expected 'words size' on the first line", path);
  std::vector<float> vector(result.size_);
  for (std::string word; words > 0 && file >> word; --words) {
    file.get();
    file.read(reinterpret_cast<char*>(vector.data()),
              static_cast<std::streamsize>(result.size_ * sizeof(float)));
    if (!file || !std::ranges::all_of(vector, [](float value) { return std::isfinite(value); }))
      fail<InputError>("{}: the vector of '{}' is cut short or damaged", path, word);
    result.add(word, vector);
  }
  if (words > 0) fail<InputError>("{}: ends {} words too early; download it again", path, words);
  return result;
}

void fill_random(Key key, float scale, std::span<float> out) {
  const float range = scale * std::sqrt(3.0f);
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = range * (static_cast<float>(combine(key, k + 1) >> 40) * 0x1.0p-23f - 1.0f);
}

void Embeddings::find_scale() {
  double sum = 0.0;
  for (const std::uint16_t value : values_) sum += std::pow(to_float(value), 2);
  scale_ = values_.empty() ? 1.0f : static_cast<float>(std::sqrt(sum / static_cast<double>(values_.size())));
}

std::uint32_t Embeddings::row_of(std::string_view word) const {
  const std::uint32_t row = rows_.find(hash_text(word));
  if (row != NumberMap::kNone) return row;
  std::string lower;
  text_lower(word, lower);
  return rows_.find(hash_text(lower));
}

void Embeddings::add_random(std::string_view word) {
  if (random_ || row_of(word) != NumberMap::kNone) return;
  std::vector<float> vector(size_);
  fill_random(hash_text(word), scale_, vector);
  add(word, vector);
}

void Embeddings::find(std::string_view word, std::span<float> out) const {
  if (random_) return fill_random(hash_text(word), scale_, out);
  const std::uint32_t row = row_of(word);
  for (std::size_t k = 0; k < size_; ++k)
    out[k] = row == NumberMap::kNone ? 0.0f : to_float(values_[row * size_ + k]);
}

namespace {

[[noreturn]] void refuse_damaged() {
  fail<ModelError>("the word vectors of the model are damaged; train again");
}

}  // namespace

void Embeddings::write(ByteWriter& out) const {
  out.put<std::uint64_t>(size_);
  out.put<std::uint8_t>(random_);
  out.put_array(std::span<const Key>(keys_));
  out.put_array(std::span<const std::uint16_t>(values_));
  out.put(scale_);
}

Embeddings Embeddings::load(ByteReader& in) {
  Embeddings result;
  result.size_ = in.get<std::uint64_t>();
  result.random_ = in.get<std::uint8_t>() != 0;
  result.keys_ = in.get_array<Key>();
  result.values_ = in.get_array<std::uint16_t>();
  if (result.size_ > kMostSize || result.values_.size() != result.keys_.size() * result.size_)
    refuse_damaged();
  for (std::size_t k = 0; k < result.keys_.size(); ++k)
    result.rows_.add(result.keys_[k], static_cast<std::uint32_t>(k));
  if (in.at_end()) {  // as earlier builds wrote it
    result.find_scale();
  } else {
    result.scale_ = in.get<float>();
  }
  if (!std::isfinite(result.scale_)) refuse_damaged();
  return result;
}

}  // namespace hinge
