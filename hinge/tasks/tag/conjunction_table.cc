#include "hinge/tasks/tag/conjunction_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {
namespace {

// The features that rows consist of; the most common ones get the lowest numbers, as
// they have in training.
void write_members(std::span<const std::uint32_t> features, const FeatureNames& names,
                   const std::vector<Key>& keys, ModelWriter& out) {
  KeyIndex index;
  for (const std::uint32_t feature : features) index.add(keys[feature]);
  out.add_array("member.slots", index.slots());
  out.add_array("member.numbers", index.numbers());
  ByteWriter bytes;
  names.write(features, bytes);
  out.add("member.names", bytes.take());
}

constexpr std::size_t kColumns = 8;  // that are added up at a time

// The pairs with weights to be saved.
class SavedPairs {
 public:
  SavedPairs(const Conjunctions& all, const SavedWeights& weights) : all_(all), weights_(weights) {
    number_.assign(all.features(), 0);
    std::vector<std::size_t> count(all.features());
    all.each_pair([&](std::size_t pair, FeaturePair of) {
      if (!is_saved(pair, of)) return;
      number_[of.first] = number_[of.second] = 1;
      ++count[of.second];
      ++total_;
    });
    std::size_t before = 0;
    for (std::uint32_t f = 0; f < all.features(); ++f) {
      if (number_[f] == 0) continue;
      number_[f] = static_cast<std::uint32_t>(members_.size());
      members_.push_back(f);
      begin_.push_back(key_at(before));
      before += count[f];
    }
    begin_.push_back(key_at(before));
  }

  const std::vector<std::uint32_t>& members() const { return members_; }
  const std::vector<Key>& begin() const { return begin_; }
  std::uint32_t number(std::uint32_t feature) const { return number_[feature]; }
  PairRange range(std::uint32_t feature) const {
    const std::uint32_t number = number_[feature];
    return {begin_[number], begin_[number + 1] - begin_[number]};
  }
  bool is_saved(std::size_t pair, FeaturePair of) const {
    const float weight = all_.weight(of);
    const auto row = weights_.w.subspan(all_.pair_row(pair) * weights_.labels, weights_.labels);
    return std::ranges::any_of(row, [&](float w) { return std::abs(weight * w) > weights_.threshold; });
  }

 private:
  // Divides all keys among the pairs.
  Key key_at(std::size_t pair) const {
    return static_cast<Key>((static_cast<Uint128>(pair) << 64) / (total_ + 1));
  }

  const Conjunctions& all_;
  const SavedWeights& weights_;
  std::size_t total_ = 0;
  std::vector<std::uint32_t> number_;  // [features]
  std::vector<std::uint32_t> members_;
  std::vector<Key> begin_;
};

bool has_conjunctions(const ModelFile& file) {
  return file.description().text("kernel", "linear") != "linear" &&
         !file.description().flag("kernel_vectors");
}

}  // namespace

void write_conjunctions(const Conjunctions& all, const FeatureNames& names, const std::vector<Key>& keys,
                        const SavedWeights& weights, ModelWriter& out) {
  const SavedPairs saved(all, weights);
  RowTableBuilder rows;
  std::vector<Key> pairs;
  std::vector<float> scaled(weights.labels);
  const auto add = [&](Key key, std::size_t row, float weight) {
    const auto plain = weights.w.subspan(row * weights.labels, weights.labels);
    for (std::size_t y = 0; y < scaled.size(); ++y) scaled[y] = weight * plain[y];
    rows.add(key, static_cast<std::uint32_t>(row), scaled, weights.threshold);
  };
  all.each_pair([&](std::size_t pair, FeaturePair of) {
    if (!saved.is_saved(pair, of)) return;
    pairs.push_back(saved.range(of.second).key(keys[of.first]));
    add(pairs.back(), all.pair_row(pair), all.weight(of));
  });
  add(kConstantKey, all.constant_row(), all.weights().constant);
  ByteWriter row_names;
  for (const std::uint32_t row : rows.write("conj", weights.labels, out)) {
    if (row == all.constant_row()) {
      row_names.put_varint(0);
      continue;
    }
    const FeaturePair of = all.pair(row - all.pair_row(0));
    // One more than the number, as 0 is the constant.
    row_names.put_varint(saved.number(of.first) + 1u);
    row_names.put_varint(saved.number(of.second) + 1u);
  }
  out.add("conj.names", row_names.take());
  out.add_array("conj.begin", std::span<const Key>(saved.begin()));
  out.add_array("conj.pairs", std::span<const std::uint64_t>(KeyFilter::words_of(pairs)));
  write_members(saved.members(), names, keys, out);
}

std::vector<std::uint32_t> write_conjunctions(const HashedConjunctions& all, const FeatureNames& names,
                                              const SavedWeights& weights, ModelWriter& out) {
  RowTableBuilder rows;
  for (std::size_t row = all.features(); row < all.rows(); ++row) {
    const auto number = static_cast<std::uint32_t>(row - all.features());
    rows.add(hashed_key(number), number, weights.w.subspan(row * weights.labels, weights.labels),
             weights.threshold);
  }
  std::vector<std::uint32_t> order = rows.write("conj", weights.labels, out);
  out.add_array("conj.weights", std::span<const float>(all.weights()));
  // A feature that training did not see has no conjunctions, whatever row they fall into.
  std::vector<std::uint32_t> features(all.features());
  std::iota(features.begin(), features.end(), 0u);
  write_members(features, names, all.keys(), out);
  return order;
}

std::string conjunction_text(std::vector<std::string> features) {
  if (features.empty()) return "(constant)";
  if (features.size() == 2 && features[0] == features[1]) return features[0] + " ^2";
  std::ranges::sort(features);
  return join(features, " & ");
}

std::string ConjunctionNames::text(std::size_t row, const std::vector<Template>& templates) const {
  if (row >= rows.size()) {
    const std::string name = hashed.text(static_cast<std::uint32_t>(row));
    return name.empty() ? fmt::format("hashed row {}", row) : name;
  }
  if (rows[row].first == kConstant) return conjunction_text({});
  return conjunction_text(
      {members.text(rows[row].first, templates), members.text(rows[row].second, templates)});
}

ConjunctionNames read_conjunction_names(const ModelFile& file, const std::vector<Template>& templates) {
  ConjunctionNames names;
  if (!has_conjunctions(file)) return names;
  ByteReader members(file.section("member.names"), "feature names");
  names.members = FeatureNames::load(members, templates);
  if (file.description().whole("kernel_bits") > 0) {
    names.hashed = RowNames::read(file, kRowNames);
    return names;
  }
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
  if (!has_conjunctions(file)) return;
  members_ = KeyIndex(file.array<Key>("member.slots"), file.array<std::uint32_t>("member.numbers"));
  rows_.emplace(file, "conj", labels);
  if (bits_ == 0) {
    pair_begin_ = file.array<Key>("conj.begin");
    const auto numbers = file.array<std::uint32_t>("member.numbers");
    const bool valid = std::ranges::all_of(
        numbers, [this](std::uint32_t number) { return number + std::size_t{1} < pair_begin_.size(); });
    const auto words = file.array<std::uint64_t>("conj.pairs");
    if (!valid || words.empty()) fail<ModelError>("{}: the kernel is damaged; train it again", file.name());
    pairs_ = KeyFilter(words);
    copy_common(labels);
    return;
  }
  const auto weights = file.array<float>("conj.weights");
  if (bits_ < 0 || bits_ > 32 || weights.size() < 3 || weights.size() > 5)
    fail<ModelError>("{}: the kernel is damaged; train it again", file.name());
  weights_.assign(weights.begin(), weights.end());
}

void ConjunctionTable::copy_common(std::size_t labels) {
  constexpr std::size_t kFloats = 1 << 18;
  stride_ = (labels + kColumns - 1) / kColumns * kColumns;
  const std::size_t members = pair_begin_.empty() ? 0 : pair_begin_.size() - 1;
  while (common_ < members && common_begin(common_ + 1) <= kFloats) ++common_;
  common_rows_.assign(common_begin(common_), 0.0f);
  std::vector<Key> keys(common_, kAbsent);
  members_.each([&](Key key, std::uint32_t number) {
    if (number < common_) keys[number] = key;
  });
  std::vector<float> row(std::max<std::size_t>(256, stride_));
  for (std::uint32_t b = 0; b < common_; ++b) {
    const PairRange range = pairs_of(b);
    for (std::uint32_t a = 0; a <= b && range.length > 0; ++a) {
      std::ranges::fill(row, 0.0f);
      rows_->add_to(rows_->find(range.key(keys[a])), 1.0f, row.data());
      std::copy_n(row.begin(), stride_,
                  common_rows_.begin() + static_cast<std::ptrdiff_t>(common_begin(b) + a * stride_));
    }
  }
}

RowTable::Row ConjunctionTable::pair(Key a, Key b) const {
  const std::uint32_t first = members_.find(a);
  const std::uint32_t second = members_.find(b);
  if (first == KeyIndex::kNone || second == KeyIndex::kNone) return {};
  return rows_->find(first < second ? pairs_of(second).key(a) : pairs_of(first).key(b));
}

void ConjunctionTable::collect(std::span<const Key> keys, const float* values, Scratch& scratch) const {
  auto& members = scratch.members;
  members.clear();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::uint32_t number = keys[k] == kAbsent ? KeyIndex::kNone : members_.find(keys[k]);
    if (number == KeyIndex::kNone) continue;
    const float value = values == nullptr ? 1.0f : values[k];
    const auto same =
        attributes_ ? std::ranges::find(members, number, &Scratch::Member::number) : members.end();
    if (same == members.end()) {
      members.push_back({number, keys[k], value, k});
    } else {
      same->value += value;
    }
  }
  std::ranges::sort(members, {}, &Scratch::Member::number);
  scratch.keys.clear();
  for (std::size_t m = 0; bits_ > 0 && m < members.size(); ++m) scratch.keys.push_back(members[m].key);
}

// Memory, not arithmetic, is the bottleneck: the slots of many conjunctions are prefetched,
// then their rows. Most pairs are not in the table, and are told by a bit.
void ConjunctionTable::add_to(std::span<const Key> keys, const float* values, Scratch& scratch,
                              float* sums) const {
  collect(keys, values, scratch);
  if (bits_ == 0) return add_pairs(scratch, sums);
  constexpr std::size_t kAtOnce = 256;  // slots that fit the first cache
  if (scratch.wanted.size() < kAtOnce) scratch.resize(kAtOnce);
  std::size_t n = 0;
  each_key(scratch, [&](Key key, float value, auto) {
    rows_->prefetch(key);
    scratch.wanted[n] = key;
    scratch.amounts[n++] = value;
    if (n < kAtOnce) return;
    add_wanted(n, scratch, sums);
    n = 0;
  });
  add_wanted(n, scratch, sums);
}

void ConjunctionTable::add_pairs(Scratch& scratch, float* sums) const {
  const auto& members = scratch.members;
  const std::size_t most = members.size() * (members.size() + 1) / 2 + 1;
  if (scratch.wanted.size() < most) scratch.resize(most);
  const RowTable rows = *rows_;
  const KeyFilter filter = pairs_;
  Key* wanted = scratch.wanted.data();
  float* amounts = scratch.amounts.data();
  std::size_t n = 0;
  wanted[n] = kConstantKey;
  amounts[n++] = 1.0f;
  const auto rare = std::ranges::lower_bound(members, common_, {}, &Scratch::Member::number);
  const auto common = static_cast<std::size_t>(rare - members.begin());
  add_common(scratch, common, sums);
  for (std::size_t b = common; b < members.size(); ++b) {
    const PairRange range = pairs_of(members[b].number);
    if (range.length == 0) continue;  // all of its pairs were pruned
    const std::size_t partners = b + (valued_ ? 1 : 0);
    for (std::size_t a = 0; a < partners; ++a) {
      wanted[n] = range.key(members[a].key);
      amounts[n] = members[a].value * members[b].value;
      n += filter.may_have(wanted[n]) ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < n; ++k) rows.prefetch(wanted[k]);
  add_wanted(n, scratch, sums);
}

void ConjunctionTable::add_common(const Scratch& scratch, std::size_t count, float* sums) const {
  const auto& members = scratch.members;
  for (std::size_t first = 0; first < stride_; first += kColumns) {
    std::array<float, kColumns> some{};  // of the sums, in registers
    for (std::size_t b = 0; b < count; ++b) {
      const float* rows = common_rows_.data() + common_begin(members[b].number) + first;
      const std::size_t partners = b + (valued_ ? 1 : 0);
      for (std::size_t a = 0; a < partners; ++a) {
        const float* row = rows + members[a].number * stride_;
        const float value = members[a].value * members[b].value;
        for (std::size_t c = 0; c < kColumns; ++c) some[c] += value * row[c];
      }
    }
    for (std::size_t c = 0; c < kColumns; ++c) sums[first + c] += some[c];
  }
}

void ConjunctionTable::add_wanted(std::size_t n, Scratch& scratch, float* sums) const {
  const RowTable rows = *rows_;
  std::size_t found = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const RowTable::Row row = rows.find(scratch.wanted[k]);
    if (row.empty()) continue;
    __builtin_prefetch(row.data());
    scratch.found[found] = row;
    scratch.amounts[found++] = scratch.amounts[k];
  }
  for (std::size_t k = 0; k < found; ++k) rows.add_to(scratch.found[k], scratch.amounts[k], sums);
}

}  // namespace hinge::tag
