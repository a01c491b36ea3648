#include "hinge/tasks/dep/training_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/shared_work.h"
#include "hinge/core/state_bytes.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/features/merged_vocabulary.h"
#include "hinge/tasks/dep/columns.h"
#include "hinge/tasks/dep/compiled.h"
#include "hinge/tasks/dep/data.h"
#include "hinge/tasks/dep/decoder.h"
#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/dep/second_task.h"
#include "hinge/tasks/dep/task.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::dep {
namespace {

class DepTrainingSet final : public TrainingSet {
 public:
  // `name` is of the data.
  DepTrainingSet(TreeParts parts, const std::string& name, const DepOptions& options, const Known& known)
      : options_(options),
        templates_(choose_factor_templates(options.features, options.columns)),
        parts_(std::move(parts)),
        plan_(
            std::move(templates_), tree_options(name, known),
            TreeLayout(options.hash_bits, options.label_bits, options.labelled ? corpus_.labels.size() : 0)) {
    plan_.templates.cells = both(plan_.templates.cells, corpus_.filled);
    if (options.order == 2)
      pruner_ =
          std::make_unique<StoredPruner>(ModelFile::from_bytes(parts_.pruner, "the pruner"), plan_.templates);
    if (parts_.cache == nullptr)
      finish_data(known);
    else
      use_cache();
    if (plan_.layout.dimension() > 0xFFFFFFF0u)
      fail<OptionError>("hash_bits={} and label_bits={} make more than 2^32 weights; lower them",
                        options.hash_bits, options.label_bits);
    if (options.order == 2)
      task_ = std::make_unique<SecondTask>(corpus_.data, plan_, parts_.candidates);
    else
      task_ = std::make_unique<TreeTask>(corpus_.data, plan_);
    task_ = corpus_.own.number(std::move(task_));
  }

  void compile(BlockCacheWriter& out) {
    parts_.fingerprint = fingerprint();
    parts_.dictionary.resize(plan_.layout.dictionary().size());
    plan_.layout.dictionary().each([this](Key key, std::uint32_t row) { parts_.dictionary[row] = key; });
    write_parts(parts_, out);
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    const std::string lifted =
        corpus_.lifted > 0 ? fmt::format(" ({} trees made projective)", corpus_.lifted) : "";
    return fmt::format(
        "{} sentences, {} words{}, {} labels, {} arc and {} label templates ({}) of {}, {} weights",
        corpus_.sentences(), corpus_.words(), lifted, plan_.layout.labels(),
        plan_.templates.of(FactorKind::kArc).size(), plan_.labels.size(), options_.features,
        column_names(plan_.templates.cells), plan_.layout.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev =
        std::make_shared<Corpus>(read_trees(source, plan_.templates, corpus_.labels, options_.labelled));
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::size_t main_scores() const override { return options_.labelled ? 2 : 1; }  // UAS and LAS

  std::uint64_t fingerprint() const override {
    if (parts_.fingerprint) return *parts_.fingerprint;
    const TreeOptions& trees = plan_.options;
    Fingerprint print;
    print.add(plan_.templates.source);
    if (corpus_.own.is_cut())
      print.add(all_data_);
    else
      add_data(print);
    print.add(plan_.layout.dictionary().slots());
    print.add(std::array{std::int64_t{trees.algorithm == TreeAlgorithm::kEisner},
                         std::int64_t{trees.single_root}, std::int64_t{trees.label_cost},
                         std::int64_t{trees.order}, plan_.layout.hash_bits(), plan_.layout.label_bits(),
                         std::int64_t{options_.labelled}});
    print.add(corpus_.labels.names());
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "dep");
    const StoredParser stored(model);
    check_same_layout(model, stored.layout);
    Weights w(plan_.layout.dimension());
    const bool parts = copy_parts(stored, w);
    const bool labels = copy_labels(stored, w);
    if (!parts && !labels)
      fail<ModelError>("{}: shares no weights with the training data; use data and labels like its own",
                       model.name());
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    const TreeLayout& layout = plan_.layout;
    meta.set("labels", corpus_.labels.names());
    meta.set("templates", options_.features);
    meta.set("decoder", options_.decoder);
    meta.set("order", options_.order);
    meta.set("single_root", plan_.options.single_root);
    meta.set("hash_bits", layout.hash_bits());
    meta.set("label_bits", layout.label_bits());
    meta.set("labelled", options_.labelled);
    meta.set("columns", column_names(plan_.templates.cells));
    out.add("features", plan_.templates.source);
    if (pruner_ != nullptr) out.add("pruner", parts_.pruner);
    // Kernels read whole vectors, beyond the last row.
    const auto label_weights = w.span().subspan(layout.part_weights());
    std::vector<float> padded(label_weights.size() + kReadableSlack, 0.0f);
    std::ranges::copy(label_weights, padded.begin());
    out.add_array("labels", std::span<const float>(padded));
    std::vector<std::uint32_t> used;  // the rows of parts in the file, for their names
    if (layout.hashed()) {
      const auto part_weights = w.span().first(layout.part_weights());
      out.add_array("parts", part_weights);
      if (parts_.names) used = used_rows(part_weights, kSlots);
    } else {
      used = save_dictionary(w, out);
    }
    if (parts_.names) write_names(*parts_.names, used, used_rows(label_weights, layout.labels()), out);
  }

 private:
  void add_data(Fingerprint& print) const {
    const TreeData& data = corpus_.data;
    print.add(data.begin);
    print.add(data.keys);
    print.add(data.heads);
    print.add(data.labels);
    print.add(data.costs);
    print.add(data.label_rows);
    print.add(parts_.candidates.begin);
    print.add(parts_.candidates.arcs);
  }

  // The same of all ranks, if the data is cut. A meeting.
  std::uint64_t print_shards() const {
    return corpus_.own.fingerprint([this](std::size_t first, std::size_t last, Fingerprint& print) {
      add_trees(corpus_.data, first, last, print);
      for (std::size_t i = first; pruner_ != nullptr && i < last; ++i) print.add(parts_.candidates.of(i));
    });
  }

  void check_same_layout(const ModelFile& model, const TreeLayout& theirs) const {
    const TreeLayout& layout = plan_.layout;
    if (model.section("features") != plan_.templates.source)
      fail<ModelError>("{}: was trained with other templates; use the same features for both", model.name());
    if (theirs.hash_bits() != layout.hash_bits() || theirs.label_bits() != layout.label_bits())
      fail<ModelError>(
          "{}: was trained with hash_bits={} and label_bits={}, this training has {} and {}; use the same",
          model.name(), theirs.hash_bits(), theirs.label_bits(), layout.hash_bits(), layout.label_bits());
  }

  // This and copy_labels() return whether there is anything in common.
  bool copy_parts(const StoredParser& stored, Weights& w) const {
    const TreeLayout& layout = plan_.layout;
    if (layout.hashed()) {
      std::copy_n(stored.weights.parts, layout.part_weights(), w.data());
      return true;
    }
    bool matched = false;
    layout.dictionary().each([&](Key key, std::uint32_t row) {
      const std::uint32_t theirs = stored.layout.dictionary().find(key);
      if (theirs == KeyIndex::kNone) return;
      matched = true;
      std::copy_n(stored.weights.parts + theirs * kSlots, kSlots, w.data() + row * kSlots);
    });
    return matched;
  }

  bool copy_labels(const StoredParser& stored, Weights& w) const {
    const TreeLayout& layout = plan_.layout;
    const std::vector<std::size_t> ours = corpus_.labels.find_all(stored.labels.names());
    bool matched = false;
    for (std::size_t y = 0; y < ours.size(); ++y) {
      if (ours[y] >= layout.labels()) continue;
      matched = true;
      for (std::size_t row = 0; row < layout.label_rows(); ++row)
        w[layout.label_base(row) + ours[y]] = stored.weights.labels[row * ours.size() + y];
    }
    return matched;
  }

  // Saves the nonzero rows and their keys. Returns the rows in the order of the file.
  std::vector<std::uint32_t> save_dictionary(const Weights& w, ModelWriter& out) const {
    KeyIndex kept;
    std::vector<float> rows;
    std::vector<std::uint32_t> order;
    plan_.layout.dictionary().each([&](Key key, std::uint32_t number) {
      const auto row = w.span().subspan(number * kSlots, kSlots);
      if (std::ranges::all_of(row, [](float x) { return x == 0.0f; })) return;
      kept.add(key);
      order.push_back(number);
      rows.insert(rows.end(), row.begin(), row.end());
    });
    out.add_array("parts", std::span<const float>(rows));
    out.add_array("keys", kept.slots());
    out.add_array("rows", kept.numbers());
    return order;
  }

  // By default a single root if all trees have one, including those of a model that
  // training continues from.
  TreeOptions tree_options(const std::string& name, const Known& known) const {
    const bool single = options_.single_root == "auto" ? known.single_root && corpus_.several_roots == 0
                                                       : options_.single_root == "true";
    if (single && corpus_.several_roots > 0)
      fail<OptionError>("single_root is true, but {} sentences of {} have several roots; set it to auto",
                        corpus_.several_roots, name);
    return {
        .algorithm = options_.decoder == "eisner" ? TreeAlgorithm::kEisner : TreeAlgorithm::kChuLiuEdmonds,
        .single_root = single,
        .label_cost = options_.cost == "label",
        .order = static_cast<int>(options_.order)};
  }

  void use_cache() {
    for (const Key key : parts_.dictionary) plan_.layout.dictionary().add(key);
    parts_.dictionary = {};
    parts_.cache->set_check(
        [this](std::size_t first, std::size_t last) { return is_sound(parts_, plan_.layout, first, last); });
  }

  // Each step needs the ones before it.
  void finish_data(const Known& known) {
    Communicator& ranks = corpus_.own.ranks();
    agree_on(ranks, [&] {
      if (plan_.options.algorithm == TreeAlgorithm::kEisner) make_projective(corpus_);
      set_costs();
      find_label_rows();
      if (pruner_ != nullptr) find_candidates();
      if (!plan_.layout.hashed()) fill_dictionary(known);
    });
    corpus_.lifted = sum_over_ranks(ranks, corpus_.lifted);
    if (ranks.size() > 1 && !plan_.layout.hashed()) merge_dictionary(known);
    all_data_ = print_shards();
    if (!options_.names) return;
    agree_on(ranks, [&] {
      parts_.names = name_rows(corpus_.data, parts_.candidates, parts_.texts, plan_, known.names);
    });
    parts_.names->parts.merge(ranks);
    parts_.names->labels.merge(ranks);
  }

  void set_costs() {
    for (const char punctuation : corpus_.punctuation)
      corpus_.data.costs.push_back(punctuation ? static_cast<float>(options_.punctuation) : 1.0f);
  }

  void find_label_rows() {
    if (!options_.labelled) return;
    TreeData& data = corpus_.data;
    LabelFeatures features(plan_.labels, plan_.layout);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < data.sentences(); ++i) {
      features.find(data.sentence(i), data.heads_of(i), rows);
      data.label_rows.append(rows);
    }
  }

  void find_candidates() {
    TreeDecoder decoder(pruner_->get().plan);
    CandidateArcs& candidates = parts_.candidates;
    if (parts_.space != nullptr) {
      candidates.begin.spill(*parts_.space);
      candidates.arcs.spill(*parts_.space);
    }
    std::vector<SecondOrderScores::Arc> arcs;
    for (std::size_t i = 0; i < corpus_.data.sentences(); ++i) {
      check_interrupt();
      decoder.prune(corpus_.data.sentence(i), pruner_->get().weights, corpus_.data.heads_of(i), nullptr,
                    arcs);
      candidates.arcs.append(arcs);
      candidates.begin.push_back(candidates.arcs.size());
    }
  }

  // Only features of gold arcs: others never get evidence for being right.
  void fill_dictionary(const Known& known) {
    for (const Key key : known.keys) plan_.layout.dictionary().add(key);
    ArcScorer scorer(plan_.arcs, plan_.layout);
    SecondScorer second(plan_.second, plan_.layout);
    for (std::size_t i = 0; i < corpus_.data.sentences(); ++i) {
      scorer.prepare(corpus_.data.sentence(i));
      const auto heads = corpus_.data.heads_of(i);
      for (std::size_t m = 1; m < heads.size(); ++m)
        scorer.each_key(heads[m], m, [&](Key key) { plan_.layout.dictionary().add(key); });
      if (pruner_ == nullptr) continue;
      second.prepare(corpus_.data.sentence(i), parts_.candidates.of(i), plan_.options.single_root);
      second.each_key(heads, [&](Key key) { plan_.layout.dictionary().add(key); });
    }
  }

  // Keys of this rank -> those of all, in the order of the data. A meeting.
  void merge_dictionary(const Known& known) {
    KeyIndex& dictionary = plan_.layout.dictionary();
    std::vector<Key> keys(dictionary.size());
    dictionary.each([&keys](Key key, std::uint32_t row) { keys[row] = key; });
    Vocabulary met;
    for (const Key key : known.keys) met.keep(key);
    for (const Key key : keys) met.intern(key, /*count=*/0);
    merge_and_prune(met, /*min_count=*/0, corpus_.own.ranks());
    dictionary = KeyIndex();
    for (const Key key : met.keys()) dictionary.add(key);
  }

  // Scores development data; one per thread.
  struct DevScorer {
    DevScorer(const ParserPlan& plan, const Pruner* pruner) : decoder(plan, pruner) {}
    TreeDecoder decoder;
    AttachmentScorer counts;
    std::vector<std::string_view> gold, system;  // [words + 1], or empty
  };

  Scores score(const Corpus& dev, const Weights& w, Workers& workers) const {
    PerThread<DevScorer> scorers(workers,
                                 [this] { return DevScorer(plan_, pruner_ ? &pruner_->get() : nullptr); });
    const ParserWeights weights{w.data(), w.data() + plan_.layout.part_weights()};
    share_items(dev.data.sentences(), workers, [&](std::size_t i) {
      check_interrupt();
      add_score(dev, i, weights, scorers.local());
    });
    AttachmentScorer all;
    scorers.each([&](const DevScorer& scorer) { all.add(scorer.counts); });
    add_ranks(all);
    return all.evaluate().scores;
  }

  void add_score(const Corpus& dev, std::size_t i, const ParserWeights& weights, DevScorer& scorer) const {
    const TreeDecoder& decoder = scorer.decoder;
    scorer.decoder.parse(dev.data.sentence(i), weights);
    const std::size_t begin = dev.data.begin[i];
    scorer.gold.assign(options_.labelled ? 1 : 0, "");
    scorer.system.assign(options_.labelled ? 1 : 0, "");
    for (std::size_t m = 1; options_.labelled && m < decoder.heads().size(); ++m) {
      scorer.gold.push_back(dev.labels.names()[dev.data.labels[begin + m]]);
      scorer.system.push_back(corpus_.labels.names()[decoder.labels()[m]]);
    }
    scorer.counts.add({.gold_heads = dev.data.heads_of(i),
                       .system_heads = decoder.heads(),
                       .gold_labels = scorer.gold,
                       .system_labels = scorer.system,
                       .is_punctuation = std::span(dev.punctuation).subspan(begin, decoder.heads().size())});
  }

  DepOptions options_;
  FactorTemplateSet templates_;  // moved into the plan
  TreeParts parts_;
  Corpus& corpus_ = parts_.corpus;
  ParserPlan plan_;
  std::unique_ptr<StoredPruner> pruner_;  // for second order
  std::uint64_t all_data_ = 0;            // a fingerprint of the shards of all ranks
  std::unique_ptr<Task> task_;
};

// `pruner` is a model, for second order; `space` is where columns go.
TreeParts read_parts(const Source& source, const DepOptions& options, const Known& known,
                     const std::string& pruner, SpillSpace* space) {
  TreeParts parts;
  const FactorTemplateSet templates = choose_factor_templates(options.features, options.columns);
  const LabelSet labels = options.labelled ? known.labels : LabelSet();
  FieldTexts* texts = options.names ? &parts.texts : nullptr;
  OwnShards own = space == nullptr ? OwnShards::of(source) : OwnShards();  // one rank makes a cache
  parts.corpus = own.is_cut()
                     ? read_own_trees(source, std::move(own), templates, labels, options.labelled, texts)
                     : read_trees(source, templates, labels, options.labelled, space, texts);
  parts.pruner = pruner;
  parts.space = space;
  return parts;
}

}  // namespace

Known read_known(const ModelFile& model) {
  require_task(model, "dep");
  const StoredParser stored(model);
  Known known{.labels = stored.labels,
              .keys = {},
              .pruner = stored.options.order == 2 ? std::string(model.section("pruner")) : "",
              .single_root = stored.options.single_root,
              .columns = model.description().text("columns"),
              .names = read_names(model)};
  std::ranges::replace(known.columns, ' ', ',');
  stored.layout.dictionary().each([&](Key key, std::uint32_t) { known.keys.push_back(key); });
  return known;
}

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const DepOptions& options,
                                               const Known& known, const std::string& pruner) {
  return std::make_unique<DepTrainingSet>(read_parts(source, options, known, pruner, nullptr), source.name(),
                                          options, known);
}

void compile_training_set(const Source& source, const DepOptions& options, const Known& known,
                          const std::string& pruner, SpillSpace& space, BlockCacheWriter& out) {
  DepTrainingSet set(read_parts(source, options, known, pruner, &space), source.name(), options, known);
  set.compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache, const DepOptions& options,
                                               const Known& known) {
  const std::string name = cache->path();
  const FactorTemplateSet templates = choose_factor_templates(options.features, options.columns);
  return std::make_unique<DepTrainingSet>(open_parts(std::move(cache), templates, options.names), name,
                                          options, known);
}

}  // namespace hinge::dep
