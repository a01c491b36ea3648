// Web pages of predictions and explanations: one file, without scripts and without other files.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "hinge/files/output_file.h"

namespace hinge {

// What comes before and after the drawings of a page; all tasks share one style sheet.
std::string html_begin(std::string_view title);
std::string html_end();

// Calls write() between the two; with an empty title there is no page.
void write_page(std::string_view title, OutputFile& out, const std::function<void()>& write);

// Text as HTML or SVG: < > & " are escaped, and control characters become blanks.
void append_html_text(std::string_view text, std::string& out);

// The hue of a label or cluster by its number: neighbours are far apart.
int hue_of(std::size_t number);

}  // namespace hinge
