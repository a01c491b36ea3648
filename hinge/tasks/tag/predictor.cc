#include "hinge/tasks/tag/predictor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "hinge/core/error.h"
#include "hinge/decode/forward_backward.h"
#include "hinge/decode/k_best.h"
#include "hinge/evaluate/spans.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/tag/corpus.h"
#include "hinge/tasks/tag/system.h"

namespace hinge::tag {
namespace {

FileLayout layout_of(const nlohmann::json& meta) {
  return {.format = parse_format(meta.value("format", "auto")),
          .label_column = meta.value("column", ""),
          .observed_columns = meta.value("observed_columns", std::size_t{0})};
}

Features features_of(const ModelFile& file, const nlohmann::json& meta) {
  ByteReader bytes(file.section("features"), "features");
  Features features(FeatureModel::load(bytes));
  features.hash_bits = meta.value("hash_bits", std::int64_t{0});
  if (features.hash_bits < 0 || features.hash_bits > 32)
    fail<ModelError>("{}: hash_bits is damaged; train it again", file.name());
  split_edge_templates(features);
  return features;
}

LabelSet labels_of(const ModelFile& file, const nlohmann::json& meta) {
  LabelSet labels = read_labels(meta);
  if (labels.size() == 0) fail<ModelError>("{}: has no labels; train it again", file.name());
  return labels;
}

class TagPredictor final : public Predictor {
 public:
  explicit TagPredictor(const ModelFile& file) : TagPredictor(file, file.meta()) {}

  void predict(const std::string& input, OutputFile& out, const PredictSettings& settings) override {
    TagReader reader(input, layout_, /*labelled=*/false);
    while (reader.next(/*keep_empty=*/true)) {
      score(reader);
      if (settings.constrain) keep_given(reader);
      if (settings.n_best > 1) {
        write_n_best(reader, settings, out);
      } else {
        write_best(reader, settings, out);
      }
      if (input == "-") out.flush();
    }
  }

  Evaluation evaluate(const std::string& gold_path) override {
    TagReader reader(gold_path, layout_, /*labelled=*/true);
    SpanScorer scorer;
    std::vector<std::string_view> gold;
    std::vector<std::string_view> system;
    bool any = false;
    while (reader.next()) {
      any = true;
      score(reader);
      const auto path = decoder_.best();
      gold.clear();
      system.clear();
      for (std::size_t t = 0; t < path.size(); ++t) {
        gold.push_back(reader.label(t));
        system.push_back(labels_.names()[path[t]]);
      }
      scorer.add(gold, system);
    }
    if (!any) fail<InputError>("{}: has no sentences to evaluate on", gold_path);
    return scorer.evaluate();
  }

  std::string summary() const override {
    return fmt::format("labels       {}: {}\nfeatures     {} with {} non-zero weights{}\nconstraints  {}\n",
                       labels_.size(), fmt::join(labels_.names(), " "), nodes_.rows() + edges_.rows(),
                       nodes_.entries() + edges_.entries(),
                       features_.hash_bits > 0 ? fmt::format(", hashed to {} bits", features_.hash_bits) : "",
                       meta_.value("constraints", "none"));
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override;

 private:
  struct Heavy {
    enum class Kind { kNode, kTransition, kEdge };
    float weight;
    Kind kind;
    std::uint32_t row;
    std::size_t column;
  };
  std::vector<Heavy> heaviest_entries(std::size_t n) const;

  TagPredictor(const ModelFile& file, const nlohmann::json& meta)
      : file_(file),
        meta_(meta),
        layout_(layout_of(meta)),
        labels_(labels_of(file, meta)),
        features_(features_of(file, meta)),
        nodes_(file, "node", labels_.size()),
        edges_(file, "edge", labels_.size() * labels_.size()),
        transitions_(labels_.size() * labels_.size(), 0.0f),
        constraints_(make_constraints(parse_scheme(meta.value("constraints", "none")), labels_.names())),
        extractor_(features_.model),
        decoder_(labels_.size()),
        sums_(std::max<std::size_t>(256, labels_.size() * labels_.size() + kReadableSlack)),
        likelihood_(meta.value("likelihood", false)) {
    const auto matrix = file.array<float>("transitions");
    if (!matrix.empty() && matrix.size() != transitions_.size()) {
      fail<ModelError>("{}: the transitions are damaged; train it again", file.name());
    }
    std::copy(matrix.begin(), matrix.end(), transitions_.begin());
  }

  void score(const TagReader& reader) {
    try {
      extractor_.extract(reader.cells(), keys_);
    } catch (const NotANumber& wrong) {
      fail<InputError>("{}: '{}' is not a number, but the model reads it as one (%v); check the column",
                       reader.where(wrong.token), wrong.cell);
    }
    const std::size_t tokens = reader.sentence().tokens();
    decoder_.reset(tokens, /*edges_per_token=*/!edges_.empty());
    score_nodes(tokens);
    score_edges(tokens);
    decoder_.constrain(constraints_);
  }

  // A token's slots are fetched one token ahead, its rows while those of its
  // other features are looked up: memory, not arithmetic, is what costs here.
  void score_nodes(std::size_t tokens) {
    const std::size_t width = features_.model.templates().nodes.size();
    if (features_.hash_bits > 0) {
      for (Key& key : keys_.nodes) key = key == kAbsent ? kAbsent : bucket_key(features_.bucket(key));
    }
    rows_.resize(width);
    const RowTable nodes = nodes_;  // a few pointers, which a local copy keeps in registers
    for (std::size_t t = 0; t < tokens; ++t) {
      const Key* keys = keys_.nodes.data() + t * width;
      for (std::size_t k = 0; t + 1 < tokens && k < width; ++k) nodes.prefetch(keys[width + k]);
      for (std::size_t k = 0; k < width; ++k) {
        rows_[k] = keys[k] == kAbsent ? RowTable::Row() : nodes.find(keys[k]);
        __builtin_prefetch(rows_[k].data());
      }
      std::fill(sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(decoder_.stride()), 0.0f);
      for (std::size_t k = 0; k < width; ++k) {
        nodes.add_to(rows_[k], keys_.node_values.empty() ? 1.0f : keys_.node_values[t * width + k],
                     sums_.data());
      }
      std::copy_n(sums_.data(), decoder_.stride(), decoder_.node(t));
    }
  }

  void score_edges(std::size_t tokens) {
    const std::size_t n = labels_.size();
    const std::size_t width = features_.model.templates().edges.size();
    for (std::size_t t = 0; t < (edges_.empty() ? 1 : tokens); ++t) {
      std::copy(transitions_.begin(), transitions_.end(), sums_.begin());
      for (const std::size_t k : features_.edge_templates) {
        if (edges_.empty() || t == 0 || keys_.edges[t * width + k] == kAbsent) continue;
        edges_.add_to(edges_.find(keys_.edges[t * width + k]),
                      keys_.edge_values.empty() ? 1.0f : keys_.edge_values[t * width + k], sums_.data());
      }
      float* edges = decoder_.edges_into(t);
      for (std::size_t i = 0; i < n; ++i) std::copy_n(sums_.data() + i * n, n, edges + i * decoder_.stride());
    }
  }

  // Labels in the input bind: a label, A|B, or ? for anything.
  void keep_given(const TagReader& reader) {
    if (!reader.has_labels()) {
      fail<InputError>(
          "{}: has no label column, but --constrain keeps the labels in it; add one (? where unknown)",
          reader.name());
    }
    std::vector<LabelId> allowed;
    for (std::size_t t = 0; t < reader.sentence().tokens(); ++t) {
      std::string_view rest = reader.label(t);
      if (rest == "?" || rest == "_") continue;
      allowed.clear();
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        const std::size_t label = labels_.find(rest.substr(0, end));
        if (label == labels_.size()) {
          fail<InputError>("{}: the model has no label '{}'; it has: {}", reader.where(t),
                           rest.substr(0, end), fmt::join(labels_.names(), " "));
        }
        allowed.push_back(static_cast<LabelId>(label));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      decoder_.allow_only(t, allowed);
    }
  }

  // Plain columns get label and score behind; CoNLL-U the label in its place
  // and the score in MISC.
  void write_line(const TagReader& reader, std::size_t line, std::string_view label, std::string_view score,
                  OutputFile& out) {
    const ColumnSentence& sentence = reader.sentence();
    const std::int32_t token = sentence.token_of_line[line];
    std::string& text = line_;
    text = sentence.lines[line];
    if (token != ColumnSentence::kNoToken && layout_.format == ColumnFormat::kConllu) {
      const std::string_view cell = reader.label(static_cast<std::size_t>(token));
      text.replace(static_cast<std::size_t>(cell.data() - sentence.lines[line].data()), cell.size(), label);
      if (!score.empty()) {
        if (text.ends_with("\t_")) text.pop_back();
        text += fmt::format("{}Score={}", text.ends_with('\t') ? "" : "|", score);
      }
    } else if (token != ColumnSentence::kNoToken) {
      const char* separator = reader.tabs() ? "\t" : " ";
      text.append(separator).append(label);
      if (!score.empty()) text.append(separator).append(score);
    }
    out.write(text);
    out.write(sentence.crlf ? "\r\n" : "\n");
  }

  void write_sentence(const TagReader& reader, const PredictSettings& settings, std::span<const LabelId> path,
                      OutputFile& out) {
    const ColumnSentence& sentence = reader.sentence();
    for (std::size_t line = 0; line < sentence.lines.size(); ++line) {
      const std::int32_t token = sentence.token_of_line[line];
      if (token == ColumnSentence::kNoToken) {
        write_line(reader, line, "", "", out);
      } else {
        const auto t = static_cast<std::size_t>(token);
        write_line(reader, line, labels_.names()[path[t]], score_text(settings, t, path[t]), out);
      }
    }
    out.write(sentence.crlf ? "\r\n" : "\n");
  }

  void write_best(const TagReader& reader, const PredictSettings& settings, OutputFile& out) {
    find_best(settings);
    write_sentence(reader, settings, best_, out);
  }

  void write_n_best(const TagReader& reader, const PredictSettings& settings, OutputFile& out) {
    const std::vector<ScoredPath> paths = k_best_paths(decoder_.scores(), settings.n_best);
    // No tokens, or labels given that cannot stand together: nothing to rank.
    if (paths.empty()) return write_best(reader, settings, out);
    if (settings.scores || settings.marginals) find_best(settings);
    std::size_t rank = 0;
    for (const ScoredPath& path : paths) {
      out.write(fmt::format("# {} {:.6f}{}", ++rank, path.score, reader.sentence().crlf ? "\r\n" : "\n"));
      write_sentence(reader, settings, path.labels, out);
    }
  }

  bool gives_marginals(const PredictSettings& settings) const {
    return settings.marginals || (settings.scores && likelihood_);
  }

  // Decodes, and prepares what score_text() reads.
  void find_best(const PredictSettings& settings) {
    best_ = decoder_.best();
    if (gives_marginals(settings)) {
      sums_over_all_.run(decoder_.scores());
    } else if (settings.scores) {
      max_marginals(decoder_.scores(), decoder_.forward(), marginals_);
    }
  }

  std::string score_text(const PredictSettings& settings, std::size_t t, LabelId label) const {
    if (gives_marginals(settings))
      return fmt::format("{:.4f}", sums_over_all_.nodes()[t * decoder_.stride() + label]);
    return settings.scores ? fmt::format("{:.4f}", margin(t, label)) : "";
  }

  // How much the best sequence with this label here beats the best one with another.
  float margin(std::size_t t, LabelId label) const {
    const float* through = marginals_.data() + t * decoder_.stride();
    float other = -std::numeric_limits<float>::infinity();
    for (std::size_t y = 0; y < labels_.size(); ++y) {
      if (y != label) other = std::max(other, through[y]);
    }
    // Never below zero for the best, whose two scores were summed in other orders.
    return std::max(label == best_[t] ? 0.0f : -std::numeric_limits<float>::infinity(),
                    through[label] - other);
  }

  const ModelFile& file_;
  nlohmann::json meta_;
  FileLayout layout_;
  LabelSet labels_;
  Features features_;
  RowTable nodes_;
  RowTable edges_;
  std::vector<float> transitions_;  // [labels][labels]
  Constraints constraints_;
  Extractor extractor_;
  ChainDecoder decoder_;
  FeatureKeys keys_;
  std::vector<RowTable::Row> rows_;  // [node templates], of one token
  std::vector<float> sums_;          // [labels] or [labels][labels], and what damaged columns may reach
  std::vector<float> marginals_;     // [tokens][stride], of maxima
  ForwardBackward sums_over_all_;
  bool likelihood_;
  std::span<const LabelId> best_;  // of the sentence at hand, in decoder_
  std::string line_;
};

std::vector<TagPredictor::Heavy> TagPredictor::heaviest_entries(std::size_t n) const {
  std::vector<Heavy> all;
  const auto collect = [&all](Heavy::Kind kind) {
    return [&all, kind](std::size_t row, std::size_t column, float weight) {
      all.push_back({weight, kind, static_cast<std::uint32_t>(row), column});
    };
  };
  nodes_.each(collect(Heavy::Kind::kNode));
  edges_.each(collect(Heavy::Kind::kEdge));
  for (std::size_t k = 0; k < transitions_.size(); ++k) {
    if (transitions_[k] != 0.0f) all.push_back({transitions_[k], Heavy::Kind::kTransition, 0, k});
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(n, all.size()));
  std::ranges::partial_sort(all, all.begin() + kept, std::greater(),
                            [](const Heavy& h) { return std::abs(h.weight); });
  all.resize(static_cast<std::size_t>(kept));
  return all;
}

std::vector<WeightLine> TagPredictor::heaviest(std::size_t n) const {
  const std::vector<Template>& nodes = features_.model.templates().nodes;
  const std::vector<Template>& edges = features_.model.templates().edges;
  const auto load = [this](std::string_view section, const std::vector<Template>& templates) {
    const std::string_view bytes = file_.section(section);
    ByteReader reader(bytes, "feature names");
    return bytes.empty() ? FeatureNames() : FeatureNames::load(reader, templates);
  };
  const FeatureNames node_names = load("node.names", nodes);
  const FeatureNames edge_names = load("edge.names", edges);
  std::vector<WeightLine> lines;
  for (const Heavy& heavy : heaviest_entries(n)) {
    const bool node = heavy.kind == Heavy::Kind::kNode;
    const FeatureNames& names = node ? node_names : edge_names;
    std::string feature = "B";
    if (heavy.kind != Heavy::Kind::kTransition) {
      feature = heavy.row < names.size() ? names.text(heavy.row, node ? nodes : edges)
                                         : fmt::format("hashed row {}", heavy.row);
    }
    const std::size_t labels = labels_.size();
    lines.push_back({std::move(feature),
                     node ? labels_.names()[heavy.column]
                          : fmt::format("{} -> {}", labels_.names()[heavy.column / labels],
                                        labels_.names()[heavy.column % labels]),
                     heavy.weight});
  }
  return lines;
}

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<TagPredictor>(file); }

Evaluation evaluate_file(const std::string& path) {
  ColumnReader reader(path, ColumnFormat::kColumns);
  ColumnSentence sentence;
  SpanScorer scorer;
  std::vector<std::string_view> gold;
  std::vector<std::string_view> system;
  bool any = false;
  while (reader.next(sentence)) {
    any = true;
    if (sentence.columns < 2) {
      fail<InputError>(
          "{}:{}: has one column, but the gold and the predicted label were expected as the last two", path,
          sentence.first_line);
    }
    gold.clear();
    system.clear();
    for (std::size_t t = 0; t < sentence.tokens(); ++t) {
      gold.push_back(sentence.cell(t, sentence.columns - 2));
      system.push_back(sentence.cell(t, sentence.columns - 1));
    }
    scorer.add(gold, system);
  }
  if (!any) fail<InputError>("{}: has no sentences to evaluate", path);
  return scorer.evaluate();
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path,
                          const FileLayout& layout) {
  TagReader gold(gold_path, layout, /*labelled=*/true);
  TagReader system(system_path, layout, /*labelled=*/true);
  SpanScorer scorer;
  std::vector<std::string_view> gold_labels;
  std::vector<std::string_view> system_labels;
  bool any = false;
  while (gold.next()) {
    any = true;
    const std::size_t tokens = gold.sentence().tokens();
    if (!system.next() || system.sentence().tokens() != tokens) {
      fail<InputError>(
          "{}: the sentence at {} does not match the one at {}; both files must hold the same text",
          system_path, gold.where(0), system.sentence().tokens() > 0 ? system.where(0) : "its end");
    }
    gold_labels.clear();
    system_labels.clear();
    for (std::size_t t = 0; t < tokens; ++t) {
      if (gold.cells().at(t, 0) != system.cells().at(t, 0)) {
        fail<InputError>("{}: is '{}' but {} is '{}'; both files must hold the same text", system.where(t),
                         system.cells().at(t, 0), gold.where(t), gold.cells().at(t, 0));
      }
      gold_labels.push_back(gold.label(t));
      system_labels.push_back(system.label(t));
    }
    scorer.add(gold_labels, system_labels);
  }
  if (!any) fail<InputError>("{}: has no sentences to evaluate", gold_path);
  if (system.next())
    fail<InputError>("{}: goes on after the end of {}; both files must hold the same text", system_path,
                     gold_path);
  return scorer.evaluate();
}

}  // namespace hinge::tag
