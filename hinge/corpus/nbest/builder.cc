#include "hinge/corpus/nbest/builder.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"

namespace hinge {

std::string Place::text() const { return line == 0 ? std::string(file) : fmt::format("{}:{}", file, line); }

NBestBuilder::NBestBuilder(NBestOptions options)
    : options_(std::move(options)), arrays_(std::make_unique<NBestArrays>()) {
  if (options_.space != nullptr) arrays_->spill(*options_.space);
}

// Names are looked up by hash, then compared. If another name has the same hash,
// which is rare, find() and feature() both retry with the next seed.
std::uint32_t NBestBuilder::find(std::string_view name) const {
  for (std::uint64_t seed = 0;; ++seed) {
    const std::uint32_t found = feature_of_hash_.find(XXH3_64bits_withSeed(name.data(), name.size(), seed));
    if (found == NumberMap::kNone) return kNoFeature;
    if (arrays_->name(found) == name) return found;
  }
}

std::uint32_t NBestBuilder::feature(std::string_view name, std::uint32_t value_index) {
  const auto fresh = static_cast<std::uint32_t>(arrays_->value_index.size());
  for (std::uint64_t seed = 0;; ++seed) {
    const std::uint64_t hash = XXH3_64bits_withSeed(name.data(), name.size(), seed);
    const auto [known, is_new] = feature_of_hash_.add(hash, fresh);
    if (is_new) break;
    if (arrays_->name(known) == name) return known;
  }
  if (fresh == kNoFeature) fail<InputError>("there are more than {} different features", kNoFeature);
  arrays_->names += name;
  arrays_->name_begin.push_back(arrays_->names.size());
  arrays_->value_index.push_back(value_index);
  return fresh;
}

void NBestBuilder::add(Hypothesis& hypothesis, Place where) {
  sort_entries(hypothesis.entries, where);
  if (!options_.cost_feature.empty() && !options_.cost_optional && !hypothesis.cost) {
    fail<InputError>("{}: has no feature '{}', which should hold the cost; add it to every hypothesis",
                     where.text(), options_.cost_feature);
  }
  NBestArrays& arrays = *arrays_;
  add_number(hypothesis.score, "score", arrays.scores, where);
  add_number(hypothesis.cost, "cost", arrays.costs, where);
  if (arrays.ids.empty() || arrays.ids.back() != hypothesis.id) begin_list(hypothesis.id, where);
  arrays.texts.append(hypothesis.text);
  arrays.text_begin.push_back(arrays.texts.size());
  for (const Hypothesis::Entry& entry : hypothesis.entries) {
    arrays.features.push_back(entry.feature);
    arrays.values.push_back(entry.value);
  }
  arrays.row_begin.push_back(arrays.features.size());
  arrays.list_begin.back() = arrays.hypotheses();
}

void NBestBuilder::sort_entries(std::vector<Hypothesis::Entry>& entries, Place where) const {
  const auto by_feature = [](const Hypothesis::Entry& a, const Hypothesis::Entry& b) {
    return a.feature < b.feature;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), by_feature)) {
    std::sort(entries.begin(), entries.end(), by_feature);
  }
  const auto twice = std::adjacent_find(
      entries.begin(), entries.end(),
      [](const Hypothesis::Entry& a, const Hypothesis::Entry& b) { return a.feature == b.feature; });
  if (twice == entries.end()) return;
  fail<InputError>("{}: feature '{}' is given twice; give it once, with the sum if that was meant",
                   where.text(), shown(arrays_->name(twice->feature)));
}

// The score comes last in a line, so a missing one often means a truncated line.
void NBestBuilder::add_number(std::optional<float> number, std::string_view what, Column<float>& numbers,
                              Place where) const {
  const bool expected = hypotheses() == 0 ? number.has_value() : !numbers.empty();
  if (number && expected) {
    numbers.push_back(*number);
  } else if (number) {
    fail<InputError>("{}: has a {}, but the hypotheses before it have none; give it to all or to none",
                     where.text(), what);
  } else if (expected) {
    fail<InputError>(
        "{}: has no {}, but the hypotheses before it have one; check that the line was not cut short",
        where.text(), what);
  }
}

void NBestBuilder::begin_list(std::uint64_t id, Place where) {
  if (files_.empty() || files_.back() != where.file) files_.emplace_back(where.file);
  const auto [known, is_new] = start_of_id_.add(id, static_cast<std::uint32_t>(starts_.size()));
  if (is_new) starts_.push_back({files_.size() - 1, where.line});
  if (!is_new && !options_.merge) {
    const Place first{files_[starts_[known].file], starts_[known].line};
    fail<InputError>(
        "{}: sentence {} appears again, but its list began at {} and ended before this; sort the lines by "
        "sentence, or merge the lists with hinge cache --merge",
        where.text(), id, first.text());
  }
  arrays_->ids.push_back(id);
  arrays_->list_begin.push_back(arrays_->hypotheses());
}

void NBestBuilder::add(const NBestLists& lists, std::string_view file) {
  std::vector<std::uint32_t> numbers(lists.feature_count());
  for (std::size_t f = 0; f < numbers.size(); ++f) numbers[f] = feature(lists.name(f), lists.value_index[f]);
  add(
      lists, numbers, [](std::size_t, std::vector<Hypothesis::Entry>&) {}, file);
}

NBestLists NBestBuilder::finish() {
  if (options_.merge) merge_lists(*arrays_);
  if (!arrays_->costs.empty()) arrays_->cost_name = options_.cost_feature;
  return lists_of(std::move(arrays_));
}

}  // namespace hinge
