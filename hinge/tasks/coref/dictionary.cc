#include "hinge/tasks/coref/dictionary.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/tasks/coref/scorer.h"

namespace hinge::coref {
namespace {

// A feature where a document first has it.
struct Found {
  Key key;
  std::uint32_t count;
  std::uint32_t kind;                // of its name
  std::uint32_t mention, candidate;  // into DocumentView::candidates, or kStart
};
constexpr std::uint32_t kStart = 0xFFFFFFFF;

// The features of one document. Most occur many times, so they are counted here, in a
// small table, before they get into the large one.
std::vector<Found> features_of(const DocumentView& data, const TemplateSet& templates, Seen seen) {
  const Layout none(/*hash_bits=*/0);
  Scorer scorer(templates, none);
  scorer.prepare(data);
  KeyIndex index;
  std::vector<Found> all;
  for (std::uint32_t m = 0; m < data.size(); ++m) {
    if (m % 64 == 0) check_interrupt();
    const auto add = [&](std::size_t kind, Key key, std::uint32_t candidate) {
      const std::uint32_t number = index.add(key);
      if (number == all.size()) all.push_back({key, 0, static_cast<std::uint32_t>(kind), m, candidate});
      ++all[number].count;
    };
    for (std::uint32_t c = data.begin[m]; c < data.begin[m + 1]; ++c) {
      if (seen == Seen::kGold && !data.candidates[c].gold) continue;
      scorer.each_pair_key(m, data.candidates[c], [&](std::size_t kind, Key key) { add(kind, key, c); });
    }
    if (seen == Seen::kGold && data.anaphoric[m] != 0) continue;
    scorer.each_start_key(m, [&](std::size_t t, Key key) { add(start_kind(templates, t), key, kStart); });
  }
  return all;
}

// use(document, feature) for the features of each document, in order; they are found on all threads.
template <typename Use>
void each_found(const DocumentSet& documents, const TemplateSet& templates, Seen seen, Workers& workers,
                const Use& use) {
  const std::size_t round = 4 * static_cast<std::size_t>(workers.threads());
  std::vector<std::vector<Found>> found(round);
  for (std::size_t begin = 0; begin < documents.size(); begin += round) {
    const std::size_t n = std::min(round, documents.size() - begin);
    each_until_error(workers, n, [&](std::size_t i) {
      found[i] = features_of(documents[begin + i], templates, seen);
    }).rethrow();
    for (std::size_t i = 0; i < n; ++i) {
      const DocumentView data = documents[begin + i];
      for (const Found& feature : found[i]) use(data, feature);
    }
  }
}

void values_of(const Found& feature, const DocumentView& data, const TemplateSet& templates,
               const ValueTexts& texts, std::vector<std::string>& values) {
  find_values(templates, feature.kind, data, feature.mention,
              feature.candidate == kStart ? nullptr : &data.candidates[feature.candidate], texts, values);
}

}  // namespace

Dictionary find_features(const DocumentSet& documents, const TemplateSet& templates, const ValueTexts& texts,
                         Seen seen, const Dictionary& known, Workers& workers) {
  Vocabulary vocabulary;
  FeatureNames names;
  for (std::uint32_t id = 0; id < known.keys.size(); ++id) {
    if (vocabulary.keep(known.keys[id])) names.record(known.names, id, known.names.template_of(id));
  }
  std::vector<std::string> values;
  each_found(documents, templates, seen, workers, [&](const DocumentView& data, const Found& feature) {
    if (vocabulary.intern(feature.key, feature.count) < names.size()) return;
    values_of(feature, data, templates, texts, values);
    names.record(feature.kind, values);
  });
  names.renumber(vocabulary.prune(/*min_count=*/1));
  return {vocabulary.keys(), std::move(names)};
}

RowNames name_weights(const DocumentSet& documents, const TemplateSet& templates, const ValueTexts& texts,
                      const Layout& layout, const RowNames& known, Workers& workers) {
  RowNames names;
  names.keep(known, [&](Key key) { return layout.id(key); });
  std::vector<std::string> values;
  each_found(documents, templates, Seen::kAll, workers, [&](const DocumentView& data, const Found& feature) {
    names.meet(layout.id(feature.key), feature.key, [&] {
      values_of(feature, data, templates, texts, values);
      return feature_text(templates, feature.kind, values);
    });
  });
  return names;
}

KeyIndex index_of(const std::vector<Key>& keys) {
  KeyIndex index;
  for (const Key key : keys) index.add(key);
  return index;
}

void write_dictionary(const Dictionary& dictionary, const Weights& w, ModelWriter& out) {
  std::vector<Key> keys;
  std::vector<float> weights;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < dictionary.keys.size(); ++id) {
    if (w[id] == 0.0f) continue;
    ids.push_back(id);
    keys.push_back(dictionary.keys[id]);
    weights.push_back(w[id]);
  }
  if (weights.empty()) weights.push_back(0.0f);
  const KeyIndex index = index_of(keys);
  ByteWriter names;
  dictionary.names.write(ids, names);
  out.add_array("weights", std::span<const float>(weights));
  out.add_array("keys", index.slots());
  out.add_array("rows", index.numbers());
  out.add("names", names.take());
}

KeyIndex read_index(const ModelFile& file) {
  return {file.array<Key>("keys"), file.array<std::uint32_t>("rows")};
}

Dictionary read_dictionary(const ModelFile& file, const TemplateSet& templates) {
  ByteReader in(file.section("names"), "feature names");
  Dictionary dictionary{.keys = {}, .names = FeatureNames::load(in, value_counts(templates))};
  const KeyIndex index = read_index(file);
  if (dictionary.names.size() != index.size())
    fail<ModelError>("{}: its feature names are damaged; train it again", file.name());
  dictionary.keys.resize(index.size());
  index.each([&](Key key, std::uint32_t id) { dictionary.keys[id] = key; });
  return dictionary;
}

}  // namespace hinge::coref
