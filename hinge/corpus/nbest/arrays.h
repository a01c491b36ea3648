// Storage of n-best lists that are not mapped from a cache.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hinge/corpus/nbest/lists.h"
#include "hinge/files/column.h"

namespace hinge {

// Shapes as in NBestLists.
struct NBestArrays {
  Column<std::uint64_t> ids;
  Column<std::uint64_t> list_begin = {0};
  Column<std::uint64_t> text_begin = {0};
  Column<char> texts;
  Column<std::uint64_t> row_begin = {0};
  Column<std::uint32_t> features;
  Column<float> values;
  Column<float> scores;
  Column<float> costs;
  std::string cost_name;
  std::vector<std::uint64_t> name_begin = {0};
  std::string names;
  std::vector<std::uint32_t> value_index;

  void spill(SpillSpace& space);  // all but the names
  std::size_t hypotheses() const { return text_begin.size() - 1; }
  std::string_view text(std::size_t hypothesis) const {
    return {texts.data() + text_begin[hypothesis], text_begin[hypothesis + 1] - text_begin[hypothesis]};
  }
  std::string_view name(std::size_t feature) const {
    return std::string_view(names).substr(name_begin[feature], name_begin[feature + 1] - name_begin[feature]);
  }
};

// Joins lists with the same id, at the position of the first of them, and keeps
// only the first of hypotheses with equal text and features.
void merge_lists(NBestArrays& arrays);

NBestLists lists_of(std::unique_ptr<const NBestArrays> arrays);

}  // namespace hinge
