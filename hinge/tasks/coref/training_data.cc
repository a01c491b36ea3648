#include "hinge/tasks/coref/training_data.h"

#include <algorithm>
#include <unordered_map>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/tasks/coref/candidates.h"
#include "hinge/tasks/coref/columns.h"
#include "hinge/tasks/coref/cross_detection.h"

namespace hinge::coref {
namespace {

// Counts mentions, and those around which a word is.
class WordCounts {
 public:
  explicit WordCounts(const Plan& plan) : plan_(plan) {}

  void add(const Document& document) {
    check_interrupt();
    const Tokens tokens = tokens_of(document, plan_.columns);
    for (const Span& span : plan_.gold_mentions ? given_spans(document).spans : candidate_spans(tokens)) {
      words_.clear();
      append_visible_words(tokens, span, words_);
      std::ranges::sort(words_);
      words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
      for (const Key word : words_) ++counts_[word];
    }
  }

  FrequentWords frequent(std::int64_t min_count, std::vector<Key> known) const {
    std::vector<Key> frequent = std::move(known);
    for (const auto& [word, count] : counts_) {
      if (count >= min_count) frequent.push_back(word);
    }
    std::ranges::sort(frequent);
    frequent.erase(std::unique(frequent.begin(), frequent.end()), frequent.end());
    return FrequentWords(std::move(frequent));
  }

 private:
  const Plan& plan_;
  std::unordered_map<Key, std::int64_t> counts_;
  std::vector<Key> words_;
};

// Fills in the parts, step by step, as each needs the ones before it.
class PartsReader {
 public:
  PartsReader(const Source& source, const CorefOptions& options, Workers& workers, SpillSpace* space)
      : options_(options),
        workers_(workers),
        space_(space),
        name_(source.name()),
        documents_([&](const auto& use) { each_documents(source, workers, use); }, space == nullptr) {
    parts_.plan = plan_of(options);
    if (space != nullptr) spill_columns(parts_.data, *space);
  }

  DocumentParts read(const Known& known) && {
    count_words(known);
    if (plan_.gold_mentions) {
      add_data([](std::size_t, const Document& document, const Tokens&) { return given_spans(document); });
    } else {
      detect_mentions();
    }
    parts_.counts.found = parts_.data.mentions.size() -
                          static_cast<std::uint64_t>(std::ranges::count(parts_.data.clusters, kNoCluster));
    if (!plan_.layout.hashed()) fill_dictionary(known);
    if (options_.names)
      parts_.names = name_weights(parts_.data, plan_.templates, texts_, plan_.layout, known.names, workers_);
    return std::move(parts_);
  }

 private:
  void count_words(const Known& known) {
    WordCounts words(plan_);
    documents_.each([&](std::span<const Document> documents) {
      for (const Document& document : documents) {
        words.add(document);
        parts_.counts.tokens += document.tokens.size();
        parts_.counts.gold += given_spans(document).spans.size();
      }
    });
    if (parts_.counts.gold == 0)
      fail<InputError>(
          "{}: has no mentions; expected documents with coreference in the last column (CoNLL-2012) or "
          "Entity= in MISC (CoNLL-U)",
          name_);
    plan_.frequent = words.frequent(options_.min_count, known.words);
  }

  void detect_mentions() {
    CrossDetection detection(documents_, plan_, options_.miss, workers_, space_);
    parts_.counts.candidates = detection.candidates();
    parts_.counts.right = detection.right();
    add_data([&](std::size_t i, const Document&, const Tokens& tokens) {
      return best_per_head(tokens, detection.find(i));
    });
    plan_.detector = detection.take_detector();
  }

  // find(number of the document, document, tokens)
  template <typename Find>
  void add_data(const Find& find) {
    documents_.each([&](std::span<const Document> documents) {
      const std::size_t first = parts_.data.size();
      append_data(
          documents, plan_, workers_,
          [&](std::size_t i, const Tokens& tokens) { return find(first + i, documents[i], tokens); },
          parts_.data);
      const bool named = !plan_.layout.hashed() || options_.names;
      for (std::size_t i = 0; named && i < documents.size(); ++i)
        texts_.add(tokens_of(documents[i], plan_.columns), parts_.data[first + i].set);
    });
  }

  void fill_dictionary(const Known& known) {
    const bool same = known.templates == plan_.templates.source;  // else weights_of() refuses the model
    parts_.features = find_features(parts_.data, plan_.templates, texts_,
                                    options_.dictionary == "gold" ? Seen::kGold : Seen::kAll,
                                    same ? known.features : Dictionary(), workers_);
    plan_.layout = Layout(index_of(parts_.features.keys));
  }

  const CorefOptions& options_;
  Workers& workers_;
  SpillSpace* space_;
  std::string name_;  // of the data
  Rereadable<Document> documents_;
  DocumentParts parts_;
  Plan& plan_ = parts_.plan;
  ValueTexts texts_;  // for the dictionary, or for names
};

}  // namespace

Plan plan_of(const CorefOptions& options) {
  return {.templates = parse_templates(template_text(options.features, preset_table()), options.features),
          .layout = Layout(options.hash_bits),
          .reach = {.window = options.window, .word_window = options.word_window},
          .columns = parse_columns(options.columns),
          .gold_mentions = options.mentions == "gold",
          .singletons = options.singletons};
}

DocumentParts read_parts(const Source& source, const CorefOptions& options, const Known& known,
                         Workers& workers, SpillSpace* space) {
  check_names(options.names, options.hash_bits > 0);
  return PartsReader(source, options, workers, space).read(known);
}

void append_data(std::span<const Document> documents, const Plan& plan, Workers& workers,
                 const FindMentions& find, DocumentSet& data) {
  std::vector<DocumentData> all(documents.size());
  each_until_error(workers, documents.size(), [&](std::size_t i) {
    check_interrupt();
    const Tokens tokens = tokens_of(documents[i], plan.columns);
    const FoundSpans found = find(i, tokens);
    all[i] = make_data(tokens, found, gold_clusters(documents[i], found.spans), plan.frequent, plan.reach);
  }).rethrow();
  for (const DocumentData& document : all) data.add(document);
}

}  // namespace hinge::coref
