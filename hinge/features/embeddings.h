// Word vectors, read from a file or drawn at random.
//
// Files are text, "word x1 x2 ... xd" per line, perhaps after a line "words d", or
// word2vec's binary format (*.bin). A word that is not in the file is looked up in lower
// case. Values are rounded to 16 bits, which models store; training sees
// the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/features/hash.h"
#include "hinge/files/bytes.h"

namespace hinge {

class Embeddings {
 public:
  Embeddings() = default;
  // Throws InputError if the file is not one of vectors.
  static Embeddings read(const std::string& path);
  // Every word gets a vector that depends only on its letters.
  static Embeddings random(std::size_t size);

  std::size_t size() const { return size_; }  // of a vector
  std::size_t words() const { return keys_.size(); }
  // Fills out [size]; zeros for a word without a vector.
  void find(std::string_view word, std::span<float> out) const;
  // Gives a word without a vector a random one. Files of vectors may lack frequent words.
  void add_random(std::string_view word);
  // The root of the mean square of all values that were read.
  float scale() const { return scale_; }

  void write(ByteWriter& out) const;
  static Embeddings load(ByteReader& in);

 private:
  std::uint32_t row_of(std::string_view word) const;
  void find_scale();
  void add(std::string_view word, std::span<const float> vector);
  static Embeddings read_text(const std::string& path);
  static Embeddings read_binary(const std::string& path);

  std::size_t size_ = 0;
  bool random_ = false;
  float scale_ = 1.0f;
  NumberMap rows_;
  std::vector<Key> keys_;              // [words]
  std::vector<std::uint16_t> values_;  // [words][size], the upper half of floats
};

// Numbers of variance scale^2 that depend only on the key.
void fill_random(Key key, float scale, std::span<float> out);

}  // namespace hinge
