#include "hinge/tasks/coref/training_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/shared_work.h"
#include "hinge/evaluate/coreference.h"
#include "hinge/tasks/coref/columns.h"
#include "hinge/tasks/coref/compiled.h"
#include "hinge/tasks/coref/decoder.h"
#include "hinge/tasks/coref/task.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::coref {
namespace {

class CorefTrainingSet final : public TrainingSet {
 public:
  CorefTrainingSet(DocumentParts parts, const CorefOptions& options)
      : options_(options),
        parts_(std::move(parts)),
        task_(data_, plan_.templates, plan_.layout,
              Costs{.false_anaphor = options.false_anaphor,
                    .false_new = options.false_new,
                    .wrong_link = options.wrong_link}) {
    if (parts_.cache != nullptr)
      parts_.cache->set_check(
          [this](std::size_t first, std::size_t last) { return is_sound(data_, first, last); });
  }

  void compile(BlockCacheWriter& out) {
    parts_.fingerprint = fingerprint();
    write_parts(parts_, out);
  }

  const Task& task() const override { return task_; }

  std::string summary() const override {
    const DocumentCounts& counts = parts_.counts;
    const auto recall = [&](std::uint64_t part) {
      return percent(static_cast<std::int64_t>(part), static_cast<std::int64_t>(counts.gold));
    };
    const std::string found =
        plan_.gold_mentions
            ? ""
            : fmt::format(" ({} of {} candidates; recall {:.1f} of {:.1f} %)", data_.mentions.size(),
                          counts.candidates, recall(counts.found), recall(counts.right));
    return fmt::format("{} documents, {} words, {} mentions{}, {} pairs, {} templates ({}) of {}, {} weights",
                       data_.size(), counts.tokens, data_.mentions.size(), found, data_.candidates.size(),
                       plan_.templates.starts.size() + plan_.templates.pairs.size(), options_.features,
                       column_names(plan_.columns), plan_.layout.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Dev>();
    dev->documents = read_documents(source, workers);
    append_data(
        dev->documents, plan_, workers,
        [&](std::size_t i, const Tokens& tokens) { return find_spans(dev->documents[i], tokens, plan_); },
        dev->data);
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    if (parts_.fingerprint) return *parts_.fingerprint;
    Fingerprint print;
    print.add(plan_.templates.source);
    print.add(std::array{plan_.layout.hash_bits(), plan_.reach.window, plan_.reach.word_window});
    print.add(std::array{options_.false_anaphor, options_.false_new, options_.wrong_link});
    print.add(plan_.frequent.keys());
    print.add(features_.keys);
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const DocumentView data = data_[i];
      for (const FieldKeys& fields : data.set.fields) print.add(fields);
      print.add(data.set.words);
      print.add(data.heads);
      print.add(data.relations);
      print.add(data.begin);
      print.add(data.clusters);
    }
    return print.value();
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "coref");
    const Plan theirs = read_plan(model);
    if (theirs.templates.source != plan_.templates.source ||
        theirs.layout.hash_bits() != plan_.layout.hash_bits())
      fail<ModelError>("{}: was trained with other templates or hash_bits; use the same for both",
                       model.name());
    const auto stored = model.array<float>("weights");
    if (stored.size() != theirs.layout.dimension())
      fail<ModelError>("{}: its weights are cut short; train it again", model.name());
    Weights w(plan_.layout.dimension());
    if (plan_.layout.hashed()) {
      std::ranges::copy(stored, w.data());
      return w;
    }
    for (FeatureId id = 0; id < features_.keys.size(); ++id) {
      const FeatureId from = theirs.layout.id(features_.keys[id]);
      if (from != Layout::kNone) w[id] = stored[from];
    }
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    meta.set("templates", options_.features);
    write_plan(plan_, out, meta);
    if (!plan_.layout.hashed()) return write_dictionary(features_, w, out);
    out.add_array("weights", w.span());
    if (parts_.names) parts_.names->write(kRowNames, used_rows(w.span(), 1), out);
  }

 private:
  struct Dev {
    std::vector<Document> documents;
    DocumentSet data;
  };

  Scores score(const Dev& dev, const Weights& w, Workers& workers) const {
    PerThread<Decoder> decoders(workers, [this] { return Decoder(plan_.templates, plan_.layout); });
    CoreferenceScorer all;
    for (const CoreferenceCounts& document :
         share_values<CoreferenceCounts>(dev.data.size(), workers, [&](std::size_t i) {
           check_interrupt();
           Decoder& decoder = decoders.local();
           decoder.choose(dev.data[i], w.data());
           CoreferenceScorer scorer;
           scorer.add(dev.documents[i].mentions, decoder.clusters(plan_.singletons));
           return scorer.counts();
         }))
      all.add(document);
    return all.evaluate().scores;
  }

  CorefOptions options_;
  DocumentParts parts_;
  const Plan& plan_ = parts_.plan;
  const Dictionary& features_ = parts_.features;
  const DocumentSet& data_ = parts_.data;
  CorefTask task_;
};

}  // namespace

Known read_known(const ModelFile& model) {
  require_task(model, "coref");
  const Plan plan = read_plan(model);
  const auto words = plan.frequent.keys();
  return {.words = {words.begin(), words.end()},
          .columns = column_names(plan.columns),
          .templates = plan.templates.source,
          .features = plan.layout.hashed() ? Dictionary() : read_dictionary(model, plan.templates),
          .names = RowNames::read(model, kRowNames)};
}

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const CorefOptions& options,
                                               const Known& known, Workers& workers) {
  return std::make_unique<CorefTrainingSet>(read_parts(source, options, known, workers, nullptr), options);
}

void compile_training_set(const Source& source, const CorefOptions& options, const Known& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out) {
  CorefTrainingSet set(read_parts(source, options, known, workers, &space), options);
  set.compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const CorefOptions& options) {
  return std::make_unique<CorefTrainingSet>(open_parts(std::move(cache), options), options);
}

}  // namespace hinge::coref
