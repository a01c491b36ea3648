// N-best lists as text, in the format of Moses.
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
  // [hypotheses], in place of those of the lists, whose own are written where
  // this is empty and they have any.
  std::span<const float> scores;
  // Costs are written as this feature, behind the others; "" writes none.
  std::string cost_feature;
};

class NBestWriter {
 public:
  // The lists and the scores of the layout must outlive it.
  NBestWriter(const NBestLists& lists, NBestLayout layout);

  // The line of a hypothesis of a list, without line end. The view lives until
  // the next call.
  std::string_view line(std::size_t list, std::size_t hypothesis);

 private:
  const NBestLists& lists_;
  NBestLayout layout_;
  std::span<const float> scores_;
  std::vector<std::uint32_t> value_counts_;  // [features], how many values the name has
  std::string line_;
  std::vector<NamedValue> values_;
};

// All of them; "-" is standard output. Read back, the file gives equal lists.
void write_nbest(const std::string& path, const NBestLists& lists, const NBestLayout& layout = {});

}  // namespace hinge
