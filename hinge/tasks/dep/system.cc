#include "hinge/tasks/dep/system.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/sample/sampler.h"
#include "hinge/tasks/dep/corpus.h"
#include "hinge/tasks/dep/parser.h"
#include "hinge/tasks/dep/second_task.h"
#include "hinge/tasks/dep/stored.h"
#include "hinge/tasks/dep/task.h"

namespace hinge::dep {
namespace {

template <typename T>
std::string bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class DepTrainingSet final : public TrainingSet {
 public:
  // `pruner` is a model, for second order.
  DepTrainingSet(const Source& source, const DepOptions& options, const LabelSet& labels,
                 const std::string& pruner)
      : options_(options),
        templates_(choose_part_templates(options.features)),
        corpus_(read_trees(source, templates_, labels, options.labelled)),
        grammar_(std::move(templates_), tree_options(source.name()),
                 Space(options.hash_bits, options.label_bits, options.labelled ? corpus_.labels.size() : 0)),
        pruner_bytes_(pruner) {
    if (options.order == 2) {
      pruner_ =
          std::make_unique<StoredPruner>(ModelFile::from_bytes(pruner, "the pruner"), grammar_.templates);
      task_ = std::make_unique<SecondTask>(corpus_.data, grammar_, candidates_);
    } else {
      task_ = std::make_unique<TreeTask>(corpus_.data, grammar_);
    }
    if (grammar_.options.decoder == TreeDecoder::kEisner) make_projective(corpus_);
    set_costs();
    find_label_rows();
    if (pruner_ != nullptr) find_candidates();
    if (!grammar_.space.hashed()) fill_dictionary();
    if (grammar_.space.dimension() > 0xFFFFFFF0u)
      fail<OptionError>("hash_bits={} and label_bits={} are more weights than 2^32; lower them",
                        options.hash_bits, options.label_bits);
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    const std::string lifted =
        corpus_.lifted > 0 ? fmt::format(" ({} trees made projective)", corpus_.lifted) : "";
    return fmt::format("{} sentences, {} words{}, {} labels, {} arc and {} label templates ({}), {} weights",
                       corpus_.data.sentences(), corpus_.data.words(), lifted, grammar_.space.labels(),
                       grammar_.templates.of(PartKind::kArc).size(), grammar_.labels.size(),
                       options_.features, grammar_.space.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source) const override {
    auto dev =
        std::make_shared<Corpus>(read_trees(source, grammar_.templates, corpus_.labels, options_.labelled));
    return [this, dev](const Weights& w) { return score(*dev, w); };
  }

  std::uint64_t fingerprint() const override {
    const TreeData& data = corpus_.data;
    std::uint64_t hash = XXH3_64bits(grammar_.templates.source.data(), grammar_.templates.source.size());
    const auto add = [&hash](const auto& values) {
      hash = XXH3_64bits_withSeed(values.data(), values.size() * sizeof(values[0]), hash);
    };
    add(data.begin);
    add(data.keys);
    add(data.heads);
    add(data.labels);
    add(data.costs);
    add(data.label_rows);
    add(candidates_.begin);
    add(candidates_.arcs);
    const TreeOptions& trees = grammar_.options;
    add(std::array{std::int64_t{trees.decoder == TreeDecoder::kEisner}, std::int64_t{trees.single_root},
                   std::int64_t{trees.label_cost}, std::int64_t{trees.order}, grammar_.space.hash_bits(),
                   grammar_.space.label_bits(), std::int64_t{options_.labelled}});
    for (const std::string& label : corpus_.labels.names()) add(label);
    return hash;
  }

  Weights weights_of(const ModelFile& model) const override {
    const StoredParser stored(model);
    const Space& space = grammar_.space;
    if (model.section("features") != grammar_.templates.source)
      fail<ModelError>("{}: was trained with other templates; give both the same features", model.name());
    if (stored.space.hash_bits() != space.hash_bits() || stored.space.label_bits() != space.label_bits())
      fail<ModelError>(
          "{}: was trained with hash_bits={} and label_bits={}, this training has {} and {}; give both the "
          "same",
          model.name(), stored.space.hash_bits(), stored.space.label_bits(), space.hash_bits(),
          space.label_bits());
    Weights w(space.dimension());
    bool matched = space.hashed();
    if (space.hashed()) {
      std::copy_n(stored.weights.parts, space.part_weights(), w.data());
    } else {
      for (std::size_t slot = 0; slot < space.dictionary().slots().size(); ++slot) {
        const Key key = space.dictionary().slots()[slot];
        const std::uint32_t row = key == kAbsent ? KeyIndex::kNone : stored.space.dictionary().find(key);
        if (row == KeyIndex::kNone) continue;
        matched = true;
        std::copy_n(stored.weights.parts + row * kSlots, kSlots,
                    w.data() + space.dictionary().numbers()[slot] * kSlots);
      }
    }
    const std::size_t n = stored.labels.size();
    for (std::size_t y = 0; y < n; ++y) {
      const std::size_t ours = corpus_.labels.find(stored.labels.names()[y]);
      if (ours >= space.labels()) continue;
      matched = true;
      for (std::size_t row = 0; row < space.label_rows(); ++row)
        w[space.label_base(row) + ours] = stored.weights.labels[row * n + y];
    }
    if (!matched)
      fail<ModelError>("{}: shares no weight with the training data; use data and labels like those it has",
                       model.name());
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    const Space& space = grammar_.space;
    meta.set("labels", corpus_.labels.names());
    meta.set("templates", options_.features);
    meta.set("decoder", options_.decoder);
    meta.set("order", options_.order);
    meta.set("single_root", grammar_.options.single_root);
    meta.set("hash_bits", space.hash_bits());
    meta.set("label_bits", space.label_bits());
    meta.set("labelled", options_.labelled);
    out.add("features", grammar_.templates.source);
    if (pruner_ != nullptr) out.add("pruner", pruner_bytes_);
    // Kernels read whole vectors, and beyond the last row.
    const std::string slack(kReadableSlack * sizeof(float), '\0');
    out.add("labels", bytes_of(w.span().subspan(space.part_weights())) + slack);
    if (space.hashed()) return out.add("parts", bytes_of(w.span().first(space.part_weights())));
    KeyIndex kept;
    std::vector<float> rows;
    for (std::size_t slot = 0; slot < space.dictionary().slots().size(); ++slot) {
      if (space.dictionary().slots()[slot] == kAbsent) continue;
      const auto row = w.span().subspan(space.dictionary().numbers()[slot] * kSlots, kSlots);
      if (std::ranges::all_of(row, [](float x) { return x == 0.0f; })) continue;
      kept.add(space.dictionary().slots()[slot]);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    out.add("parts", bytes_of(std::span<const float>(rows)));
    out.add("keys", bytes_of(kept.slots()));
    out.add("rows", bytes_of(kept.numbers()));
  }

 private:
  TreeOptions tree_options(const std::string& name) const {
    const bool single =
        options_.single_root == "auto" ? corpus_.several_roots == 0 : options_.single_root == "true";
    if (single && corpus_.several_roots > 0)
      fail<OptionError>("single_root is true, but {} sentences of {} have several; use single_root=auto",
                        corpus_.several_roots, name);
    return {.decoder = options_.decoder == "eisner" ? TreeDecoder::kEisner : TreeDecoder::kChuLiuEdmonds,
            .single_root = single,
            .label_cost = options_.cost == "label",
            .order = static_cast<int>(options_.order)};
  }

  void set_costs() {
    for (const char punctuation : corpus_.punctuation)
      corpus_.data.costs.push_back(punctuation ? static_cast<float>(options_.punctuation) : 1.0f);
  }

  void find_label_rows() {
    if (!options_.labelled) return;
    TreeData& data = corpus_.data;
    LabelFeatures features(grammar_.labels, grammar_.space);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < data.sentences(); ++i) {
      features.find(data.sentence(i), data.heads_of(i), rows);
      data.label_rows.insert(data.label_rows.end(), rows.begin(), rows.end());
    }
  }

  void find_candidates() {
    Parser parser(pruner_->get().grammar);
    std::vector<SecondOrderScores::Arc> arcs;
    for (std::size_t i = 0; i < corpus_.data.sentences(); ++i) {
      check_interrupt();
      parser.prune(corpus_.data.sentence(i), pruner_->get().weights, corpus_.data.heads_of(i), nullptr, arcs);
      candidates_.arcs.insert(candidates_.arcs.end(), arcs.begin(), arcs.end());
      candidates_.begin.push_back(candidates_.arcs.size());
    }
  }

  // The features of gold arcs: others never gain weight that says what is right.
  void fill_dictionary() {
    ArcScorer scorer(grammar_.arcs, grammar_.space);
    SecondScorer second(grammar_.second, grammar_.space);
    for (std::size_t i = 0; i < corpus_.data.sentences(); ++i) {
      scorer.prepare(corpus_.data.sentence(i));
      const auto heads = corpus_.data.heads_of(i);
      for (std::size_t m = 1; m < heads.size(); ++m)
        scorer.each_key(heads[m], m, [&](Key key) { grammar_.space.dictionary().add(key); });
      if (pruner_ == nullptr) continue;
      second.prepare(corpus_.data.sentence(i), candidates_.of(i), grammar_.options.single_root);
      second.each_key(heads, [&](Key key) { grammar_.space.dictionary().add(key); });
    }
  }

  Scores score(const Corpus& dev, const Weights& w) const {
    AttachmentScorer scorer;
    Parser parser(grammar_, pruner_ ? &pruner_->get() : nullptr);
    const ParserWeights weights{w.data(), w.data() + grammar_.space.part_weights()};
    std::vector<std::string_view> gold, system;
    for (std::size_t i = 0; i < dev.data.sentences(); ++i) {
      check_interrupt();
      parser.parse(dev.data.sentence(i), weights);
      const std::size_t begin = dev.data.begin[i];
      gold.assign(options_.labelled ? 1 : 0, "");
      system.assign(options_.labelled ? 1 : 0, "");
      for (std::size_t m = 1; options_.labelled && m < parser.heads().size(); ++m) {
        gold.push_back(dev.labels.names()[dev.data.labels[begin + m]]);
        system.push_back(corpus_.labels.names()[parser.labels()[m]]);
      }
      scorer.add({.gold_heads = dev.data.heads_of(i),
                  .system_heads = parser.heads(),
                  .gold_labels = gold,
                  .system_labels = system,
                  .is_punctuation = std::span(dev.punctuation).subspan(begin, parser.heads().size())});
    }
    return scorer.evaluate().scores;
  }

  DepOptions options_;
  PartTemplateSet templates_;  // until the grammar has them
  Corpus corpus_;
  Grammar grammar_;
  std::string pruner_bytes_;
  std::unique_ptr<StoredPruner> pruner_;  // of second order, as the candidates
  CandidateArcs candidates_;
  std::unique_ptr<Task> task_;
};

class DepChoice final : public TaskChoice {
 public:
  DepChoice() : table_("dep") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  // A small unlabelled parser is enough to tell which heads are out of the question.
  FirstStage first_stage() const override {
    if (options_.order == 1) return {};
    if (options_.decoder != "eisner")
      fail<OptionError>("order=2 has projective trees only; use decoder=eisner, or order=1");
    auto first = std::make_unique<DepChoice>();
    first->options_ = options_;
    first->options_.order = 1;
    first->options_.labelled = false;
    first->options_.hash_bits = 16;
    return {.task = std::move(first), .epochs = 3, .purpose = "first a parser of order 1, which prunes:"};
  }
  void set_first_stage(std::string model) override { first_stage_ = std::move(model); }

  void continue_from(const ModelFile& model) override { labels_ = read_labels(model.description()); }

  std::unique_ptr<TrainingSet> load(const Source& source) const override {
    return std::make_unique<DepTrainingSet>(source, options_, labels_, first_stage_);
  }

  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    if (gold.empty())
      fail<OptionError>(
          "dep: scores need two files; give the right trees with --gold and the others with --system");
    return evaluate_dependency_files(gold, system);
  }

  void sample(std::int64_t sentences, std::uint64_t seed, OutputFile& out) const override {
    Sampler sampler(seed);
    for (std::int64_t s = 0; s < sentences; ++s) {
      std::size_t id = 0;
      for (const SampleToken& token : sampler.next().tokens) {
        out.write(fmt::format("{}\t{}\t{}\t{}\t{}\t_\t{}\t{}\t_\t_\n", ++id, token.form, token.lemma,
                              token.upos, token.xpos, token.head, token.deprel));
      }
      out.write("\n");
    }
  }

 private:
  DepOptions options_;
  OptionTable table_;
  std::string first_stage_;  // a model
  LabelSet labels_;          // known from the start
};

}  // namespace

void DepOptions::describe(OptionTable& table) {
  table.add("features", features, "templates: a preset (dep, dep-plain) or a file").with({Trait::kFlag});
  table.add("decoder", decoder, "eisner: projective trees; chu-liu-edmonds: all trees")
      .one_of({"eisner", "chu-liu-edmonds"});
  table
      .add("order", order,
           "1: arcs; 2: also pairs of modifiers and heads of heads, over the arcs order 1 leaves")
      .at_least(1)
      .at_most(2);
  table
      .add("single_root", single_root,
           "exactly one word hangs from the root; auto: if that is so in training")
      .one_of({"auto", "true", "false"});
  table.add("labelled", labelled, "learn labels, too");
  table.add("cost", cost, "what costs: a wrong head, or a wrong head or label")
      .one_of({"label", "head"})
      .formerly("loss");
  table.add("punctuation", punctuation, "cost of a wrong arc to a punctuation mark; others cost 1")
      .at_least(0);
  table
      .add("hash_bits", hash_bits,
           "hash features of arcs into 2^bits rows of 16 weights; 0: keep a dictionary")
      .at_least(0)
      .at_most(24);
  table.add("label_bits", label_bits, "hash features of labels into 2^bits rows").at_least(1).at_most(24);
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<DepChoice>(); }

}  // namespace hinge::dep
