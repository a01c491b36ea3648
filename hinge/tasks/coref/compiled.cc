#include "hinge/tasks/coref/compiled.h"

#include <algorithm>

namespace hinge::coref {
namespace {

// What is small, as it is stored.
struct Record {
  DocumentCounts counts;
  std::vector<Key> frequent, features;
  std::string names;            // of features
  std::vector<float> detector;  // its weights
  std::uint64_t fingerprint = 0;
  std::optional<RowNames> row_names;  // of hashed features

  void visit(State& state) {
    state(counts, frequent, features, names, detector, fingerprint);
    if (row_names) state(*row_names);
  }
};

bool fits(const DocumentParts& parts, std::size_t documents) {
  const DocumentSet& data = parts.data;
  const std::size_t mentions = data.mentions.size();
  return data.starts.size() == documents + 1 && data.fields.size() == mentions &&
         data.clusters.size() == mentions && data.anaphoric.size() == mentions &&
         data.begin.size() == mentions + documents && data.relations.size() == data.heads.size() &&
         std::ranges::is_sorted(parts.plan.frequent.keys()) &&
         parts.plan.detector.weights().size() == Detector::dimension() &&
         parts.plan.layout.dictionary().size() == parts.features.keys.size() &&
         parts.features.names.size() == parts.features.keys.size();
}

}  // namespace

void write_parts(const DocumentParts& parts, BlockCacheWriter& out) {
  const auto copy = [](const auto& values) { return std::vector(values.begin(), values.end()); };
  Record record{.counts = parts.counts,
                .frequent = copy(parts.plan.frequent.keys()),
                .features = parts.features.keys,
                .names = parts.features.names.bytes(),
                .detector = copy(parts.plan.detector.weights()),
                .fingerprint = *parts.fingerprint,
                .row_names = parts.names};
  if (parts.plan.gold_mentions) record.detector.clear();
  out.add_state(record);
  out.add_columns(parts.data, parts.data.size());
  out.write();
}

DocumentParts open_parts(std::shared_ptr<BlockCache> cache, const CorefOptions& options) {
  Record record;
  if (options.names) record.row_names.emplace();
  cache->read_state(record);
  DocumentParts parts{.plan = plan_of(options),
                      .features = {},
                      .names = std::move(record.row_names),
                      .data = {},
                      .counts = record.counts,
                      .fingerprint = record.fingerprint,
                      .cache = cache};
  parts.plan.frequent = FrequentWords(std::move(record.frequent));
  if (!parts.plan.gold_mentions) parts.plan.detector = Detector(std::move(record.detector));
  if (!parts.plan.layout.hashed()) {
    ByteReader names(record.names, "feature names");
    parts.features = {std::move(record.features),
                      FeatureNames::load(names, value_counts(parts.plan.templates))};
    parts.plan.layout = Layout(index_of(parts.features.keys));
  }
  cache->read_columns(parts.data, cache);
  parts.data.use.set(cache);
  if (!fits(parts, cache->examples())) cache->refuse("has columns that do not fit each other");
  return parts;
}

}  // namespace hinge::coref
