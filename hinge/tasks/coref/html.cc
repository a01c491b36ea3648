#include "hinge/tasks/coref/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "hinge/tasks/html.h"

namespace hinge::coref {
namespace {

// Without those that begin within a mention and end after it.
std::vector<Mention> without_crossing(std::span<const Mention> mentions) {
  std::vector<Mention> sorted(mentions.begin(), mentions.end());
  std::ranges::stable_sort(sorted, [](const Mention& a, const Mention& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<Mention> kept;
  std::vector<std::uint32_t> open;  // ends
  for (const Mention& mention : sorted) {
    while (!open.empty() && open.back() <= mention.begin) open.pop_back();
    if (!open.empty() && mention.end > open.back()) continue;
    open.push_back(mention.end);
    kept.push_back(mention);
  }
  return kept;
}

}  // namespace

void append_html(const Document& document, std::span<const Mention> mentions, std::string& out) {
  if (document.tokens.empty()) return;
  out += "<h1>";
  append_html_text(document.name, out);
  out += "</h1>\n";
  const std::vector<Mention> shown = without_crossing(mentions);
  std::size_t next = 0;
  std::vector<Mention> open;
  std::string_view speaker;
  for (std::size_t s = 0; s < document.sentences.size(); ++s) {
    const TokenRange& sentence = document.sentences[s];
    // Mentions that go on in the next sentence would cross its paragraph.
    if (open.empty()) out += s == 0 ? "<p>" : "</p>\n<p>";
    if (document.tokens[sentence.begin].speaker != speaker) {
      speaker = document.tokens[sentence.begin].speaker;
      out += "<b>";
      append_html_text(speaker, out);
      out += "</b> ";
    }
    for (std::uint32_t i = sentence.begin; i < sentence.end; ++i) {
      if (i > sentence.begin || !open.empty()) out += ' ';
      for (; next < shown.size() && shown[next].begin == i; ++next) {
        fmt::format_to(std::back_inserter(out), "<span class=\"phrase\" style=\"--hue: {}\">", hue_of(shown[next].cluster));
        open.push_back(shown[next]);
      }
      append_html_text(document.tokens[i].word, out);
      for (; !open.empty() && open.back().end == i + 1; open.pop_back())
        fmt::format_to(std::back_inserter(out), "<sub>{}</sub></span>", open.back().cluster + 1);
    }
  }
  out += "</p>\n";
}

}  // namespace hinge::coref
