#include "hinge/tasks/tag/conjunction_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {
namespace {

// Numbers the features that rows consist of, in order of appearance.
class Members {
 public:
  std::uint32_t number(std::uint32_t feature, Key key) {
    const std::uint32_t number = index_.add(key);
    if (number == features_.size()) features_.push_back(feature);
    return number;
  }
  void write(const FeatureNames& names, ModelWriter& out) const {
    out.add_array("member.slots", index_.slots());
    out.add_array("member.numbers", index_.numbers());
    ByteWriter bytes;
    names.write(features_, bytes);
    out.add("member.names", bytes.take());
  }

 private:
  KeyIndex index_;
  std::vector<std::uint32_t> features_;
};

bool is_linear(const ModelFile& file) { return file.description().text("kernel", "linear") == "linear"; }

}  // namespace

void write_conjunctions(const Conjunctions& all, const FeatureNames& names, const std::vector<Key>& keys,
                        const SavedWeights& weights, ModelWriter& out) {
  RowTableBuilder rows;
  std::vector<float> scaled(weights.labels);
  const auto add = [&](Key key, std::size_t row, float weight) {
    const auto plain = weights.w.subspan(row * weights.labels, weights.labels);
    for (std::size_t y = 0; y < scaled.size(); ++y) scaled[y] = weight * plain[y];
    rows.add(key, static_cast<std::uint32_t>(row), scaled, weights.threshold);
  };
  add(constant_key(), all.constant_row(), all.weights().constant);
  all.each_pair([&](std::size_t pair, FeaturePair of) {
    add(pair_key(keys[of.first], keys[of.second]), all.pair_row(pair), all.weight(of));
  });
  Members members;
  ByteWriter row_names;
  for (const std::uint32_t row : rows.write("conj", weights.labels, out)) {
    if (row == all.constant_row()) {
      row_names.put_varint(0);
      continue;
    }
    const FeaturePair of = all.pair(row - all.pair_row(0));
    // One more than the number, as 0 is the constant.
    row_names.put_varint(members.number(of.first, keys[of.first]) + 1u);
    row_names.put_varint(members.number(of.second, keys[of.second]) + 1u);
  }
  out.add("conj.names", row_names.take());
  members.write(names, out);
}

void write_conjunctions(const HashedConjunctions& all, const FeatureNames& names, const SavedWeights& weights,
                        ModelWriter& out) {
  RowTableBuilder rows;
  for (std::size_t row = all.features(); row < all.rows(); ++row) {
    const auto number = static_cast<std::uint32_t>(row - all.features());
    rows.add(hashed_key(number), number, weights.w.subspan(row * weights.labels, weights.labels),
             weights.threshold);
  }
  rows.write("conj", weights.labels, out);
  out.add_array("conj.weights", std::span<const float>(all.weights()));
  // A feature that training did not see has no conjunctions, whatever row they fall into.
  Members members;
  for (std::uint32_t f = 0; f < all.features(); ++f) members.number(f, all.keys()[f]);
  members.write(names, out);
}

std::string conjunction_text(std::vector<std::string> features) {
  if (features.empty()) return "(constant)";
  if (features.size() == 2 && features[0] == features[1]) return features[0] + " ^2";
  std::ranges::sort(features);
  return join(features, " & ");
}

std::string ConjunctionNames::text(std::size_t row, const std::vector<Template>& templates) const {
  if (row >= rows.size()) return fmt::format("hashed row {}", row);
  if (rows[row].first == kConstant) return conjunction_text({});
  return conjunction_text(
      {members.text(rows[row].first, templates), members.text(rows[row].second, templates)});
}

ConjunctionNames read_conjunction_names(const ModelFile& file, const std::vector<Template>& templates) {
  ConjunctionNames names;
  if (is_linear(file)) return names;
  ByteReader members(file.section("member.names"), "feature names");
  names.members = FeatureNames::load(members, templates);
  if (file.description().whole("kernel_bits") > 0) return names;
  for (ByteReader rows(file.section("conj.names"), "names of conjunctions"); !rows.at_end();) {
    const std::uint64_t first = rows.get_varint();
    const std::uint64_t second = first == 0 ? 0 : rows.get_varint();
    if (std::max(first, second) > names.members.size() || (first == 0) != (second == 0))
      fail<ModelError>("{}: the names of conjunctions are damaged; train it again", file.name());
    names.rows.emplace_back(static_cast<std::uint32_t>(first - 1), static_cast<std::uint32_t>(second - 1));
  }
  return names;
}

ConjunctionTable::ConjunctionTable(const ModelFile& file, std::size_t labels)
    : bits_(file.description().whole("kernel_bits")),
      valued_(file.description().flag("kernel_valued")),
      attributes_(parse_format(file.description().text("format", "auto")) == ColumnFormat::kAttributes) {
  if (is_linear(file)) return;
  members_ = KeyIndex(file.array<Key>("member.slots"), file.array<std::uint32_t>("member.numbers"));
  rows_.emplace(file, "conj", labels);
  if (bits_ == 0) return;
  const auto weights = file.array<float>("conj.weights");
  if (bits_ < 0 || bits_ > 32 || weights.size() < 3 || weights.size() > 5)
    fail<ModelError>("{}: the kernel is damaged; train it again", file.name());
  weights_.assign(weights.begin(), weights.end());
}

void ConjunctionTable::collect(std::span<const Key> keys, const float* values, Scratch& scratch) const {
  scratch.keys.clear();
  scratch.values.clear();
  scratch.places.clear();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == kAbsent || members_.find(keys[k]) == KeyIndex::kNone) continue;
    const float value = values == nullptr ? 1.0f : values[k];
    if (attributes_) {
      const auto same = std::ranges::find(scratch.keys, keys[k]);
      if (same != scratch.keys.end()) {
        scratch.values[static_cast<std::size_t>(same - scratch.keys.begin())] += value;
        continue;
      }
    }
    scratch.keys.push_back(keys[k]);
    scratch.values.push_back(value);
    scratch.places.push_back(k);
  }
}

// Most pairs are not in the table; memory, not arithmetic, is the bottleneck: all slots
// of a token are prefetched, then all rows.
void ConjunctionTable::add_to(std::span<const Key> keys, const float* values, Scratch& scratch,
                              float* sums) const {
  collect(keys, values, scratch);
  const RowTable rows = *rows_;
  scratch.found.clear();
  scratch.wanted.clear();
  const auto look_up = [&] {
    for (const auto& [key, value] : scratch.wanted) {
      const RowTable::Row row = rows.find(key);
      if (row.empty()) continue;
      __builtin_prefetch(row.data());
      scratch.found.emplace_back(row, value);
    }
    scratch.wanted.clear();
  };
  constexpr std::size_t kAtOnce = 256;  // slots that fit the first cache
  each_key(scratch, [&](Key key, float value, auto) {
    rows.prefetch(key);
    scratch.wanted.emplace_back(key, value);
    if (scratch.wanted.size() == kAtOnce) look_up();
  });
  look_up();
  for (const auto& [row, value] : scratch.found) rows.add_to(row, value, sums);
}

}  // namespace hinge::tag
