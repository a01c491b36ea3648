// Documents with coloured clusters, as a web page without scripts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hinge/corpus/documents.h"

namespace hinge::coref {

inline constexpr std::string_view kPageTitle = "Clusters";

// Mentions are nested boxes with the colour and number of their cluster. Of two that cross
// the later one is not shown.
void append_html(const Document& document, std::span<const Mention> mentions, std::string& out);

}  // namespace hinge::coref
