#include "hinge/tasks/classify/training_set.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/shared_work.h"
#include "hinge/core/state_bytes.h"
#include "hinge/core/threads.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/classify/compiled.h"
#include "hinge/tasks/classify/decoder.h"
#include "hinge/tasks/classify/evaluate.h"
#include "hinge/tasks/classify/task.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::classify {
namespace {

class ClassifyTrainingSet final : public TrainingSet {
 public:
  // `name` is of the data.
  ClassifyTrainingSet(TextParts parts, const std::string& name, const ClassifyOptions& options)
      : options_(options),
        parts_(std::move(parts)),
        layout_{.labels = corpus_.labels.size(), .features = features_.count()},
        task_(corpus_.own.number(std::make_unique<ClassifyTask>(corpus_.data, layout_))) {
    if (layout_.dimension() > 0xFFFFFFF0u)
      fail<InputError>("{}: {} features with {} labels make more than 2^32 weights; lower hash_bits{}", name,
                       features_.count(), layout_.labels,
                       features_.kinds.hash_bits > 0 ? "" : " or raise min_count");
    if (parts_.cache != nullptr)
      parts_.cache->set_check(
          [this](std::size_t first, std::size_t last) { return is_sound(parts_, first, last); });
  }

  void compile(BlockCacheWriter& out) {
    parts_.fingerprint = fingerprint();
    write_parts(parts_, options_, out);
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    return fmt::format("{} texts, {} labels, {} features ({}), {} weights", corpus_.size(),
                       layout_.labels, layout_.features, describe(features_.kinds), layout_.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Corpus>(read_labelled(source, corpus_.format, corpus_.labels, features_));
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    if (parts_.fingerprint) return *parts_.fingerprint;
    Fingerprint print;
    corpus_.add_to(print);
    print.add(corpus_.labels.names());
    print.add(features_.vocabulary.keys());
    print.add(describe(features_.kinds));
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "classify");
    check_same_features(model);
    const std::vector<std::size_t> ours = corpus_.labels.find_all(model.description().texts("labels"));
    const RowTable rows(model, "feature", ours.size());
    std::vector<float> sums(std::max<std::size_t>(256, ours.size() + kReadableSlack));
    Weights w(layout_.dimension());
    std::size_t matched = 0;
    const auto put = [&](std::size_t row, std::span<const float> values) {
      for (std::size_t y = 0; y < ours.size(); ++y) {
        if (ours[y] == layout_.labels || values[y] == 0.0f) continue;
        w[row + ours[y]] = values[y];
        ++matched;
      }
    };
    for (std::uint32_t f = 0; f < layout_.features; ++f) {
      const RowTable::Row row = rows.find(row_key(feature(f), features_.kinds));
      if (row.empty()) continue;
      std::ranges::fill(sums, 0.0f);
      rows.add_to(row, 1.0f, sums.data());
      put(layout_.row(f), sums);
    }
    if (matched == 0)
      fail<ModelError>("{}: shares no weights with the training data; use the same labels", model.name());
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    meta.set("labels", corpus_.labels.names());
    meta.set("format", format_name(corpus_.format.lines));
    meta.set("label_prefix", corpus_.format.label_prefix);
    write_kinds(features_.kinds, meta);
    RowTableBuilder rows;
    for (std::uint32_t f = 0; f < layout_.features; ++f) {
      rows.add(row_key(feature(f), features_.kinds), f, w.span().subspan(layout_.row(f), layout_.labels),
               static_cast<float>(options_.prune));
    }
    const std::vector<std::uint32_t> order = rows.write("feature", layout_.labels, out);
    ByteWriter names;
    if (features_.kinds.hash_bits == 0) {
      for (const std::uint32_t f : order) names.put(std::string_view(features_.names[f]));
    }
    out.add("names", names.take());
    if (options_.names) features_.row_names.write(kRowNames, order, out);
  }

 private:
  Key feature(std::uint32_t f) const {
    return features_.kinds.hash_bits > 0 ? Key{f} : features_.vocabulary.key(f);
  }

  void check_same_features(const ModelFile& model) const {
    const FeatureKinds theirs = read_kinds(model);
    if (theirs == features_.kinds) return;
    fail<ModelError>("{}: was trained with {}, this training has {}; use the same", model.name(),
                     describe(theirs), describe(features_.kinds));
  }

  // Scores development data; one per thread.
  struct DevScorer {
    LabelScorer counts;
    std::vector<float> sums;
  };

  Scores score(const Corpus& dev, const Weights& w, Workers& workers) const {
    PerThread<DevScorer> scorers(workers, [] { return DevScorer(); });
    share_items(dev.data.size(), workers, [&](std::size_t i) {
      check_interrupt();
      DevScorer& scorer = scorers.local();
      const std::size_t best = best_of(score_text(dev.data, i, layout_, w, scorer.sums));
      scorer.counts.add(dev.labels.names()[dev.data.gold[i]], corpus_.labels.names()[best]);
    });
    LabelScorer all;
    scorers.each([&](const DevScorer& scorer) { all.add(scorer.counts); });
    add_ranks(all);
    return all.evaluate().scores;
  }

  ClassifyOptions options_;
  TextParts parts_;
  const Features& features_ = parts_.features;
  const Corpus& corpus_ = parts_.corpus;
  TextLayout layout_;
  std::unique_ptr<Task> task_;
};

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ClassifyOptions& options,
                                               const Known& known) {
  return std::make_unique<ClassifyTrainingSet>(read_parts(source, options, known, nullptr), source.name(),
                                               options);
}

void compile_training_set(const Source& source, const ClassifyOptions& options, const Known& known,
                          SpillSpace& space, BlockCacheWriter& out) {
  ClassifyTrainingSet set(read_parts(source, options, known, &space), source.name(), options);
  set.compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const ClassifyOptions& options) {
  const std::string name = cache->path();
  return std::make_unique<ClassifyTrainingSet>(open_parts(std::move(cache), options), name, options);
}

}  // namespace hinge::classify
