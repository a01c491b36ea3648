#include "hinge/tasks/classify/data.h"

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/features/merged_vocabulary.h"

namespace hinge::classify {
namespace {

// Calls id_of(feature) for the features of every text; kUnknown are left out.
// after(text) is called when a text was added.
template <typename Id, typename After>
void read_all(TextReader& reader, FeatureFinder& finder, Corpus& corpus, const Id& id_of,
              const After& after) {
  TextData& data = corpus.data;
  while (reader.next()) {
    check_interrupt();
    data.gold.push_back(corpus.labels.intern(reader.label()));
    const std::span<const Key> found = finder.find(reader.text());
    for (const Key feature : found) {
      const std::uint32_t id = id_of(feature);
      if (id != Vocabulary::kUnknown) data.ids.push_back(id);
    }
    data.begin.push_back(data.ids.size());
    data.values.push_back(value_of_each(found.size()));
    corpus.own.count(reader.part());
    after(reader.text());
  }
  corpus.format = reader.format();
}

void check_corpus(const Corpus& corpus, const Source& source) {
  if (corpus.size() > 0) return;
  fail<InputError>("{}: has no texts; expected one per line, with its label",
                   source.parts.empty() ? source.name() : source.files().back());
}

// Names the features that the last text added to the vocabulary.
void name_new_features(std::string_view text, FeatureFinder& finder, Features& features) {
  const std::size_t before = features.names.size();
  if (features.vocabulary.size() == before) return;
  features.names.resize(features.vocabulary.size());
  finder.each(text, [&](Key key, const FeatureFinder::Place& place) {
    const std::uint32_t id = features.vocabulary.find(key);
    if (id >= before && features.names[id].empty()) features.names[id] = finder.name(place);
  });
}

// Names the rows of the text's features.
void name_rows(std::string_view text, FeatureFinder& finder, Features& features) {
  finder.each(text, [&](Key row, const FeatureFinder::Place& place) {
    features.row_names.meet(static_cast<std::uint32_t>(row), place.key,
                            [&] { return shown_name(finder.name(place)); });
  });
}

// Drops rare features and renumbers the rest by falling count.
void prune_vocabulary(std::int64_t min_count, Communicator& ranks, Features& features, TextData& data) {
  const MergedKeys merged = merge_and_prune(features.vocabulary, min_count, ranks);
  merge_names(features.names, merged, ranks);
  const std::vector<std::uint32_t>& new_ids = merged.new_ids;
  std::size_t kept = 0;
  std::size_t from = 0;
  for (std::size_t i = 1; i < data.begin.size(); ++i) {
    for (; from < data.begin[i]; ++from) {
      const std::uint32_t id = new_ids[data.ids[from]];
      if (id != Vocabulary::kUnknown) data.ids[kept++] = id;
    }
    data.begin[i] = kept;
  }
  data.ids.resize(kept);
  data.ids.shrink_to_fit();
}

// Reads this rank's texts; ids of features are those of this rank.
void read_texts(TextReader& reader, const ClassifyOptions& options, const Known& known, Features& features,
                Corpus& corpus) {
  FeatureFinder finder(features.kinds);
  if (features.kinds.hash_bits > 0) {
    const std::int64_t bits = features.kinds.hash_bits;
    if (options.names)
      features.row_names.keep(known.row_names, [bits](Key key) { return hashed_row(key, bits); });
    return read_all(
        reader, finder, corpus, [](Key row) { return static_cast<std::uint32_t>(row); },
        [&](std::string_view text) {
          if (options.names) name_rows(text, finder, features);
        });
  }
  features.vocabulary.keep(kBiasKey);  // even if there are fewer texts than min_count
  features.names.emplace_back();
  for (const std::string& name : known.names) {
    if (features.vocabulary.keep(key_of(name))) features.names.push_back(name);
  }
  read_all(
      reader, finder, corpus, [&](Key key) { return features.vocabulary.intern(key); },
      [&](std::string_view text) { name_new_features(text, finder, features); });
}

// The format of a text whose parts are read by themselves: its first line decides.
TextFormat read_format(const Source& source, const TextFormat& wanted) {
  TextReader reader(source, wanted, /*labelled=*/true);
  reader.next();
  return reader.format();
}

// What ranks read -> what one process reads.
void merge_texts(const ClassifyOptions& options, Features& features, Corpus& corpus) {
  Communicator& ranks = corpus.own.ranks();
  const std::vector<std::uint16_t> numbers = merge_labels(corpus.labels, ranks);
  for (std::uint16_t& label : corpus.data.gold) label = numbers[label];
  if (features.kinds.hash_bits > 0)
    features.row_names.merge(ranks);
  else
    prune_vocabulary(options.min_count, ranks, features, corpus.data);
  const TextData& data = corpus.data;
  corpus.all_data = corpus.own.fingerprint([&data](std::size_t begin, std::size_t end, Fingerprint& print) {
    for (std::size_t i = begin; i < end; ++i) print.add(data.features(i));
    print.add(std::span(data.values).subspan(begin, end - begin));
    print.add(std::span(data.gold).subspan(begin, end - begin));
  });
}

}  // namespace

Known read_known(const ModelFile& file) {
  require_task(file, "classify");
  return {.labels = read_labels(file.description()),
          .names = read_names(file),
          .row_names = RowNames::read(file, kRowNames)};
}

void Corpus::add_to(Fingerprint& print) const {
  if (own.is_cut()) return print.add(all_data);
  print.add(data.begin);
  print.add(data.ids);
  print.add(data.values);
  print.add(data.gold);
}

Corpus read_training(const Source& source, const ClassifyOptions& options, const Known& known,
                     Features& features, SpillSpace* space) {
  check_names(options.names, features.kinds.hash_bits > 0);
  Corpus corpus{.format = {}, .labels = known.labels, .data = {}, .own = {}};
  if (space != nullptr)
    spill_columns(corpus.data, *space);  // of a cache, which one rank makes
  else
    corpus.own = OwnShards::of(source);
  agree_on(corpus.own.ranks(), [&] {
    const TextFormat wanted{parse_format(options.format), options.label_prefix};
    if (!corpus.own.is_cut()) {
      TextReader reader(source, wanted, /*labelled=*/true);
      return read_texts(reader, options, known, features, corpus);
    }
    TextReader reader(source, corpus.own.input(), read_format(source, wanted), /*labelled=*/true);
    read_texts(reader, options, known, features, corpus);
  });
  corpus.own.finish();
  check_corpus(corpus, source);
  merge_texts(options, features, corpus);
  return corpus;
}

Corpus read_labelled(const Source& source, const TextFormat& format, const LabelSet& labels,
                     const Features& features) {
  Corpus corpus{.format = {}, .labels = labels, .data = {}, .own = {}};
  TextReader reader(source, format, /*labelled=*/true);
  FeatureFinder finder(features.kinds);
  const bool hashed = features.kinds.hash_bits > 0;
  read_all(
      reader, finder, corpus,
      [&](Key feature) {
        return hashed ? static_cast<std::uint32_t>(feature) : features.vocabulary.find(feature);
      },
      [](std::string_view) {});
  check_corpus(corpus, source);
  return corpus;
}

}  // namespace hinge::classify
