// Writes n-best lists as text in the Moses format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/nbest/lists.h"
#include "hinge/corpus/nbest/moses_values.h"

namespace hinge {

struct NBestLayout {
  // [hypotheses], replacing the scores of the lists; if empty, those of the
  // lists are written, if any.
  std::span<const float> scores;
  // Costs are written as this feature, after the others; "" writes none.
  std::string cost_feature;
};

class NBestWriter {
 public:
  // The lists and the scores of the layout must outlive it.
  NBestWriter(const NBestLists& lists, NBestLayout layout);

  // The line of a hypothesis, without line end. The view is valid until the next
  // call.
  std::string_view line(std::size_t list, std::size_t hypothesis);

 private:
  const NBestLists& lists_;
  NBestLayout layout_;
  std::span<const float> scores_;
  std::vector<std::uint32_t> value_counts_;  // [features], how many values the name has
  std::string line_;
  std::vector<NamedValue> values_;
};

// Writes all lists; "-" is standard output. Reading the file gives equal lists.
void write_nbest(const std::string& path, const NBestLists& lists, const NBestLayout& layout = {});

}  // namespace hinge
