#include "hinge/tasks/coref/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace hinge::coref {
namespace {

void append_escaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
}

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

// Neighbouring numbers get distant hues: steps of the golden angle.
int hue(std::uint32_t cluster) { return static_cast<int>(cluster * 137508ull / 1000 % 360); }

}  // namespace

std::string html_begin() {
  return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Clusters</title>\n<style>\n"
         "body { font: 16px/2.1 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; }\n"
         "h1 { font-size: 1.2em; }\n"
         "b { color: #555; font-size: 0.8em; }\n"
         "span { background: hsl(var(--hue), 80%, 88%); border: 1px solid hsl(var(--hue), 60%, 55%);\n"
         "  border-radius: 4px; padding: 0.1em 0.25em; }\n"
         "sub { color: hsl(var(--hue), 70%, 30%); font-size: 0.65em; }\n"
         "</style></head><body>\n";
}

void append_html(const Document& document, std::span<const Mention> mentions, std::string& out) {
  if (document.tokens.empty()) return;
  out += "<h1>";
  append_escaped(document.name, out);
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
      append_escaped(speaker, out);
      out += "</b> ";
    }
    for (std::uint32_t i = sentence.begin; i < sentence.end; ++i) {
      if (i > sentence.begin || !open.empty()) out += ' ';
      for (; next < shown.size() && shown[next].begin == i; ++next) {
        fmt::format_to(std::back_inserter(out), "<span style=\"--hue: {}\">", hue(shown[next].cluster));
        open.push_back(shown[next]);
      }
      append_escaped(document.tokens[i].word, out);
      for (; !open.empty() && open.back().end == i + 1; open.pop_back())
        fmt::format_to(std::back_inserter(out), "<sub>{}</sub></span>", open.back().cluster + 1);
    }
  }
  out += "</p>\n";
}

std::string html_end() { return "</body></html>\n"; }

}  // namespace hinge::coref
