#include "hinge/core/error.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hinge {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    const auto next = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : 0);
    const bool pair = byte == 0xC2 && next >= 0x80 && next <= 0x9F;
    result += byte < 0x20 || byte == 0x7F || pair ? '?' : text[k];
    k += pair;
  }
  return result;
}

std::string Error::one_line(std::string_view message) {
  constexpr std::size_t kMost = 4000;
  if (message.size() <= kMost) return without_controls(message);
  std::size_t head = kMost / 2;
  std::size_t tail = message.size() - kMost / 2;
  while (inside_character(message, head)) --head;
  while (inside_character(message, tail)) ++tail;
  return without_controls(message.substr(0, head)) + " ... " + without_controls(message.substr(tail));
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace hinge
