#include "hinge/tasks/tag/training_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/shared_work.h"
#include "hinge/core/state_bytes.h"
#include "hinge/core/threads.h"
#include "hinge/corpus/scan.h"
#include "hinge/evaluate/spans.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/fingerprint.h"
#include "hinge/tasks/tag/choice.h"
#include "hinge/tasks/tag/compiled.h"
#include "hinge/tasks/tag/hashed_task.h"
#include "hinge/tasks/tag/support_model.h"
#include "hinge/tasks/tag/task.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::tag {
namespace {

// What O costs in place of another label.
float cost_of_missing(const TagOptions& options, const std::string& templates, const LabelSet& labels) {
  const bool phrases = guess_scheme(labels.names()) != Scheme::kNone && labels.find("O") < labels.size();
  if (options.miss > 0.0 && !phrases)
    fail<OptionError>("miss is {}, but the labels are not phrases and O; leave it out", options.miss);
  return static_cast<float>(phrases ? chosen_miss(options, templates) : 1.0);
}

// The diagonal costs 0, O where a phrase is `miss`, all else 1, if no line of the file says
// "gold predicted cost".
std::vector<float> read_costs(const std::string& path, float miss, const LabelSet& labels) {
  const std::size_t n = labels.size();
  std::vector<float> costs(n * n, 1.0f);
  if (const std::size_t outside = labels.find("O"); outside < n) {
    for (std::size_t y = 0; y < n; ++y) costs[y * n + outside] = miss;
  }
  for (std::size_t y = 0; y < n; ++y) costs[y * n + y] = 0.0f;
  if (path.empty()) return costs;
  ColumnReader reader(path, ColumnFormat::kColumns);
  ColumnSentence lines;
  while (reader.next(lines)) {
    for (std::size_t t = 0; t < lines.tokens(); ++t) {
      const std::string where = fmt::format("{}:{}", path, lines.line_number(t));
      if (lines.columns != 3)
        fail<InputError>("{}: a cost line is: gold label, predicted label, cost", where);
      const std::size_t gold = labels.find(lines.cell(t, 0));
      const std::size_t predicted = labels.find(lines.cell(t, 1));
      if (gold == n || predicted == n) {
        fail<InputError>("{}: label '{}' does not occur in the training data; check its spelling", where,
                         lines.cell(t, gold == n ? 0 : 1));
      }
      const std::string_view text = lines.cell(t, 2);
      float& cost = costs[gold * n + predicted];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
      if (error != std::errc() || end != text.data() + text.size() || !(cost >= 0.0f && cost <= kMostCost) ||
          (gold == predicted && cost != 0.0f)) {
        fail<InputError>("{}: cost '{}' is not a number from 0 to {:.0f} (and 0 for a label against itself)",
                         where, text, kMostCost);
      }
    }
  }
  return costs;
}

// Copies weights of a model into this layout, matching labels by name.
class WeightCopy {
 public:
  WeightCopy(const ModelFile& model, const LabelSet& labels, const ChainLayout& layout, Weights& w)
      : model_(model),
        layout_(layout),
        w_(w),
        ours_(labels.find_all(model.description().texts("labels"))),
        nodes_(model, "node", ours_.size()),
        edges_(model, "edge", ours_.size() * ours_.size()),
        conjunctions_(model, ours_.size()),
        sums_(std::max<std::size_t>(256, ours_.size() * ours_.size() + kReadableSlack)) {}

  // `weight`: what weights of this feature are multiplied by in the model.
  void node(Key key, std::size_t feature, float weight) { labels(nodes_, nodes_.find(key), feature, weight); }
  void conjunction(RowTable::Row row, std::size_t feature, float weight) {
    labels(conjunctions_.rows(), row, feature, weight);
  }
  const ConjunctionTable& conjunctions() const { return conjunctions_; }
  void edge(Key key, std::size_t feature) {
    read_row(edges_, edges_.find(key));
    put_pairs(sums_.data(), layout_.edge(feature));
  }
  void transitions() {
    const auto pairs = model_.array<float>("transitions");
    if (layout_.transitions && pairs.size() == ours_.size() * ours_.size())
      put_pairs(pairs.data(), layout_.transitions_begin());
  }
  std::size_t matched() const { return matched_; }  // nonzero weights

 private:
  void read_row(const RowTable& table, RowTable::Row row) {
    std::ranges::fill(sums_, 0.0f);
    table.add_to(row, 1.0f, sums_.data());
  }
  void labels(const RowTable& table, RowTable::Row row, std::size_t feature, float weight) {
    if (weight == 0.0f || row.empty()) return;
    read_row(table, row);
    for (std::size_t y = 0; y < ours_.size(); ++y) {
      if (ours_[y] < layout_.labels) put(layout_.node(feature, ours_[y]), sums_[y] / weight);
    }
  }
  void put(std::size_t at, float weight) {
    if (weight == 0.0f) return;
    w_[at] = weight;
    ++matched_;
  }
  void put_pairs(const float* pairs, std::size_t begin) {
    const std::size_t n = ours_.size();
    for (std::size_t k = 0; k < n * n; ++k) {
      if (ours_[k / n] < layout_.labels && ours_[k % n] < layout_.labels)
        put(begin + ours_[k / n] * layout_.labels + ours_[k % n], pairs[k]);
    }
  }

  const ModelFile& model_;
  const ChainLayout& layout_;
  Weights& w_;
  std::vector<std::size_t> ours_;  // our numbers of the model's labels
  RowTable nodes_, edges_;
  ConjunctionTable conjunctions_;
  std::vector<float> sums_;
  std::size_t matched_ = 0;
};

class TagTrainingSet final : public TrainingSet {
 public:
  // `name` is of the data.
  TagTrainingSet(TagParts parts, const std::string& name, const TagOptions& options, const Known& known)
      : options_(options), parts_(std::move(parts)) {
    settle_constraints(known);
    layout_ = {.labels = corpus_.labels.size(),
               .node_features = features_.node_count(),
               .edge_features = features_.edges.size(),
               .transitions = features_.transitions};
    if (layout_.dimension() > 0xFFFFFFF0u) {
      fail<InputError>("{}: {} features with {} labels make more than 2^32 weights; raise {}", name,
                       features_.node_count(), layout_.labels,
                       features_.kernel.is_linear() ? "min_count or use hash_bits" : "kernel_min_count");
    }
    costs_ = read_costs(options.costs, cost_of_missing(options, chosen_.templates, corpus_.labels),
                        corpus_.labels);
    ChainTaskOptions task_options{.constraints = {},
                                  .costs = costs_,
                                  .all_states = options.all_states,
                                  .all_transitions = options.all_transitions};
    if (options.constrain_training) task_options.constraints = constraints_;
    if (features_.kernel.vectors) {
      compare_vectors(std::move(task_options));
    } else if (features_.hashed.empty()) {
      task_ = std::make_unique<ChainTask>(corpus_.data, layout_, std::move(task_options));
    } else {
      task_ = std::make_unique<HashedTask>(corpus_.data, features_.hashed, layout_, std::move(task_options));
    }
    task_ = corpus_.own.number(std::move(task_));
    if (parts_.cache != nullptr)
      parts_.cache->set_check(
          [this](std::size_t first, std::size_t last) { return is_sound(parts_, first, last); });
  }

  void compile(BlockCacheWriter& out) {
    parts_.scheme = scheme_name(scheme_);
    parts_.fingerprint = fingerprint();
    write_parts(parts_, options_, out);
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    return fmt::format("{}{}{} sentences, {} tokens, {} labels, {} features ({}){}, {} weights{}",
                       chosen_.reason, chosen_.reason.empty() ? "" : "\n", corpus_.sentences(),
                       corpus_.tokens(), layout_.labels, single_nodes() + layout_.edge_features,
                       chosen_.templates, kernel_summary(), layout_.dimension(),
                       stray_.empty() ? "" : fmt::format(", no constraints because of label '{}'", shown(stray_)));
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Corpus>(
        read_labelled(columns_of_trees(source), corpus_.layout, corpus_.labels, features_));
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    if (parts_.fingerprint) return *parts_.fingerprint;
    Fingerprint print;
    corpus_.add_to(print);
    print.add(costs_);
    print.add(corpus_.labels.names());
    print.add(features_.nodes.keys());
    print.add(features_.edges.keys());
    print.add(features_.conjunctions.others());
    print.add(features_.hashed.weights());
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "tag");
    check_same_hashing(model);
    if (support_ != nullptr)
      fail<ModelError>("{}: a kernel with support vectors cannot continue from a model; train without --init",
                       model.name());
    Weights w(layout_.dimension());
    WeightCopy copy(model, corpus_.labels, layout_, w);
    for (std::uint32_t f = 0; f < single_nodes(); ++f) copy.node(node_key(f), f, single_weight());
    copy_conjunctions(copy);
    for (std::uint32_t f = 0; f < layout_.edge_features; ++f) copy.edge(features_.edges.key(f), f);
    copy.transitions();
    if (copy.matched() == 0) {
      fail<ModelError>("{}: shares no weights with the training data; use the same templates and labels",
                       model.name());
    }
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    meta.set("labels", corpus_.labels.names());
    meta.set("templates", chosen_.templates);
    if (options_.features == "auto" || options_.features == "ner") meta.set("chosen", chosen_options());
    meta.set("format", format_name(corpus_.layout.format));
    meta.set("column", corpus_.layout.label_column);
    meta.set("observed_columns", static_cast<std::uint64_t>(corpus_.layout.observed_columns));
    meta.set("constraints", scheme_name(scheme_));
    meta.set("hash_bits", features_.hash_bits);
    meta.set("transitions", features_.transitions);
    if (!features_.kernel.is_linear()) {
      meta.set("kernel", kernel_text(features_.kernel));
      meta.set("kernel_valued", features_.conjunctions.valued());
      meta.set("kernel_bits", features_.hashed.bits());
      meta.set("kernel_vectors", features_.kernel.vectors);
    }
    ByteWriter features;
    features_.model.write(features);
    out.add("features", features.take());
    save_weights(w, out);
  }

 private:
  // The weights are then coefficients of the training tokens.
  void compare_vectors(ChainTaskOptions options) {
    if (layout_.edge_features > 0)
      fail<OptionError>("a kernel with support vectors needs templates without B features, except B alone");
    const ChainData& data = corpus_.data;
    index_ = std::make_unique<SupportIndex>(features_.kernel, features_.nodes.size(), data.node_begin,
                                            data.node_ids, data.node_values);
    auto task = std::make_unique<SupportTask>(
        data, *index_, layout_.labels, layout_.transitions, std::move(options),
        SupportLimits{.budget = static_cast<std::size_t>(options_.budget),
                      .cache_bytes = static_cast<std::size_t>(options_.kernel_cache) << 20});
    layout_ = task->layout();
    support_ = task.get();
    task_ = std::move(task);
  }

  std::string kernel_summary() const {
    if (features_.kernel.is_linear()) return "";
    if (features_.kernel.vectors)
      return fmt::format(", {}: every token may be a support vector", kernel_text(features_.kernel));
    const std::string conjunctions = features_.hashed.empty()
                                         ? fmt::format("{} pairs", features_.conjunctions.pairs())
                                         : features_.hashed.load(corpus_.data);
    return fmt::format(", {}: {}", kernel_text(features_.kernel), conjunctions);
  }

  // Node features without conjunctions, which come first.
  std::size_t single_nodes() const {
    return features_.kernel.is_linear() ? layout_.node_features : features_.nodes.size();
  }
  float single_weight() const {
    return features_.hashed.empty() ? features_.conjunctions.weights().single : features_.hashed.weights()[1];
  }

  void copy_conjunctions(WeightCopy& copy) const {
    const ConjunctionTable& table = copy.conjunctions();
    if (table.empty()) return;
    const std::size_t hashed = features_.hashed.empty() ? 0 : features_.hashed.rows() - single_nodes();
    for (std::uint32_t row = 0; row < hashed; ++row)
      copy.conjunction(table.hashed(row), single_nodes() + row, 1.0f);
    const Conjunctions& all = features_.conjunctions;
    if (all.empty()) return;
    copy.conjunction(table.constant(), all.constant_row(), all.weights().constant);
    all.each_pair([&](std::size_t pair, FeaturePair of) {
      copy.conjunction(table.pair(node_key(of.first), node_key(of.second)), all.pair_row(pair),
                       all.weight(of));
    });
  }

  Key node_key(std::uint32_t f) const {
    return features_.hash_bits > 0 ? bucket_key(f) : features_.nodes.key(f);
  }

  // Equal bucket numbers in tables of different sizes hold different features.
  void check_same_hashing(const ModelFile& model) const {
    const auto bits = model.description().whole("hash_bits");
    const auto kernel_bits = model.description().whole("kernel_bits");
    if (bits == features_.hash_bits && (kernel_bits == 0 || kernel_bits == features_.hashed.bits())) return;
    fail<ModelError>("{}: was trained with hash_bits={}, this training has {}; use the same", model.name(),
                     std::max(bits, kernel_bits), std::max(features_.hash_bits, features_.hashed.bits()));
  }

  // What the options left open.
  Json chosen_options() const {
    std::set<std::size_t> columns;
    for (const View& view : features_.model.templates().views) columns.insert(view.column);
    columns.erase(0);
    const std::vector<std::size_t> read(columns.begin(), columns.end());
    Json chosen = Json().set("features", features_text(chosen_.templates, read));
    const float miss = cost_of_missing(options_, chosen_.templates, corpus_.labels);
    if (options_.miss == 0.0 && miss != 1.0f) chosen.set("miss", fmt::format("{}", miss));
    return chosen;
  }

  // By default the scheme of the labels, if the training data obeys it. If a model
  // that training continues from has another scheme, its data did not.
  void settle_constraints(const Known& known) {
    const auto& labels = corpus_.labels.names();
    if (parts_.scheme) {
      scheme_ = parse_scheme(*parts_.scheme);
      constraints_ = make_constraints(scheme_, labels);
      return;
    }
    scheme_ = options_.constraints == "auto" ? guess_scheme(labels) : parse_scheme(options_.constraints);
    if (options_.constraints == "auto" && scheme_ == Scheme::kNone) stray_ = stray_label(corpus_);
    if (options_.constraints == "auto" && known.from_model && parse_scheme(known.constraints) != scheme_)
      scheme_ = Scheme::kNone;
    constraints_ = make_constraints(scheme_, labels);
    if (constraints_.empty() || obeys(corpus_, constraints_)) return;
    if (options_.constraints != "auto") {
      fail<OptionError>(
          "constraints is '{}', but the training labels violate it; use constraints=none or fix the labels",
          options_.constraints);
    }
    stray_ = stray_label(corpus_);
    scheme_ = Scheme::kNone;
    constraints_ = {};
  }

  // Scores development data; one per thread.
  struct DevScorer {
    explicit DevScorer(std::size_t labels) : decoder(labels) {}
    ChainDecoder decoder;
    ChainData expanded;  // one sentence, with hashed conjunctions
    std::vector<float> products;
    SpanScorer counts;
    std::vector<std::string_view> gold, system;
  };

  Scores score(const Corpus& dev, const Weights& w, Workers& workers) const {
    std::vector<std::uint32_t> active;
    if (support_ != nullptr) support_->active(w, active);
    PerThread<DevScorer> scorers(workers, [this] { return DevScorer(layout_.labels); });
    share_items(dev.data.sentences(), workers, [&](std::size_t s) {
      check_interrupt();
      add_score(dev, s, w, active, scorers.local());
    });
    SpanScorer all;
    scorers.each([&](const DevScorer& scorer) { all.add(scorer.counts); });
    add_ranks(all);
    return all.evaluate().scores;
  }

  void fill_vectors(const ChainData& data, std::size_t s, const Weights& w,
                    std::span<const std::uint32_t> active, DevScorer& scorer) const {
    const std::size_t begin = data.sentence_begin[s];
    scorer.decoder.reset(data.sentence_begin[s + 1] - begin, /*edges_per_token=*/false);
    for (std::size_t t = 0; t < scorer.decoder.tokens(); ++t) {
      const std::size_t first = data.node_begin[begin + t];
      support_->score({data.node_ids.data() + first, data.node_begin[begin + t + 1] - first},
                      data.node_values.empty() ? nullptr : data.node_values.data() + first, active, w,
                      scorer.products, scorer.decoder.node(t));
    }
    scorer.decoder.set_transitions(layout_.transitions ? w.data() + layout_.transitions_begin() : nullptr);
  }

  void add_score(const Corpus& dev, std::size_t s, const Weights& w, std::span<const std::uint32_t> active,
                 DevScorer& scorer) const {
    if (support_ != nullptr) {
      fill_vectors(dev.data, s, w, active, scorer);
    } else if (features_.hashed.empty()) {
      scorer.decoder.fill(dev.data, s, layout_, w);
    } else {
      features_.hashed.expand(dev.data, s, scorer.expanded);
      scorer.decoder.fill(scorer.expanded, 0, layout_, w);
    }
    scorer.decoder.constrain(constraints_);
    const auto path = scorer.decoder.best();
    scorer.gold.clear();
    scorer.system.clear();
    for (std::size_t t = 0; t < path.size(); ++t) {
      scorer.gold.push_back(dev.labels.names()[dev.data.gold[dev.data.sentence_begin[s] + t]]);
      scorer.system.push_back(corpus_.labels.names()[path[t]]);
    }
    scorer.counts.add(scorer.gold, scorer.system);
  }

  void save_weights(const Weights& w, ModelWriter& out) const {
    const std::size_t labels = layout_.labels;
    const auto threshold = static_cast<float>(options_.prune);
    RowTableBuilder nodes;
    std::vector<float> row(labels);
    for (std::uint32_t f = 0; f < single_nodes() && support_ == nullptr; ++f) {
      for (std::size_t y = 0; y < labels; ++y) row[y] = single_weight() * w[layout_.node(f, y)];
      nodes.add(node_key(f), f, row, threshold);
    }
    const auto node_order = nodes.write("node", labels, out);
    const SavedWeights all{.w = w.span(), .labels = labels, .threshold = threshold};
    if (!features_.conjunctions.empty())
      write_conjunctions(features_.conjunctions, features_.node_names, features_.nodes.keys(), all, out);
    if (!features_.hashed.empty())
      save_row_names(write_conjunctions(features_.hashed, features_.node_names, all, out), out);
    if (support_ != nullptr)
      write_support(*support_, w, static_cast<std::size_t>(options_.budget), features_.kernel,
                    features_.nodes.keys(), out);
    RowTableBuilder edges;
    for (std::uint32_t f = 0; f < layout_.edge_features; ++f) {
      edges.add(features_.edges.key(f), f, w.span().subspan(layout_.edge(f), labels * labels), threshold);
    }
    const auto edge_order = edges.write("edge", labels * labels, out);
    const std::size_t transitions = layout_.transitions ? labels * labels : 0;
    std::vector<float> matrix(transitions);
    // Copied weights may lose the sign of -0; adding 0 always drops it.
    for (std::size_t k = 0; k < transitions; ++k) matrix[k] = w[layout_.transitions_begin() + k] + 0.0f;
    out.add_array("transitions", std::span<const float>(matrix));
    ByteWriter names;
    if (features_.hash_bits == 0) features_.node_names.write(node_order, names);
    out.add("node.names", names.take());
    if (features_.hash_bits > 0) save_row_names(node_order, out);
    ByteWriter edge_names;
    features_.edge_names.write(edge_order, edge_names);
    out.add("edge.names", edge_names.take());
  }

  // `order`: hashed rows as they are in the file.
  void save_row_names(std::span<const std::uint32_t> order, ModelWriter& out) const {
    if (options_.names) features_.row_names.write(kRowNames, order, out);
  }

  TagOptions options_;
  TagParts parts_;
  const Choice& chosen_ = parts_.chosen;
  const Features& features_ = parts_.features;
  const Corpus& corpus_ = parts_.corpus;
  Scheme scheme_ = Scheme::kNone;
  std::string stray_;  // the label for which constraints=auto found no scheme
  Constraints constraints_;
  std::vector<float> costs_;  // [gold][predicted]
  ChainLayout layout_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<SupportIndex> index_;   // of support vectors,
  const SupportTask* support_ = nullptr;  // and the task with them
};

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const TagOptions& options,
                                               const Known& known) {
  return std::make_unique<TagTrainingSet>(read_parts(source, options, known, nullptr), source.name(), options,
                                          known);
}

void compile_training_set(const Source& source, const TagOptions& options, const Known& known,
                          SpillSpace& space, BlockCacheWriter& out) {
  TagTrainingSet set(read_parts(source, options, known, &space), source.name(), options, known);
  set.compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache, const TagOptions& options,
                                               const Known& known) {
  const std::string name = cache->path();
  return std::make_unique<TagTrainingSet>(open_parts(std::move(cache), options), name, options, known);
}

}  // namespace hinge::tag
