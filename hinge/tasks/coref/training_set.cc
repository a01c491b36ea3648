#include "hinge/tasks/coref/training_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/corpus/documents.h"
#include "hinge/evaluate/coreference.h"
#include "hinge/tasks/coref/candidates.h"
#include "hinge/tasks/coref/columns.h"
#include "hinge/tasks/coref/decoder.h"
#include "hinge/tasks/coref/plan.h"
#include "hinge/tasks/coref/task.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::coref {
namespace {

std::vector<Document> read_documents(const Source& source) {
  DocumentReader reader(source.input());
  std::vector<Document> documents;
  for (Document document; reader.next(document);) {
    check_interrupt();
    documents.push_back(std::move(document));
  }
  return documents;
}

// The numbers of all documents, on all threads. find(i, tokens): the mentions of one.
template <typename Find>
std::vector<DocumentData> make_all(const std::vector<Document>& documents, const Plan& plan, Workers& workers,
                                   const Find& find) {
  std::vector<DocumentData> all(documents.size());
  each_until_error(workers, documents.size(), [&](std::size_t i) {
    check_interrupt();
    const Tokens tokens = tokens_of(documents[i], plan.columns);
    const FoundSpans found = find(i, tokens);
    all[i] = make_data(tokens, found, gold_clusters(documents[i], found.spans), plan.frequent, plan.reach);
  }).rethrow();
  return all;
}

// Mentions in the training documents, each found by a detector learned from other
// documents: with its own it would be surer than it is later.
class CrossDetection {
 public:
  static constexpr std::size_t kFolds = 5;

  CrossDetection(const std::vector<Document>& documents, const Plan& plan, double miss, Workers& workers)
      : spans_(documents.size()), examples_(documents.size()) {
    each_until_error(workers, documents.size(), [&](std::size_t i) {
      check_interrupt();
      const Tokens tokens = tokens_of(documents[i], plan.columns);
      spans_[i] = candidate_spans(tokens);
      examples_[i].fields = describe_candidates(tokens, spans_[i], plan.frequent);
      for (const std::uint32_t cluster : gold_clusters(documents[i], spans_[i]))
        examples_[i].mention.push_back(cluster != kNoCluster);
    }).rethrow();
    // One more, of all documents, is the model's.
    detectors_.resize(kFolds + 1);
    each_until_error(workers, kFolds + 1, [&](std::size_t fold) {
      std::vector<const DetectorExample*> others;
      for (std::size_t i = 0; i < examples_.size(); ++i) {
        if (i % kFolds != fold) others.push_back(&examples_[i]);
      }
      detectors_[fold] = Detector::learn(others, miss);
    }).rethrow();
  }

  FoundSpans find(std::size_t i) const {
    const bool alone = examples_.size() == 1;  // there are no others to learn from
    return detect(spans_[i], examples_[i].fields, detectors_[alone ? kFolds : i % kFolds]);
  }
  Detector take_detector() { return std::move(detectors_[kFolds]); }
  std::size_t candidates() const {
    std::size_t n = 0;
    for (const auto& spans : spans_) n += spans.size();
    return n;
  }
  // That are mentions.
  std::size_t right() const {
    std::size_t n = 0;
    for (const DetectorExample& example : examples_)
      n += static_cast<std::size_t>(std::ranges::count(example.mention, 1));
    return n;
  }

 private:
  std::vector<std::vector<Span>> spans_;
  std::vector<DetectorExample> examples_;
  std::vector<Detector> detectors_;  // [folds + 1]
};

class CorefTrainingSet final : public TrainingSet {
 public:
  CorefTrainingSet(const Source& source, const CorefOptions& options, const Known& known, Workers& workers)
      : options_(options), plan_(make_plan(options)) {
    const std::vector<Document> documents = read_documents(source);
    for (const Document& document : documents) tokens_ += document.tokens.size();
    for (const Document& document : documents) gold_ += given_spans(document).spans.size();
    if (gold_ == 0)
      fail<InputError>(
          "{}: has no mentions; expected documents with coreference in the last column (CoNLL-2012) or "
          "Entity= in MISC (CoNLL-U)",
          source.name());
    plan_.frequent = frequent_words(documents, known);
    find_mentions(documents, workers);
    if (!plan_.layout.hashed()) fill_dictionary(documents, known, workers);
    task_ = std::make_unique<CorefTask>(data_, plan_.templates, plan_.layout,
                                        Costs{.false_anaphor = options.false_anaphor,
                                              .false_new = options.false_new,
                                              .wrong_link = options.wrong_link});
  }

  const Task& task() const override { return *task_; }

  std::string summary() const override {
    std::size_t mentions = 0, pairs = 0, right = 0;
    for (const DocumentData& data : data_) {
      mentions += data.size();
      pairs += data.candidates.size();
      right += data.size() - static_cast<std::size_t>(std::ranges::count(data.clusters, kNoCluster));
    }
    const std::string found =
        plan_.gold_mentions
            ? ""
            : fmt::format(" ({} of {} candidates; recall {:.1f} of {:.1f} %)", mentions, candidates_,
                          percent(static_cast<std::int64_t>(right), static_cast<std::int64_t>(gold_)),
                          percent(static_cast<std::int64_t>(right_), static_cast<std::int64_t>(gold_)));
    return fmt::format("{} documents, {} words, {} mentions{}, {} pairs, {} templates ({}) of {}, {} weights",
                       data_.size(), tokens_, mentions, found, pairs,
                       plan_.templates.starts.size() + plan_.templates.pairs.size(), options_.features,
                       column_names(plan_.columns), plan_.layout.dimension());
  }

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override {
    auto dev = std::make_shared<Dev>();
    dev->documents = read_documents(source);
    dev->data = make_all(dev->documents, plan_, workers, [&](std::size_t i, const Tokens& tokens) {
      return find_spans(dev->documents[i], tokens, plan_);
    });
    return [this, dev, &workers](const Weights& w) { return score(*dev, w, workers); };
  }

  std::uint64_t fingerprint() const override {
    Fingerprint print;
    print.add(plan_.templates.source);
    print.add(std::array{plan_.layout.hash_bits(), plan_.reach.window, plan_.reach.word_window});
    print.add(std::array{options_.false_anaphor, options_.false_new, options_.wrong_link});
    print.add(plan_.frequent.keys());
    print.add(features_.keys);
    for (const DocumentData& data : data_) {
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
  }

 private:
  static Plan make_plan(const CorefOptions& options) {
    return {.templates = parse_templates(template_text(options.features, preset_table()), options.features),
            .layout = Layout(options.hash_bits),
            .reach = {.window = options.window, .word_window = options.word_window},
            .columns = parse_columns(options.columns),
            .gold_mentions = options.mentions == "gold",
            .singletons = options.singletons};
  }

  FrequentWords frequent_words(const std::vector<Document>& documents, const Known& known) const {
    std::unordered_map<Key, std::int64_t> counts;
    std::vector<Key> words;
    for (const Document& document : documents) {
      check_interrupt();
      const Tokens tokens = tokens_of(document, plan_.columns);
      for (const Span& span : plan_.gold_mentions ? given_spans(document).spans : candidate_spans(tokens)) {
        words.clear();
        append_visible_words(tokens, span, words);
        std::ranges::sort(words);
        words.erase(std::unique(words.begin(), words.end()), words.end());
        for (const Key word : words) ++counts[word];
      }
    }
    std::vector<Key> frequent = known.words;
    for (const auto& [word, count] : counts) {
      if (count >= options_.min_count) frequent.push_back(word);
    }
    std::ranges::sort(frequent);
    frequent.erase(std::unique(frequent.begin(), frequent.end()), frequent.end());
    return FrequentWords(std::move(frequent));
  }

  void find_mentions(const std::vector<Document>& documents, Workers& workers) {
    if (plan_.gold_mentions) {
      data_ = make_all(documents, plan_, workers,
                       [&](std::size_t i, const Tokens&) { return given_spans(documents[i]); });
      return;
    }
    CrossDetection detection(documents, plan_, options_.miss, workers);
    candidates_ = detection.candidates();
    right_ = detection.right();
    data_ = make_all(documents, plan_, workers, [&](std::size_t i, const Tokens& tokens) {
      return best_per_head(tokens, detection.find(i));
    });
    plan_.detector = detection.take_detector();
  }

  void fill_dictionary(const std::vector<Document>& documents, const Known& known, Workers& workers) {
    ValueTexts texts;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      check_interrupt();
      texts.add(tokens_of(documents[i], plan_.columns), data_[i].set);
    }
    const bool same = known.templates == plan_.templates.source;  // else weights_of() refuses the model
    features_ =
        find_features(data_, plan_.templates, texts, options_.dictionary == "gold" ? Seen::kGold : Seen::kAll,
                      same ? known.features : Dictionary(), workers);
    plan_.layout = Layout(index_of(features_.keys));
  }

  struct Dev {
    std::vector<Document> documents;
    std::vector<DocumentData> data;
  };

  Scores score(const Dev& dev, const Weights& w, Workers& workers) const {
    PerThread<Decoder> decoders(workers, [this] { return Decoder(plan_.templates, plan_.layout); });
    std::vector<CoreferenceScorer> scorers(dev.data.size());
    each_until_error(workers, dev.data.size(), [&](std::size_t i) {
      check_interrupt();
      Decoder& decoder = decoders.local();
      decoder.choose(dev.data[i], w.data());
      scorers[i].add(dev.documents[i].mentions, decoder.clusters(plan_.singletons));
    }).rethrow();
    CoreferenceScorer all;
    for (const CoreferenceScorer& scorer : scorers) all.add(scorer);
    return all.evaluate().scores;
  }

  CorefOptions options_;
  Plan plan_;
  Dictionary features_;  // empty if they are hashed
  std::vector<DocumentData> data_;
  std::size_t tokens_ = 0;
  std::size_t gold_ = 0;                    // mentions in the documents
  std::size_t candidates_ = 0, right_ = 0;  // of the detector, and how many of them are mentions
  std::unique_ptr<CorefTask> task_;
};

}  // namespace

Known read_known(const ModelFile& model) {
  require_task(model, "coref");
  const Plan plan = read_plan(model);
  const auto words = plan.frequent.keys();
  return {.words = {words.begin(), words.end()},
          .columns = column_names(plan.columns),
          .templates = plan.templates.source,
          .features = plan.layout.hashed() ? Dictionary() : read_dictionary(model, plan.templates)};
}

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const CorefOptions& options,
                                               const Known& known, Workers& workers) {
  return std::make_unique<CorefTrainingSet>(source, options, known, workers);
}

}  // namespace hinge::coref
