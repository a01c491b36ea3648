// Documents with coloured clusters, as a web page without scripts.
#pragma once

#include <span>
#include <string>

#include "hinge/corpus/documents.h"

namespace hinge::coref {

std::string html_begin();
// Mentions are nested boxes with the colour and number of their cluster. Of two that cross
// the later one is not shown.
void append_html(const Document& document, std::span<const Mention> mentions, std::string& out);
std::string html_end();

}  // namespace hinge::coref
