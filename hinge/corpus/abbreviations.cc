#include "hinge/corpus/abbreviations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace hinge {
namespace {

// All lists are sorted; abbreviations are in lower case.
// clang-format off
constexpr auto kTitles = std::to_array<std::string_view>({
    "adm", "assoc", "asst", "atty", "brig", "capt", "cllr", "cmdr", "col", "cpl", "dr", "e.g", "eg", "ft",
    "gen", "gov", "hon", "i.e", "ie", "insp", "lt", "maj", "messrs", "mlle", "mme", "mr", "mrs", "ms", "mt",
    "pres", "prof", "pvt", "rep", "reps", "rev", "sen", "sens", "sgt", "st", "supt", "vs",
});
constexpr auto kBeforeNumbers = std::to_array<std::string_view>({
    "art", "c", "ch", "eq", "ext", "fig", "figs", "no", "nos", "p", "para", "pp", "sec", "vol", "vols",
});
constexpr auto kAny = std::to_array<std::string_view>({
    "a.m", "al", "approx", "apr", "apt", "assn", "aug", "ave", "blvd", "bros", "c.f", "ca", "cf", "co",
    "corp", "dec", "dept", "dist", "div", "ed", "eds", "est", "etc", "feb", "fri", "hr", "hrs", "inc", "incl",
    "jan", "jr", "jul", "jun", "lb", "lbs", "ltd", "mar", "max", "min", "misc", "mon", "nov", "oct", "oz",
    "p.m", "ph.d", "plc", "rd", "sat", "sep", "sept", "sq", "sr", "tel", "thu", "thur", "thurs", "tue",
    "tues", "univ", "wed", "yr", "yrs",
});
constexpr auto kStarters = std::to_array<std::string_view>({
    "A", "After", "All", "Also", "Although", "An", "And", "Another", "Any", "As", "At", "Because", "Before",
    "But", "By", "Did", "Do", "Does", "During", "Each", "Even", "Every", "For", "From", "He", "Her", "Here",
    "His", "How", "However", "I", "If", "In", "Is", "It", "Its", "Just", "Many", "Maybe", "Meanwhile", "Most",
    "My", "No", "Not", "Now", "On", "Once", "One", "Only", "Or", "Our", "Please", "She", "Since", "So",
    "Some", "Such", "That", "The", "Their", "Then", "There", "These", "They", "This", "Those", "Though",
    "Thus", "To", "Under", "Unfortunately", "Until", "Was", "We", "Well", "What", "When", "Where", "Which",
    "While", "Who", "Why", "With", "Yet", "You", "Your",
});
// clang-format on
static_assert(std::ranges::is_sorted(kTitles) && std::ranges::is_sorted(kBeforeNumbers));
static_assert(std::ranges::is_sorted(kAny) && std::ranges::is_sorted(kStarters));

bool has(std::span<const std::string_view> sorted, std::string_view word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

constexpr std::size_t kLongest = 8;

}  // namespace

Abbreviation abbreviation_of(std::string_view word) {
  if (word.empty() || word.size() > kLongest) return Abbreviation::kNone;
  std::array<char, kLongest> buffer;
  std::transform(word.begin(), word.end(), buffer.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string_view lower(buffer.data(), word.size());
  if (has(kTitles, lower)) return Abbreviation::kTitle;
  if (has(kBeforeNumbers, lower)) return Abbreviation::kBeforeNumber;
  return has(kAny, lower) ? Abbreviation::kAny : Abbreviation::kNone;
}

bool is_sentence_starter(std::string_view word) { return has(kStarters, word); }

}  // namespace hinge
