#include "hinge/tasks/summarize/data.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>

#include "hinge/core/interrupt.h"
#include "hinge/tasks/summarize/cuts.h"

namespace hinge::summarize {
namespace {

// Words and bigrams counted over all sentences of a topic.
class TopicCounts {
 public:
  struct Word {
    double documents = 0, occurrences = 0;
    std::uint32_t last_document = kNoPiece;
  };
  struct Bigram {
    BigramFacts facts;
    std::uint64_t first = 0, second = 0;  // words
    std::uint32_t last_document = kNoPiece;
    std::uint32_t last_sentence = kNoPiece;
  };

  explicit TopicCounts(const TopicText& text) {
    for (std::uint32_t s = 0; s < text.sentences.size(); ++s) {
      const Sentence& sentence = text.sentences[s];
      for (std::size_t k = 0; k < sentence.words.size(); ++k) {
        add_word(sentence, k);
        if (k > 0) add_bigram(sentence, s, k);
      }
    }
    for (auto& [key, bigram] : bigrams_) {
      most_ = std::max(most_, bigram.facts.documents);
      bigram.facts.capitals /= bigram.facts.occurrences;
      bigram.facts.in_first /= bigram.facts.sentences;
      bigram.facts.sentence_length /= bigram.facts.sentences;
    }
    all_ = static_cast<double>(std::max<std::size_t>(text.documents.size(), 1));
  }

  BigramFacts facts(std::uint64_t key, const Phrases& phrases, const Phrases::Seen* own) const {
    const Bigram& bigram = bigrams_.at(key);
    BigramFacts facts = bigram.facts;
    facts.all_documents = all_;
    facts.most_documents = most_;
    facts.word_documents = std::min(words_.at(bigram.first).documents, words_.at(bigram.second).documents);
    facts.affinity = phrases.affinity(key, own);
    facts.word_affinity = 0.5 * (phrases.affinity(bigram.first, own) + phrases.affinity(bigram.second, own));
    return facts;
  }

  // The cosine between the words of a sentence and those of all documents, stop words apart.
  double similarity(const Sentence& sentence) const {
    double product = 0.0, norm = 0.0;
    for (std::size_t k = 0; k < sentence.words.size(); ++k) {
      if (sentence.is_stop[k] != 0) continue;
      product += words_.at(sentence.words[k]).occurrences;
      norm += 1.0;
    }
    return norm == 0.0 ? 0.0 : product / std::sqrt(norm * squares_);
  }

 private:
  void add_word(const Sentence& sentence, std::size_t k) {
    Word& word = words_[sentence.words[k]];
    if (sentence.is_stop[k] == 0) squares_ += 2 * word.occurrences + 1;  // (n + 1)^2 - n^2
    ++word.occurrences;
    word.documents += word.last_document != sentence.document;
    word.last_document = sentence.document;
  }

  void add_bigram(const Sentence& sentence, std::uint32_t s, std::size_t k) {
    Bigram& bigram = bigrams_[bigram_key(sentence.words[k - 1], sentence.words[k])];
    BigramFacts& facts = bigram.facts;
    const double position = static_cast<double>(sentence.position) / sentence.siblings;
    if (facts.occurrences == 0) {
      bigram.first = sentence.words[k - 1];
      bigram.second = sentence.words[k];
      facts.stop_words = (sentence.is_stop[k - 1] != 0) + (sentence.is_stop[k] != 0);
      facts.first_position = position;
    }
    ++facts.occurrences;
    facts.first_position = std::min(facts.first_position, position);
    facts.documents += bigram.last_document != sentence.document;
    facts.capitals += sentence.capital[k - 1] != 0 || sentence.capital[k] != 0;
    bigram.last_document = sentence.document;
    if (bigram.last_sentence == s) return;
    bigram.last_sentence = s;
    ++facts.sentences;
    facts.in_first += sentence.position == 0;
    facts.sentence_length += static_cast<double>(sentence.words.size());
  }

  absl::flat_hash_map<std::uint64_t, Word> words_;
  absl::flat_hash_map<std::uint64_t, Bigram> bigrams_;
  double most_ = 1, all_ = 1, squares_ = 0;
};

SentenceFacts facts_of(const Sentence& sentence, const DataOptions& options, const TopicCounts& counts,
                       const Phrases& phrases, const Phrases::Seen* own) {
  const auto n = static_cast<double>(sentence.words.size());
  SentenceFacts facts{.words = n,
                      .limit = std::max(1.0, static_cast<double>(options.limit)),
                      .position = static_cast<double>(sentence.position) / sentence.siblings,
                      .first = sentence.position == 0,
                      .last = sentence.position + 1 == sentence.siblings,
                      .similarity = counts.similarity(sentence)};
  for (std::size_t k = 0; k < sentence.words.size(); ++k) {
    facts.stop_share += sentence.is_stop[k] / n;
    facts.affinity += phrases.affinity(sentence.words[k], own) / n;
    if (k > 0)
      facts.bigram_affinity +=
          phrases.affinity(bigram_key(sentence.words[k - 1], sentence.words[k]), own) / n;
  }
  look_at(sentence.text, facts);
  return facts;
}

// Builds the pieces and occurrences of a topic.
class Builder {
 public:
  Builder(const TopicText& text, const DataOptions& options, TopicData& data)
      : text_(text), options_(options), data_(data) {
    data.coverage.limit = options.limit;
    for (std::uint32_t s = 0; s < text.sentences.size(); ++s) {
      if (seen_.try_emplace(text.sentences[s].words, s).second) add(s);
    }
    data.coverage.concepts = data.keys.size();
  }

 private:
  void add(std::uint32_t s) {
    const Sentence& sentence = text_.sentences[s];
    const auto base = static_cast<std::uint32_t>(data_.coverage.pieces.size());
    for (std::uint32_t p = 0; p < sentence.parts.size(); ++p) {
      data_.coverage.pieces.push_back({.length = sentence.parts[p].length,
                                       .parent = p == 0 ? kNoPiece : base + sentence.parts[p].parent});
      data_.origins.push_back({s, p});
    }
    for (std::size_t k = 0; k < sentence.words.size(); ++k) {
      if (k == 0 || (!options_.stop_bigrams && sentence.is_stop[k] != 0 && sentence.is_stop[k - 1] != 0))
        continue;
      add_occurrence(bigram_key(sentence.words[k - 1], sentence.words[k]), base + sentence.part[k - 1],
                     base + sentence.part[k]);
    }
  }

  // If one piece hangs on the other, the lower one says it all.
  void add_occurrence(std::uint64_t key, std::uint32_t a, std::uint32_t b) {
    const auto [at, added] = ids_.try_emplace(key, static_cast<std::uint32_t>(data_.keys.size()));
    if (added) data_.keys.push_back(key);
    if (is_above(a, b)) a = b;
    if (is_above(b, a)) b = a;
    data_.coverage.occurrences.push_back({at->second, a, b});
  }

  bool is_above(std::uint32_t upper, std::uint32_t lower) const {
    for (std::uint32_t piece = lower; piece != kNoPiece; piece = data_.coverage.pieces[piece].parent) {
      if (piece == upper) return true;
    }
    return false;
  }

  const TopicText& text_;
  const DataOptions& options_;
  TopicData& data_;
  absl::flat_hash_map<std::vector<std::uint64_t>, std::uint32_t> seen_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> ids_;
};

// A cut is a parent that is kept without its part: the features of a cut count for the
// parent, and against the part.
void add_cut_features(const TopicText& text, const Layout& layout, TopicData& data) {
  for (std::size_t i = 0; i < data.origins.size(); ++i) {
    const std::uint32_t parent = data.coverage.pieces[i].parent;
    if (parent == kNoPiece) continue;
    const auto [sentence, part] = data.origins[i];
    const std::uint32_t kinds = text.sentences[sentence].parts[part].kinds;
    const auto put = [&](std::size_t kind, float value) {
      data.piece_rows[i * layout.piece() + layout.sentences + kind] -= value;
      data.piece_rows[parent * layout.piece() + layout.sentences + kind] += value;
    };
    for (std::size_t kind = 0; kind < kCutKinds.size(); ++kind) {
      if ((kinds >> kind & 1u) != 0) put(kind, 1.0f);
    }
    put(kCutKinds.size(), 1.0f);
    put(kCutKinds.size() + 1, static_cast<float>(data.coverage.pieces[i].length) / 10);
  }
}

void apply_mask(const std::vector<char>& mask, const Layout& layout, TopicData& data) {
  if (mask.empty()) return;
  for (std::size_t k = 0; k < data.bigram_rows.size(); ++k) {
    if (mask[k % layout.bigrams] == 0) data.bigram_rows[k] = 0.0f;
  }
  for (std::size_t k = 0; k < data.piece_rows.size(); ++k) {
    if (mask[layout.bigrams + k % layout.piece()] == 0) data.piece_rows[k] = 0.0f;
  }
}

// The choice of highest recall less costs, of equal ones one with few words. With m matches, c
// bigrams in a summary and n in a reference, F1 is 2 m / (c + n): it is at most F if and only if
// m - F/2 (c + n) is at most 0 (Dinkelbach 1967), so at a cost of F/2 per word the best choice by
// this difference has the best F1, F. The cost is divided by n here, as recall is.
void find_gold(const TopicText& text, const DataOptions& options, TopicData& data) {
  const std::size_t references = text.references.size();
  const std::size_t together = options.mean_recall ? 1 : references;  // references that are one
  double cost = 0.0;
  data.gains.assign(data.keys.size(), 0.0);
  for (std::size_t r = 0; r < references; r += together) {
    const BigramRecall recall(std::span(text.references).subspan(r, together), !options.stop_bigrams);
    const double share = static_cast<double>(together) / static_cast<double>(references) /
                         static_cast<double>(std::max<std::uint64_t>(recall.total(), 1));
    for (std::size_t c = 0; c < data.keys.size(); ++c) data.gains[c] += share * recall.count(data.keys[c]);
    cost += options.word_cost * static_cast<double>(together) * share;
  }
  std::vector<double> own;
  for (const Piece& piece : data.coverage.pieces) {
    data.costs.push_back(cost * piece.length);
    own.push_back(-(cost + 1e-9) * piece.length);
  }
  CoverageSolver solver;
  const CoverageSolution& best = solver.solve(data.coverage, {data.gains, own}, options.solver);
  data.gold = best.chosen;
  data.facts.exact = best.exact;
  std::ranges::fill(own, 0.0);
  data.facts.gain = data.facts.recall = coverage_value(data.coverage, {data.gains, own}, data.gold);
  for (std::size_t i = 0; i < own.size(); ++i) data.facts.gain -= data.gold[i] != 0 ? data.costs[i] : 0.0;
}

}  // namespace

TopicData make_data(const TopicText& text, const DataOptions& options, const Phrases& phrases,
                    const Phrases::Seen* own) {
  check_interrupt();
  TopicData data;
  const Layout plan = layout();
  const TopicCounts counts(text);
  const Builder build(text, options, data);
  for (const std::uint64_t key : data.keys) append_row(counts.facts(key, phrases, own), data.bigram_rows);
  for (std::size_t i = 0; i < data.origins.size(); ++i) {
    const auto [sentence, part] = data.origins[i];
    if (part == 0)
      append_row(facts_of(text.sentences[sentence], options, counts, phrases, own), data.piece_rows);
    data.piece_rows.resize((i + 1) * plan.piece());
  }
  add_cut_features(text, plan, data);
  apply_mask(options.mask, plan, data);
  if (!text.references.empty()) find_gold(text, options, data);
  return data;
}

}  // namespace hinge::summarize
