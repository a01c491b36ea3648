#include "hinge/tasks/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "hinge/core/join.h"
#include "hinge/files/json.h"
#include "hinge/tasks/html.h"

namespace hinge {
namespace {

struct Rest {
  std::size_t count = 0;
  double amount = 0.0;
};

// What is not shown.
Rest rest_of(const Decision& decision, std::size_t shown) {
  Rest rest;
  for (std::size_t k = shown; k < decision.reasons.size(); ++k) {
    ++rest.count;
    rest.amount += decision.reasons[k].amount;
  }
  return rest;
}

void append_json(const Decision& decision, std::size_t shown, std::string& out) {
  Json json;
  json.set("where", decision.where).set("item", decision.item).set("chosen", decision.chosen);
  if (decision.rival != decision.chosen)
    json.set("rival", decision.rival).set("margin", decision.margin);
  if (!decision.rival_also.empty()) json.set("rival_also", decision.rival_also);
  std::vector<Json> reasons;
  for (std::size_t k = 0; k < shown; ++k) {
    const DecisionReason& reason = decision.reasons[k];
    Json& one = reasons.emplace_back();
    one.set("feature", reason.feature).set("amount", reason.amount);
    if (!reason.chosen.empty()) one.set("chosen", reason.chosen).set("rival", reason.rival);
  }
  json.set("reasons", reasons);
  if (const Rest rest = rest_of(decision, shown); rest.count > 0)
    json.set("others",
             Json().set("count", static_cast<std::int64_t>(rest.count)).set("amount", rest.amount));
  out += json.dump() + '\n';
}

// Parts that the reason is about, if these are not the whole decision.
std::string part_of(const Decision& decision, const DecisionReason& reason) {
  const bool whole = reason.chosen == decision.chosen && reason.rival == decision.rival;
  return whole || reason.chosen.empty() ? "" : fmt::format("  ({}, not {})", reason.chosen, reason.rival);
}

// "the rival also has AP: head 6 (story)", "" if nothing else differs.
std::string also_of(const Decision& decision) {
  constexpr std::size_t kMost = 5;
  if (decision.rival_also.empty()) return "";
  const std::size_t shown = std::min(kMost, decision.rival_also.size());
  std::string text = "the rival also has " + join(std::span(decision.rival_also).first(shown), ", ");
  return shown == decision.rival_also.size() ? text
                                             : fmt::format("{} and {} more", text, decision.rival_also.size() - shown);
}

// A row with a bar, the longest for the heaviest reason: green for the choice, red against it.
void append_bar(double amount, double most, std::string_view text, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 "<tr><td class=\"bar\"><div{} style=\"width: {:.0f}%\"></div></td><td class=\"number\">{:+.3f}</td><td>",
                 amount < 0 ? " class=\"against\"" : "", most > 0 ? 100 * std::abs(amount) / most : 0.0, amount);
  append_html_text(text, out);
  out += "</td></tr>";
}

void append_box(const Decision& decision, std::size_t shown, std::string& out) {
  fmt::format_to(std::back_inserter(out), "<div class=\"decision\"><strong>");
  append_html_text(decision.item, out);
  const bool drawn = !decision.chosen_drawing.empty();
  out += drawn ? "</strong>" : "</strong>: ";
  if (drawn) {
    out += decision.chosen_drawing;
  } else {
    append_html_text(decision.chosen, out);
  }
  out += " <em>";
  append_html_text(decision.rival == decision.chosen ? "no other choice"
                   : drawn                           ? fmt::format("better by {:.3f} than", decision.margin)
                                 : fmt::format("not {}, by {:.3f}", decision.rival, decision.margin),
                   out);
  out += "</em>" + decision.rival_drawing;
  if (const std::string also = also_of(decision); !also.empty()) {
    out += "<br><em>";
    append_html_text(also, out);
    out += "</em>";
  }
  out += "<table>";
  const Rest rest = rest_of(decision, shown);
  double most = std::abs(rest.amount);
  for (std::size_t k = 0; k < shown; ++k) most = std::max(most, std::abs(decision.reasons[k].amount));
  for (std::size_t k = 0; k < shown; ++k) {
    const DecisionReason& reason = decision.reasons[k];
    append_bar(reason.amount, most, reason.feature + part_of(decision, reason), out);
  }
  if (rest.count > 0) append_bar(rest.amount, most, fmt::format("{} more", rest.count), out);
  out += "</table></div>\n";
}

}  // namespace

void end_decisions(const ExplainSettings& settings, std::string& out) {
  if (!settings.json) out += settings.html ? "<hr>\n" : "\n";
}

void append_decision(const Decision& decision, const ExplainSettings& settings, std::string& out) {
  const std::size_t shown = std::min(settings.top, decision.reasons.size());
  if (settings.json) return append_json(decision, shown, out);
  if (settings.html) return append_box(decision, shown, out);
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{}  {}: {}", decision.where, decision.item, decision.chosen);
  if (decision.rival == decision.chosen) {
    out += ", no other choice\n";
    return;
  }
  fmt::format_to(to, ", not {}, by {:.4f}\n", decision.rival, decision.margin);
  if (const std::string also = also_of(decision); !also.empty()) fmt::format_to(to, "  {}\n", also);
  for (std::size_t k = 0; k < shown; ++k) {
    const DecisionReason& reason = decision.reasons[k];
    fmt::format_to(to, "  {:>+10.4f}  {}{}\n", reason.amount, reason.feature, part_of(decision, reason));
  }
  if (const Rest rest = rest_of(decision, shown); rest.count > 0)
    fmt::format_to(to, "  {:>+10.4f}  {} more\n", rest.amount, rest.count);
}

}  // namespace hinge
