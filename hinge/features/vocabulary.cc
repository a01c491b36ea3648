#include "hinge/features/vocabulary.h"

#include <algorithm>
#include <numeric>

namespace hinge {

Vocabulary Vocabulary::of(std::vector<Key> keys) {
  Vocabulary vocabulary;
  vocabulary.keys_ = std::move(keys);
  const std::size_t size = vocabulary.keys_.size();
  for (std::uint32_t id = 0; id < size; ++id) vocabulary.ids_.add(vocabulary.keys_[id], id);
  vocabulary.counts_.resize(size);
  vocabulary.kept_ = size;
  return vocabulary;
}

std::uint32_t Vocabulary::intern(Key key, std::uint32_t count) {
  const auto [id, is_new] = ids_.add(key, static_cast<std::uint32_t>(keys_.size()));
  if (is_new) {
    keys_.push_back(key);
    counts_.push_back(0);
  }
  counts_[id] += count;
  return id;
}

bool Vocabulary::keep(Key key) {
  const auto [id, is_new] = ids_.add(key, static_cast<std::uint32_t>(keys_.size()));
  if (!is_new) return false;
  keys_.push_back(key);
  counts_.push_back(0);
  kept_ = keys_.size();
  return true;
}

std::uint32_t Vocabulary::find(Key key) const { return ids_.find(key); }

std::vector<std::uint32_t> Vocabulary::prune(std::int64_t min_count) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t id = 0; id < keys_.size(); ++id) {
    if (id < kept_ || counts_[id] >= min_count) kept.push_back(id);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return counts_[a] > counts_[b]; });
  std::vector<std::uint32_t> new_ids(keys_.size(), kUnknown);
  std::vector<Key> keys(kept.size());
  std::vector<std::uint32_t> counts(kept.size());
  for (std::uint32_t id = 0; id < kept.size(); ++id) {
    new_ids[kept[id]] = id;
    keys[id] = keys_[kept[id]];
    counts[id] = counts_[kept[id]];
  }
  keys_ = std::move(keys);
  counts_ = std::move(counts);
  ids_.renumber(new_ids);
  return new_ids;
}

void FeatureNames::begin_record(std::size_t template_index, std::size_t values) {
  begin_.push_back(static_cast<std::uint32_t>(records_.size()));
  records_.push_back(static_cast<std::uint32_t>(values));
  records_.push_back(static_cast<std::uint32_t>(template_index));
}

void FeatureNames::record_value(std::string_view text) {
  const auto [number, is_new] = value_ids_.add(hash_text(text), static_cast<std::uint32_t>(values_.size()));
  if (is_new) values_.emplace_back(text);
  records_.push_back(number);
}

void FeatureNames::record(std::size_t template_index, const Template& t, const Extractor& extractor,
                          std::size_t token) {
  begin_record(template_index, t.items.size());
  for (const TemplateItem& item : t.items) {
    const Key key = extractor.value_key(item, token);
    const auto [id, is_new] = value_ids_.add(key, static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.push_back(extractor.value_text(item, token));
    records_.push_back(id);
  }
}

void FeatureNames::record(std::string_view name) {
  begin_.push_back(static_cast<std::uint32_t>(records_.size()));
  records_.insert(records_.end(), {1, 0, static_cast<std::uint32_t>(values_.size())});
  values_.emplace_back(name);
}

void FeatureNames::record(std::size_t template_index, std::span<const std::string> values) {
  begin_record(template_index, values.size());
  for (const std::string& value : values) record_value(value);
}

void FeatureNames::record(const FeatureNames& other, std::uint32_t id, std::size_t template_index) {
  const auto values = other.record_of(id).subspan(1);
  begin_record(template_index, values.size());
  for (const std::uint32_t value : values) record_value(other.values_[value]);
}

Key FeatureNames::key(std::uint32_t id, const std::vector<Template>& templates) const {
  const auto record = record_of(id);
  Key key = template_key(templates[record[0]]);
  for (const std::uint32_t value : record.subspan(1)) key = combine(key, hash_text(values_[value]));
  return key;
}

std::vector<Template> FeatureNames::attribute_templates() {
  return {{.source = {}, .line = 0, .literals = {"", ""}, .items = {{.view = 0, .row = 0}}}};
}

void FeatureNames::renumber(const std::vector<std::uint32_t>& new_ids) {
  std::vector<std::uint32_t> begin(begin_.size());
  std::size_t kept = 0;
  for (std::size_t id = 0; id < new_ids.size(); ++id) {
    if (new_ids[id] == Vocabulary::kUnknown) continue;
    begin[new_ids[id]] = begin_[id];
    ++kept;
  }
  begin.resize(kept);
  begin_ = std::move(begin);
}

std::span<const std::uint32_t> FeatureNames::record_of(std::uint32_t id) const {
  const std::uint32_t begin = begin_[id];
  return std::span(records_).subspan(begin + 1, records_[begin] + 1);
}

std::string FeatureNames::text(std::uint32_t id, const std::vector<Template>& templates) const {
  const auto record = record_of(id);
  const Template& t = templates[record[0]];
  std::string name = t.literals[0];
  for (std::size_t k = 0; k < t.items.size(); ++k) name += values_[record[k + 1]] + t.literals[k + 1];
  return name;
}

std::vector<std::string> FeatureNames::values(std::uint32_t id) const {
  std::vector<std::string> texts;
  for (const std::uint32_t value : record_of(id).subspan(1)) texts.push_back(values_[value]);
  return texts;
}

void FeatureNames::write(std::span<const std::uint32_t> ids, ByteWriter& out) const {
  std::vector<std::uint32_t> new_values(values_.size(), Vocabulary::kUnknown);
  std::vector<std::uint32_t> used;
  ByteWriter records;
  for (const std::uint32_t id : ids) {
    const auto record = record_of(id);
    records.put_varint(record[0]);
    for (const std::uint32_t value : record.subspan(1)) {
      if (new_values[value] == Vocabulary::kUnknown) {
        new_values[value] = static_cast<std::uint32_t>(used.size());
        used.push_back(value);
      }
      records.put_varint(new_values[value]);
    }
  }
  out.put_varint(used.size());
  for (const std::uint32_t value : used) out.put(std::string_view(values_[value]));
  out.put_varint(ids.size());
  out.put(std::string_view(records.bytes()));
}

std::string FeatureNames::bytes() const {
  std::vector<std::uint32_t> all(size());
  std::iota(all.begin(), all.end(), 0u);
  ByteWriter out;
  write(all, out);
  return out.take();
}

FeatureNames FeatureNames::load(ByteReader& in, const std::vector<Template>& templates) {
  std::vector<std::size_t> counts;
  for (const Template& t : templates) counts.push_back(t.items.size());
  return load(in, counts);
}

FeatureNames FeatureNames::load(ByteReader& in, std::span<const std::size_t> counts) {
  FeatureNames names;
  const auto values = in.get_varint();
  for (std::uint64_t i = 0; i < values; ++i) names.values_.emplace_back(in.get_text());
  const auto count = in.get_varint();
  ByteReader records(in.get_text(), "feature names");
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto index = records.get_varint();
    if (index >= counts.size()) fail<ModelError>("the feature names of the model are damaged; train again");
    names.begin_record(index, counts[index]);
    for (std::size_t k = 0; k < counts[index]; ++k) {
      const auto value = records.get_varint();
      if (value >= values) fail<ModelError>("the feature names of the model are damaged; train again");
      names.records_.push_back(static_cast<std::uint32_t>(value));
    }
  }
  return names;
}

}  // namespace hinge
