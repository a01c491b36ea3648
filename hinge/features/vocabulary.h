// Feature keys <-> dense ids, with counts; and the names of features, for inspecting
// a model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/features/extractor.h"
#include "hinge/features/hash.h"
#include "hinge/files/bytes.h"

namespace hinge {

class Vocabulary {
 public:
  static constexpr std::uint32_t kUnknown = NumberMap::kNone;

  // Of different keys in the order of their ids; prune() drops none of them.
  static Vocabulary of(std::vector<Key> keys);

  // The id of a key, in order of appearance; counts its occurrences.
  std::uint32_t intern(Key key, std::uint32_t count = 1);
  std::uint32_t find(Key key) const;  // kUnknown if missing
  // Adds a key that prune() never drops; call it before the first intern(). False if
  // the key is there already.
  bool keep(Key key);

  std::size_t size() const { return keys_.size(); }
  Key key(std::uint32_t id) const { return keys_[id]; }
  const std::vector<Key>& keys() const { return keys_; }
  std::uint32_t count(std::uint32_t id) const { return counts_[id]; }
  std::size_t kept() const { return kept_; }  // how many of the first keys prune() never drops

  // Drops keys that occurred less than min_count times and are not kept, and renumbers
  // the rest by falling count, so that the weights used most are close together. Returns
  // the new id of each old id, or kUnknown.
  std::vector<std::uint32_t> prune(std::int64_t min_count);

 private:
  NumberMap ids_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> counts_;
  std::size_t kept_ = 0;  // how many of the first keys are never dropped
};

// Names stored as template and values; each value is stored once.
class FeatureNames {
 public:
  // Records the name of the next id, which `extractor` has just extracted at `token`.
  void record(std::size_t template_index, const Template& t, const Extractor& extractor, std::size_t token);
  // The same for an attribute, which is its own name.
  void record(std::string_view name);
  // The same for values given as texts.
  void record(std::size_t template_index, std::span<const std::string> values);
  // Copies a name from another set; here its template is template_index.
  void record(const FeatureNames& other, std::uint32_t id, std::size_t template_index);
  void renumber(const std::vector<std::uint32_t>& new_ids);

  std::size_t size() const { return begin_.size(); }
  std::size_t template_of(std::uint32_t id) const { return record_of(id)[0]; }
  Key key(std::uint32_t id, const std::vector<Template>& templates) const;
  std::string text(std::uint32_t id, const std::vector<Template>& templates) const;
  std::vector<std::string> values(std::uint32_t id) const;

  // Only the names of `ids`, in that order.
  void write(std::span<const std::uint32_t> ids, ByteWriter& out) const;
  std::string bytes() const;  // of all, as write() gives them
  static FeatureNames load(ByteReader& in, const std::vector<Template>& templates);
  // counts: [templates], how many values each has.
  static FeatureNames load(ByteReader& in, std::span<const std::size_t> counts);

  // The templates of attributes: just one, the name itself.
  static std::vector<Template> attribute_templates();

 private:
  std::span<const std::uint32_t> record_of(std::uint32_t id) const;
  void begin_record(std::size_t template_index, std::size_t values);
  void record_value(std::string_view text);

  std::vector<std::string> values_;
  NumberMap value_ids_;
  std::vector<std::uint32_t> records_;  // number of items, template, one value per item
  std::vector<std::uint32_t> begin_;    // [ids], into records_
};

}  // namespace hinge
