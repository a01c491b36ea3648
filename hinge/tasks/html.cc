#include "hinge/tasks/html.h"

namespace hinge {
namespace {

constexpr std::string_view kStyle =
    "body { font: 16px/2.1 sans-serif; margin: 2em; color: #222; }\n"
    "p, h1 { max-width: 60em; }\n"
    "h1 { font-size: 1.2em; }\n"
    "b { color: #555; font-size: 0.8em; }\n"
    // Phrases and mentions.
    "span.phrase { background: hsl(var(--hue), 80%, 90%); border: 1px solid hsl(var(--hue), 60%, 60%);\n"
    "  border-radius: 4px; padding: 0.1em 0.25em; }\n"
    "span.phrase sub { color: hsl(var(--hue), 70%, 28%); font-size: 0.65em; margin-left: 0.3em; }\n"
    // Words above their tags.
    "span.word { display: inline-block; text-align: center; line-height: 1.25; margin: 0.25em 0.3em; }\n"
    "span.word small { display: block; color: hsl(var(--hue), 70%, 30%); font-size: 0.65em; }\n"
    "span.word i, p.rank { color: #777; font: 12px sans-serif; }\n"
    "p.rank { margin: 1em 0 0; }\n"
    // Trees.
    "div.tree { overflow-x: auto; margin: 1em 0 2em; }\n"
    "svg { font: 15px sans-serif; } svg text { text-anchor: middle; }\n"
    "svg .tag { font-size: 11px; fill: #777; } svg .label { font-size: 12px; fill: #1a5276; }\n"
    "svg .differs { fill: #c8553d; font-weight: bold; }\n"
    "svg path, svg line { fill: none; stroke: #8aa; stroke-width: 1.3; } svg path.head { fill: #8aa; }\n"
    "svg line.down { stroke-dasharray: 1 3; }\n"
    // Explanations.
    "hr { border: 0; border-top: 1px solid #ddd; margin: 0.5em 0 1em; }\n"
    "div.decision { display: inline-block; box-sizing: border-box; vertical-align: top; margin: 0 0.6em 0.6em 0; border: 1px solid #ccc; border-radius: 6px; padding: 0.5em 0.8em; line-height: 1.35;\n"
    "  font-size: 14px; max-width: 100%; overflow-wrap: anywhere; }\n"
    "div.decision table { border-spacing: 0 2px; font-size: 12px; }\n"
    "div.decision em { font-style: normal; color: #777; font-size: 12px; }\n"
    "td.bar { width: 90px; } td.bar div { height: 10px; border-radius: 2px; background: #3a9a5b; }\n"
    "td.bar div.against { background: #c8553d; margin-left: auto; }\n"
    "td.number { text-align: right; font-variant-numeric: tabular-nums; padding: 0 0.5em; }\n";

}  // namespace

std::string html_begin(std::string_view title) {
  std::string text = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>";
  append_html_text(title, text);
  text.append("</title>\n<style>\n").append(kStyle).append("</style></head><body>\n");
  return text;
}

std::string html_end() { return "</body></html>\n"; }

void write_page(std::string_view title, OutputFile& out, const std::function<void()>& write) {
  if (title.empty()) return write();
  out.write(html_begin(title));
  write();
  out.write(html_end());
}

void append_html_text(std::string_view text, std::string& out) {
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
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML has no control characters
    }
  }
}

// Steps of the golden angle.
int hue_of(std::size_t number) { return static_cast<int>(number * 137508ull / 1000 % 360); }

}  // namespace hinge
