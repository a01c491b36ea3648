#include "hinge/tasks/summarize/compiled.h"

namespace hinge::summarize {
namespace {

// What is small, as it is stored.
struct Record {
  Phrases& phrases;
  TopicCounts& counts;
  std::uint64_t fingerprint = 0;

  void visit(State& state) { state(phrases, counts, fingerprint); }
};

bool fits(const TopicSet& data, std::size_t topics) {
  const std::size_t pieces = data.pieces.size(), bigrams = data.keys.size();
  return data.starts.size() == topics + 1 && data.facts.size() == topics && data.origins.size() == pieces &&
         data.piece_rows.size() == pieces * data.layout.piece() && data.costs.size() == pieces &&
         data.gold.size() == pieces && data.bigram_rows.size() == bigrams * data.layout.bigrams &&
         data.gains.size() == bigrams;
}

}  // namespace

void write_parts(TopicParts& parts, BlockCacheWriter& out) {
  Record record{parts.plan.phrases, parts.counts, *parts.fingerprint};
  out.add_state(record);
  out.add_columns(parts.data, parts.data.size());
  out.write();
}

TopicParts open_parts(std::shared_ptr<BlockCache> cache, const SummarizeOptions& options) {
  TopicParts parts(options);
  Record record{parts.plan.phrases, parts.counts};
  cache->read_state(record);
  parts.fingerprint = record.fingerprint;
  cache->read_columns(parts.data, cache);
  parts.data.use.set(cache);
  if (!fits(parts.data, cache->examples())) cache->refuse("has columns that do not fit each other");
  parts.cache = std::move(cache);
  return parts;
}

}  // namespace hinge::summarize
