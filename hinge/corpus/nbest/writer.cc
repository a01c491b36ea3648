#include "hinge/corpus/nbest/writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "hinge/corpus/scan.h"
#include "hinge/files/output_file.h"

namespace hinge {
namespace {

constexpr std::string_view kBars = "|||";
constexpr std::string_view kEscapedBars = "&#124;&#124;&#124;";  // as Moses does

// Bars as a separate word (possible in JSON input) would end the field.
void append_text(std::string& out, std::string_view text) {
  for (std::size_t from = 0;;) {
    const std::size_t at = text.find(kBars, from);
    out += text.substr(from, at - from);
    if (at == std::string_view::npos) return;
    from = at + kBars.size();
    const bool alone = (at == 0 || is_space(text[at - 1])) && (from == text.size() || is_space(text[from]));
    out += alone ? kEscapedBars : kBars;
  }
}

// [features], how many values the name of the feature has. Values of one name
// have consecutive feature numbers unless some are missing.
std::vector<std::uint32_t> value_counts(std::span<const std::uint32_t> value_index) {
  std::vector<std::uint32_t> counts(value_index.size(), 0);
  for (std::size_t end, begin = 0; begin < value_index.size(); begin = end) {
    end = begin + 1;
    while (value_index[begin] == 1 && end < value_index.size() && value_index[end] == end - begin + 1) ++end;
    std::fill(counts.begin() + static_cast<std::ptrdiff_t>(begin),
              counts.begin() + static_cast<std::ptrdiff_t>(end), static_cast<std::uint32_t>(end - begin));
  }
  return counts;
}

}  // namespace

NBestWriter::NBestWriter(const NBestLists& lists, NBestLayout layout)
    : lists_(lists),
      layout_(std::move(layout)),
      scores_(layout_.scores.empty() ? lists.scores : layout_.scores),
      value_counts_(value_counts(lists.value_index)) {
  assert(scores_.empty() || scores_.size() == lists.hypotheses());
  assert(layout_.cost_feature.empty() || !lists.costs.empty());
}

std::string_view NBestWriter::line(std::size_t list, std::size_t hypothesis) {
  const FeatureRow row = lists_.row(hypothesis);
  values_.clear();
  for (std::size_t i = 0; i < row.features.size(); ++i) {
    const std::uint32_t feature = row.features[i];
    values_.push_back(
        {lists_.name(feature), lists_.value_index[feature], row.values[i], value_counts_[feature]});
  }
  if (!layout_.cost_feature.empty())
    values_.push_back({layout_.cost_feature, 0, lists_.costs[hypothesis], 0});
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{} ||| ", lists_.ids[list]);
  append_text(line_, lists_.text(hypothesis));
  line_ += " ||| ";
  append_moses_values(line_, values_, ' ');
  if (!scores_.empty()) fmt::format_to(std::back_inserter(line_), " ||| {}", scores_[hypothesis]);
  return line_;
}

void write_nbest(const std::string& path, const NBestLists& lists, const NBestLayout& layout) {
  OutputFile out(path);
  NBestWriter writer(lists, layout);
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
      out.write(writer.line(list, h));
      out.write("\n");
    }
  }
  out.commit();
}

}  // namespace hinge
