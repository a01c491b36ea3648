#include "hinge/tasks/classify/compiled.h"

namespace hinge::classify {
namespace {

// What is small, as it is stored.
struct Record {
  std::string format, label_prefix;
  std::vector<std::string> labels, names;
  std::vector<Key> keys;
  std::uint64_t fingerprint = 0;
  bool named = false;  // whether there are
  RowNames row_names;

  void visit(State& state) {
    state(format, label_prefix, labels, names, keys, fingerprint);
    if (named) state(row_names);
  }
};

}  // namespace

TextParts read_parts(const Source& source, const ClassifyOptions& options, const Known& known,
                     SpillSpace* space) {
  Features features(kinds_of(options));
  Corpus corpus = read_training(source, options, known, features, space);
  return {std::move(features), std::move(corpus), std::nullopt, nullptr};
}

void write_parts(const TextParts& parts, const ClassifyOptions& options, BlockCacheWriter& out) {
  const Corpus& corpus = parts.corpus;
  Record record{.format = std::string(format_name(corpus.format.lines)),
                .label_prefix = corpus.format.label_prefix,
                .labels = corpus.labels.names(),
                .names = parts.features.names,
                .keys = parts.features.vocabulary.keys(),
                .fingerprint = *parts.fingerprint,
                .named = options.names,
                .row_names = parts.features.row_names};
  out.add_state(record);
  out.add_columns(corpus.data, corpus.data.size());
  out.write();
}

TextParts open_parts(std::shared_ptr<BlockCache> cache, const ClassifyOptions& options) {
  Record record;
  record.named = options.names;
  cache->read_state(record);
  TextParts parts{Features(kinds_of(options)), {}, record.fingerprint, cache};
  parts.features.vocabulary = Vocabulary::of(std::move(record.keys));
  parts.features.names = std::move(record.names);
  parts.features.row_names = std::move(record.row_names);
  Corpus& corpus = parts.corpus;
  corpus.format = {parse_format(record.format), record.label_prefix};
  for (const std::string& label : record.labels) corpus.labels.intern(label);
  cache->read_columns(corpus.data, cache);
  corpus.data.use.set(cache);
  const std::size_t texts = cache->examples();
  if (corpus.data.begin.size() != texts + 1 || corpus.data.values.size() != texts ||
      corpus.data.gold.size() != texts || parts.features.names.size() != parts.features.vocabulary.size())
    cache->refuse("has columns that do not fit each other");
  return parts;
}

bool is_sound(const TextParts& parts, std::size_t first, std::size_t last) {
  const TextData& data = parts.corpus.data;
  return is_rising(part_of(data.begin, first, last + 1), data.ids.size()) &&
         are_below(part_of(data.ids, data.begin[first], data.begin[last]), parts.features.count()) &&
         are_below(part_of(data.gold, first, last), parts.corpus.labels.size());
}

}  // namespace hinge::classify
