// What was counted, as bytes in models and caches.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/tasks/constituents/counted.h"

namespace hinge::constituents {

using CountPiece = std::pair<std::string, std::string>;  // a name, bytes
std::vector<CountPiece> count_pieces(const Counted& counted);

// Where pieces are found, and the name of the file for messages.
struct StoredCounts {
  std::function<std::string_view(std::string_view piece)> find;
  std::string name;
};
// All but the wrapper and the keys. `aux`: with the flat classifier. Throws ModelError if a piece is damaged.
Known read_counts(const StoredCounts& stored, bool aux);

}  // namespace hinge::constituents
