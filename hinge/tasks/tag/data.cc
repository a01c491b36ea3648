#include "hinge/tasks/tag/data.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/features/merged_vocabulary.h"

namespace hinge::tag {
namespace {

constexpr std::size_t kMostLabels = 4096;
constexpr LabelId kEvery = 0xFFFF;  // stands for all labels

void extract(Extractor& extractor, const TagReader& reader, FeatureKeys& keys) {
  try {
    extractor.extract(reader.cells(), keys);
  } catch (const NotANumber& wrong) {
    fail<InputError>("{}: '{}' is not a number, but a template reads it with %v; check the column",
                     reader.where(wrong.token), wrong.cell);
  }
}

// Appends one sentence's features to the data. `node_id` and `edge_id` map (key,
// template, token) to an id or kUnknown.
class SentenceWriter {
 public:
  SentenceWriter(const Features& features, ChainData& data) : features_(features), data_(data) {
    for (std::size_t k = 0; k < features.model.templates().nodes.size(); ++k) node_templates_.push_back(k);
  }

  template <typename NodeId, typename EdgeId>
  void append(const FeatureKeys& keys, std::size_t tokens, const NodeId& node_id, const EdgeId& edge_id) {
    const std::size_t nodes = features_.model.templates().nodes.size();
    const std::size_t edges = features_.model.templates().edges.size();
    for (std::size_t t = 0; t < tokens; ++t) {
      add(keys.nodes, keys.node_values, t, nodes, node_templates_, node_id, data_.node_ids,
          data_.node_values);
      data_.node_begin.push_back(data_.node_ids.size());
      // No pair ends at the first token.
      if (t > 0)
        add(keys.edges, keys.edge_values, t, edges, features_.edge_templates, edge_id, data_.edge_ids,
            data_.edge_values);
      data_.edge_begin.push_back(data_.edge_ids.size());
    }
    data_.sentence_begin.push_back(data_.sentence_begin.back() + tokens);
  }

  // Attributes: `id_of(rows, k)` gives the id of attribute k or kUnknown.
  template <typename Id>
  void append(const AttributeRows& rows, const Id& id_of) {
    for (std::size_t t = 0; t < rows.tokens(); ++t) {
      for (std::size_t k = rows.begin[t]; k < rows.begin[t + 1]; ++k) {
        const std::uint32_t id = rows.values[k] == 0.0f ? Vocabulary::kUnknown : id_of(rows, k);
        if (id == Vocabulary::kUnknown) continue;
        if (rows.values[k] != 1.0f && !has_values_) {  // values are stored only if some differ from one
          has_values_ = true;
          data_.node_values.assign(data_.node_ids.size(), 1.0f);
        }
        data_.node_ids.push_back(id);
        if (has_values_) data_.node_values.push_back(rows.values[k]);
      }
      data_.node_begin.push_back(data_.node_ids.size());
      data_.edge_begin.push_back(data_.edge_ids.size());
    }
    data_.sentence_begin.push_back(data_.sentence_begin.back() + rows.tokens());
  }

 private:
  template <typename Id>
  static void add(const std::vector<Key>& keys, const std::vector<float>& key_values, std::size_t t,
                  std::size_t width, const std::vector<std::size_t>& templates, const Id& id_of,
                  Column<std::uint32_t>& ids, Column<float>& values) {
    for (const std::size_t k : templates) {
      const Key key = keys[t * width + k];
      if (key == kAbsent) continue;
      const std::uint32_t id = id_of(key, k, t);
      if (id == Vocabulary::kUnknown) continue;
      ids.push_back(id);
      if (!key_values.empty()) values.push_back(key_values[t * width + k]);
    }
  }

  const Features& features_;
  ChainData& data_;
  std::vector<std::size_t> node_templates_;
  bool has_values_ = false;  // of attributes
};

// Drops pruned features from compressed rows and renumbers the rest.
void renumber(const std::vector<std::uint32_t>& new_ids, Column<std::size_t>& begin,
              Column<std::uint32_t>& ids, Column<float>& values) {
  std::size_t kept = 0;
  std::size_t from = 0;
  for (std::size_t t = 1; t < begin.size(); ++t) {
    for (; from < begin[t]; ++from) {
      const std::uint32_t id = new_ids[ids[from]];
      if (id == Vocabulary::kUnknown) continue;
      ids[kept] = id;
      if (!values.empty()) values[kept] = values[from];
      ++kept;
    }
    begin[t] = kept;
  }
  ids.resize(kept);
  ids.shrink_to_fit();
  if (!values.empty()) values.resize(kept);
}

// Names the rows of all conjunctions of the data.
void name_conjunctions(const ChainData& data, Features& features) {
  const HashedConjunctions& all = features.hashed;
  const std::vector<Template> templates = node_templates(features);
  const int degree = static_cast<int>(all.weights().size()) - 1;
  std::vector<Key> token;
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    const std::size_t first = data.node_begin[t];
    token.clear();
    for (std::size_t k = first; k < data.node_begin[t + 1]; ++k)
      token.push_back(all.keys()[data.node_ids[k]]);
    each_set(token, degree, [&](Key key, auto members) {
      features.row_names.meet(hashed_row(key, all.bits()), key, [&] {
        std::vector<std::string> names;
        for (const std::size_t m : members)
          names.push_back(features.node_names.text(data.node_ids[first + m], templates));
        return conjunction_text(names);
      });
    });
  }
}

// The names of hashed features or conjunctions of the model that training continues from.
void keep_row_names(const Known& known, const TagOptions& options, Features& features) {
  check_names(options.names, options.hash_bits > 0);
  const std::int64_t bits = options.hash_bits;
  if (options.names)
    features.row_names.keep(known.hashed, [bits](Key key) { return hashed_row(key, bits); });
}

// The gold label of one token; with `partial` also ? and A|B.
void add_gold(const TagReader& reader, std::size_t token, bool partial, Corpus& corpus) {
  const std::string_view label = reader.label(token);
  ChainData& data = corpus.data;
  if (!partial) {
    data.gold.push_back(corpus.labels.intern(label));
    return;
  }
  data.allowed_begin.push_back(static_cast<std::uint32_t>(data.allowed_labels.size()));
  LabelId gold = 0;
  if (label.find('|') != std::string_view::npos) {
    for (std::size_t begin = 0; begin <= label.size();) {
      const std::size_t end = std::min(label.find('|', begin), label.size());
      data.allowed_labels.push_back(gold = corpus.labels.intern(label.substr(begin, end - begin)));
      begin = end + 1;
    }
  } else if (label == "?") {
    data.allowed_labels.push_back(kEvery);  // see expand_unknown()
  } else {
    gold = corpus.labels.intern(label);
  }
  data.allowed_end.push_back(static_cast<std::uint32_t>(data.allowed_labels.size()));
  data.gold.push_back(gold);
}

// "?" stands for every label, and all labels are known only at the end.
void expand_unknown(ChainData& data, std::size_t labels) {
  const auto every = static_cast<std::uint32_t>(data.allowed_labels.size());
  for (std::size_t y = 0; y < labels; ++y) data.allowed_labels.push_back(static_cast<LabelId>(y));
  for (std::size_t t = 0; t < data.allowed_begin.size(); ++t) {
    if (data.allowed_begin[t] < data.allowed_end[t] && data.allowed_labels[data.allowed_begin[t]] == kEvery) {
      data.allowed_begin[t] = every;
      data.allowed_end[t] = every + static_cast<std::uint32_t>(labels);
    }
  }
}

void check_corpus(const Corpus& corpus, const std::string& name) {
  if (corpus.sentences() == 0)
    fail<InputError>("{}: has no sentences; expected one token per line, an empty line after each sentence",
                     name);
  if (corpus.labels.size() > kMostLabels) {
    fail<InputError>("{}: has {} different labels, more than {}; is the label column right? (-p column=N)",
                     name, corpus.labels.size(), kMostLabels);
  }
}

// How text is read whose parts are read by themselves.
struct Head {
  FileLayout file;
  ColumnLayout columns;
};

// By its first sentence.
Head read_head(const Source& source, const TagOptions& options, const Features& features) {
  TagReader reader(source, reader_layout(options), /*labelled=*/true);
  if (reader.next()) check_templates(features, reader);
  return {reader.layout(), reader.columns()};
}

// A reader of this rank's training data.
TagReader open_training(const Source& source, const TagOptions& options, const OwnShards& own,
                        const Head& head) {
  if (own.is_cut()) return {source, own.input(), head.columns, reader_layout(options), /*labelled=*/true};
  return {source, reader_layout(options), /*labelled=*/true};
}

void count_lexicons(const Source& source, const TagOptions& options, const OwnShards& own, const Head& head,
                    Features& features) {
  if (features.counted || !features.model.needs_counting()) return;
  if (source.read_once())
    fail<OptionError>(
        "templates with %lexicon read the training data twice; give a file, not standard input");
  agree_on(own.ranks(), [&] {
    TagReader reader = open_training(source, options, own, head);
    for (bool first = true; reader.next(); first = false) {
      if (first) check_templates(features, reader);
      features.model.count(reader.cells());
    }
  });
  if (own.is_cut()) features.model.add_counts_of_ranks();
  features.model.finish_counting();
}

void finish_vocabulary(const TagOptions& options, Communicator& ranks, Features& features, ChainData& data) {
  if (features.hash_bits == 0) {
    const MergedKeys nodes = merge_and_prune(features.nodes, options.min_count, ranks);
    merge_names(features.node_names, nodes, node_templates(features), ranks);
    renumber(nodes.new_ids, data.node_begin, data.node_ids, data.node_values);
  } else if (options.names) {
    features.row_names.merge(ranks);
  }
  const MergedKeys edges = merge_and_prune(features.edges, options.min_count, ranks);
  merge_names(features.edge_names, edges, features.model.templates().edges, ranks);
  renumber(edges.new_ids, data.edge_begin, data.edge_ids, data.edge_values);
}

// Labels of this rank -> those of all.
void merge_labels(Corpus& corpus) {
  if (corpus.own.ranks().size() == 1) return;
  const std::vector<LabelId> numbers = hinge::merge_labels(corpus.labels, corpus.own.ranks());
  ChainData& data = corpus.data;
  for (std::size_t t = 0; t < data.gold.size(); ++t) {
    const std::span<const LabelId> allowed = data.allowed(t);
    if (allowed.empty() || allowed[0] != kEvery) data.gold[t] = numbers[data.gold[t]];
  }
  for (LabelId& label : data.allowed_labels) label = label == kEvery ? kEvery : numbers[label];
}

void add_values(const Column<float>& values, std::size_t begin, std::size_t end, Fingerprint& print) {
  if (values.empty()) return;  // all are one here, but perhaps not on other ranks
  const auto some = std::span(values).subspan(begin, end - begin);
  if (std::ranges::any_of(some, [](float value) { return value != 1.0f; })) print.add(some);
}

// Sentences as they are, wherever they lie.
void add_sentences(const ChainData& data, std::size_t first, std::size_t last, Fingerprint& print) {
  const auto add = [&print](const auto& values, std::size_t begin, std::size_t end) {
    print.add(std::span(values).subspan(begin, end - begin));
  };
  for (std::size_t t = data.sentence_begin[first]; t < data.sentence_begin[last]; ++t) {
    add(data.node_ids, data.node_begin[t], data.node_begin[t + 1]);
    add(data.edge_ids, data.edge_begin[t], data.edge_begin[t + 1]);
    print.add(data.allowed(t));
  }
  add(data.gold, data.sentence_begin[first], data.sentence_begin[last]);
  for (std::size_t s = first; s < last; ++s) print.add(data.sentence_begin[s + 1] - data.sentence_begin[s]);
  const std::size_t begin = data.sentence_begin[first], end = data.sentence_begin[last];
  add_values(data.node_values, data.node_begin[begin], data.node_begin[end], print);
  add_values(data.edge_values, data.edge_begin[begin], data.edge_begin[end], print);
}

// What the shards of all ranks have in common.
void sum_up(Corpus& corpus) {
  corpus.all_tokens = sum_over_ranks(corpus.own.ranks(), corpus.data.tokens());
  const ChainData& data = corpus.data;
  corpus.all_data = corpus.own.fingerprint([&data](std::size_t first, std::size_t last, Fingerprint& print) {
    add_sentences(data, first, last, print);
  });
}

// The features of the last read sentence, from templates or attributes.
template <typename NodeId, typename EdgeId, typename AttributeId>
void append_sentence(const TagReader& reader, const Features& features, Extractor& extractor,
                     FeatureKeys& keys, const ChainData& data, SentenceWriter& writer, const NodeId& node_id,
                     const EdgeId& edge_id, const AttributeId& attribute_id) {
  if (data.sentences() == 0) check_templates(features, reader);
  if (features.attributes) {
    writer.append(reader.attributes(), attribute_id);
  } else {
    extract(extractor, reader, keys);
    writer.append(keys, reader.sentence().tokens(), node_id, edge_id);
  }
}

// Reads this rank's sentences; ids of features are those of this rank.
void read_sentences(TagReader& reader, const TagOptions& options, Features& features, Corpus& corpus) {
  Extractor extractor(features.model);
  SentenceWriter writer(features, corpus.data);
  FeatureKeys keys;
  const TemplateSet& templates = features.model.templates();
  const auto intern = [&extractor](Vocabulary& vocabulary, FeatureNames& names,
                                   const std::vector<Template>& list) {
    return [&](Key key, std::size_t k, std::size_t t) {
      const std::uint32_t id = vocabulary.intern(key);
      if (id == names.size()) names.record(k, list[k], extractor, t);
      return id;
    };
  };
  const auto named_node = intern(features.nodes, features.node_names, templates.nodes);
  const auto node_id = [&](Key key, std::size_t k, std::size_t t) {
    if (features.hash_bits == 0) return named_node(key, k, t);
    const std::uint32_t row = features.bucket(key);
    if (options.names)
      features.row_names.meet(row, key, [&] { return extractor.feature_text(templates.nodes[k], t); });
    return row;
  };
  const auto edge_id = intern(features.edges, features.edge_names, templates.edges);
  const auto attribute_id = [&features, &options](const AttributeRows& rows, std::size_t k) {
    if (features.hash_bits > 0) {
      const std::uint32_t row = features.bucket(rows.keys[k]);
      if (options.names)
        features.row_names.meet(row, rows.keys[k], [&] { return std::string(rows.name(k)); });
      return row;
    }
    const std::uint32_t id = features.nodes.intern(rows.keys[k]);
    if (id == features.node_names.size()) features.node_names.record(rows.name(k));
    return id;
  };
  while (reader.next()) {
    if (corpus.own.begins_shard(reader.part())) extractor.begin_text();
    append_sentence(reader, features, extractor, keys, corpus.data, writer, node_id, edge_id, attribute_id);
    for (std::size_t t = 0; t < reader.sentence().tokens(); ++t) add_gold(reader, t, options.partial, corpus);
    corpus.own.count(reader.part());
  }
}

// Of a kernel: products of features.
void expand_kernel(const TagOptions& options, const Known& known, Features& features, ChainData& data) {
  if (features.kernel.vectors) {
    sort_features(data);
  } else if (!features.kernel.is_linear() && options.hash_bits > 0) {
    features.hashed =
        HashedConjunctions(features.kernel, options.hash_bits, features.nodes.keys(), data);
    if (options.names) name_conjunctions(data, features);
  } else if (!features.kernel.is_linear()) {
    const std::vector<FeaturePair> pairs = known_pairs(known, features);
    features.conjunctions.learn(
        features.kernel, features.nodes.size(),
        {.min_count = options.kernel_min_count, .known = pairs, .paired = paired_features(features)},
        data);
  }
}

}  // namespace

bool ChainData::is_partial(std::size_t sentence) const {
  for (std::size_t t = sentence_begin[sentence]; t < sentence_begin[sentence + 1]; ++t) {
    if (!allowed(t).empty()) return true;
  }
  return false;
}

void copy_sentence(const ChainData& data, std::size_t sentence, ChainData& one) {
  const std::size_t begin = data.sentence_begin[sentence], end = data.sentence_begin[sentence + 1];
  const auto copy = [](const auto& from, std::size_t first, std::size_t last, auto& to) {
    if (!from.empty())
      to.assign(from.begin() + static_cast<std::ptrdiff_t>(first),
                from.begin() + static_cast<std::ptrdiff_t>(last));
  };
  one.sentence_begin.assign({0, end - begin});
  copy(data.gold, begin, end, one.gold);
  copy(data.allowed_begin, begin, end, one.allowed_begin);
  copy(data.allowed_end, begin, end, one.allowed_end);
  if (one.allowed_labels.size() != data.allowed_labels.size()) one.allowed_labels = data.allowed_labels;
  copy(data.edge_begin, begin, end + 1, one.edge_begin);
  const std::size_t first_edge = one.edge_begin.front();
  copy(data.edge_ids, first_edge, one.edge_begin.back(), one.edge_ids);
  copy(data.edge_values, first_edge, one.edge_begin.back(), one.edge_values);
  for (std::size_t& edge : one.edge_begin) edge -= first_edge;
}

std::span<const LabelId> ChainData::allowed(std::size_t token) const {
  if (allowed_begin.empty()) return {};
  return std::span(allowed_labels).subspan(allowed_begin[token], allowed_end[token] - allowed_begin[token]);
}

void Corpus::add_to(Fingerprint& print) const {
  if (own.is_cut()) return print.add(all_data);
  print.add(data.sentence_begin);
  print.add(data.node_begin);
  print.add(data.node_ids);
  print.add(data.node_values);
  print.add(data.edge_begin);
  print.add(data.edge_ids);
  print.add(data.edge_values);
  print.add(data.gold);
  print.add(data.allowed_begin);
  print.add(data.allowed_end);
  print.add(data.allowed_labels);
}

Corpus read_training(const Source& source, const TagOptions& options, const Known& known, Features& features,
                     SpillSpace* space) {
  Corpus corpus;
  Head head;
  // A kernel compares all tokens, and a cache is made by one rank.
  if (space == nullptr && options.kernel == "linear" && !options.vectors) corpus.own = OwnShards::of(source);
  const OwnShards& own = corpus.own;
  agree_on(own.ranks(), [&] {
    if (own.is_cut()) head = read_head(source, options, features);
  });
  count_lexicons(source, options, own, head, features);
  if (space != nullptr) spill_columns(corpus.data, *space);
  corpus.labels = known.labels;
  agree_on(own.ranks(), [&] {
    TagReader reader = open_training(source, options, own, head);
    features.attributes = reader.has_attributes();
    keep_known(known, features);
    keep_row_names(known, options, features);
    read_sentences(reader, options, features, corpus);
    corpus.layout = own.is_cut() ? head.file : reader.layout();
  });
  corpus.own.finish();
  merge_labels(corpus);
  check_corpus(corpus, source.name());
  if (options.partial) expand_unknown(corpus.data, corpus.labels.size());
  finish_vocabulary(options, own.ranks(), features, corpus.data);
  sum_up(corpus);
  expand_kernel(options, known, features, corpus.data);
  return corpus;
}

Corpus read_labelled(const Source& source, const FileLayout& layout, const LabelSet& labels,
                     const Features& features) {
  Corpus corpus;
  corpus.labels = labels;
  TagReader reader(source, layout, /*labelled=*/true);
  Extractor extractor(features.model);
  SentenceWriter writer(features, corpus.data);
  FeatureKeys keys;
  const auto node_id = [&](Key key, std::size_t, std::size_t) {
    return features.hash_bits > 0 ? features.bucket(key) : features.nodes.find(key);
  };
  const auto edge_id = [&](Key key, std::size_t, std::size_t) { return features.edges.find(key); };
  const auto attribute_id = [&](const AttributeRows& rows, std::size_t k) {
    return node_id(rows.keys[k], 0, 0);
  };
  while (reader.next()) {
    append_sentence(reader, features, extractor, keys, corpus.data, writer, node_id, edge_id, attribute_id);
    for (std::size_t t = 0; t < reader.sentence().tokens(); ++t)
      corpus.data.gold.push_back(corpus.labels.intern(reader.label(t)));
  }
  corpus.layout = reader.layout();
  check_corpus(corpus, source.name());
  if (!features.conjunctions.empty()) features.conjunctions.expand(corpus.data);
  if (!features.hashed.empty() || features.kernel.vectors) sort_features(corpus.data);
  return corpus;
}

}  // namespace hinge::tag
