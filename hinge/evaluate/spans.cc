#include "hinge/evaluate/spans.h"

#include "hinge/core/state_bytes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace hinge {
namespace {

struct Chunk {
  std::string_view tag = "O";  // B, I, E, S, O, ...
  std::string_view type;
};

// BILOU is IOBES with U for S and L for E.
Chunk parse(std::string_view label) {
  const std::size_t dash = label.find('-');
  if (dash == std::string_view::npos) return {label, {}};
  const std::string_view tag = label.substr(0, dash);
  return {tag == "U" ? "S" : tag == "L" ? "E" : tag, label.substr(dash + 1)};
}

bool is_phrase_label(const Chunk& chunk) {
  return chunk.tag.size() == 1 && std::string_view("BIES").find(chunk.tag[0]) != std::string_view::npos &&
         !chunk.type.empty();
}

bool outside(std::string_view tag) { return tag == "O" || tag == "."; }

// conlleval's endOfChunk: does a phrase end between the two tokens?
bool ends_between(const Chunk& before, const Chunk& now) {
  const auto pair = [&](std::string_view a, std::string_view b) { return before.tag == a && now.tag == b; };
  if (pair("B", "B") || pair("B", "O") || pair("I", "B") || pair("I", "O")) return true;
  if (pair("E", "E") || pair("E", "I") || pair("E", "O")) return true;
  if (before.tag == "S" || (now.tag == "S" && !outside(before.tag)) || pair("E", "B")) return true;
  if (!outside(before.tag) && before.type != now.type) return true;
  return before.tag == "]" || before.tag == "[";
}

// conlleval's startOfChunk: does a phrase begin at the second token?
bool starts_between(const Chunk& before, const Chunk& now) {
  const auto pair = [&](std::string_view a, std::string_view b) { return before.tag == a && now.tag == b; };
  if (pair("B", "B") || pair("I", "B") || pair("O", "B") || pair("O", "I")) return true;
  if (pair("E", "E") || pair("E", "I") || pair("O", "E")) return true;
  if (now.tag == "S" || (before.tag == "S" && !outside(now.tag)) || pair("E", "B")) return true;
  if (!outside(now.tag) && before.type != now.type) return true;
  return now.tag == "[" || now.tag == "]";
}

template <typename Map>
auto& entry(Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found != map.end() ? found->second : map[std::string(key)];
}

}  // namespace

std::vector<Phrase> phrases_of(std::span<const std::string_view> labels) {
  std::vector<Phrase> phrases;
  Chunk before;
  bool open = false;
  for (std::size_t t = 0; t <= labels.size(); ++t) {  // one step beyond the end closes an open phrase
    const Chunk now = t < labels.size() ? parse(labels[t]) : Chunk{};
    const bool starts = starts_between(before, now);
    if (open && (starts || ends_between(before, now))) {
      phrases.back().end = t;
      open = false;
    }
    if (starts) {
      phrases.push_back({t, t, now.type});
      open = true;
    }
    before = now;
  }
  return phrases;
}

void SpanScorer::add(std::span<const std::string_view> gold, std::span<const std::string_view> system) {
  assert(gold.size() == system.size());
  add_phrases(gold, system);
  add_tokens(gold, system);
}

void SpanScorer::Counts::add(const Counts& other) {
  gold += other.gold;
  found += other.found;
  correct += other.correct;
}

void SpanScorer::add(const SpanScorer& other) {
  for (const auto& [type, counts] : other.phrases_) phrases_[type].add(counts);
  for (const auto& [label, counts] : other.labels_) labels_[label].add(counts);
  confusions_.add(other.confusions_);
  tokens_ += other.tokens_;
  correct_tokens_ += other.correct_tokens_;
  sentences_ += other.sentences_;
  correct_sentences_ += other.correct_sentences_;
  phrases_seen_ = phrases_seen_ || other.phrases_seen_;
}

void SpanScorer::add_phrases(std::span<const std::string_view> gold,
                             std::span<const std::string_view> system) {
  Chunk gold_before;
  Chunk system_before;
  bool in_correct = false;
  for (std::size_t t = 0; t <= gold.size(); ++t) {  // one step beyond the end closes open phrases
    const Chunk gold_now = t < gold.size() ? parse(gold[t]) : Chunk{};
    const Chunk system_now = t < gold.size() ? parse(system[t]) : Chunk{};
    const bool gold_ends = ends_between(gold_before, gold_now);
    const bool system_ends = ends_between(system_before, system_now);
    if (in_correct && (gold_ends || system_ends || gold_now.type != system_now.type)) {
      if (gold_ends && system_ends && gold_before.type == system_before.type) {
        ++entry(phrases_, gold_before.type).correct;
      }
      in_correct = false;
    }
    const bool gold_starts = starts_between(gold_before, gold_now);
    const bool system_starts = starts_between(system_before, system_now);
    if (gold_starts && system_starts && gold_now.type == system_now.type) in_correct = true;
    if (gold_starts) ++entry(phrases_, gold_now.type).gold;
    if (system_starts) ++entry(phrases_, system_now.type).found;
    gold_before = gold_now;
    system_before = system_now;
  }
}

void SpanScorer::add_tokens(std::span<const std::string_view> gold,
                            std::span<const std::string_view> system) {
  bool all_right = true;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    const bool right = gold[t] == system[t];
    all_right = all_right && right;
    correct_tokens_ += right;
    Counts& counts = entry(labels_, gold[t]);
    ++counts.gold;
    counts.correct += right;
    ++entry(labels_, system[t]).found;
    confusions_.add(gold[t], system[t]);
    phrases_seen_ = phrases_seen_ || is_phrase_label(parse(gold[t])) || is_phrase_label(parse(system[t]));
  }
  tokens_ += static_cast<std::int64_t>(gold.size());
  ++sentences_;
  correct_sentences_ += all_right;
}

SpanScorer::Counts SpanScorer::total(const ByType& types) {
  Counts sum;
  for (const auto& [type, counts] : types) sum.add(counts);
  return sum;
}

Scores SpanScorer::scores_of(const Counts& counts) {
  const double precision = percent(counts.correct, counts.found);
  const double recall = percent(counts.correct, counts.gold);
  const double sum = precision + recall;
  return {
      {"f1", sum > 0.0 ? 2.0 * precision * recall / sum : 0.0}, {"precision", precision}, {"recall", recall}};
}

void SpanScorer::visit(State& state) {
  visit_map(state, phrases_);
  visit_map(state, labels_);
  state(tokens_, correct_tokens_, sentences_, correct_sentences_, phrases_seen_);
}

Evaluation SpanScorer::evaluate() const {
  const bool phrases = phrases_seen_;
  const ByType& types = phrases ? phrases_ : labels_;
  Evaluation result;
  result.scores = scores_of(total(types));
  result.scores.emplace_back("accuracy", percent(correct_tokens_, tokens_));
  result.scores.emplace_back("sentence_accuracy", percent(correct_sentences_, sentences_));
  if (!phrases) std::rotate(result.scores.begin(), result.scores.begin() + 3, result.scores.begin() + 4);
  for (const auto& [type, counts] : types) {
    Scores scores = scores_of(counts);
    scores.emplace_back("gold", static_cast<double>(counts.gold));
    scores.emplace_back("found", static_cast<double>(counts.found));
    result.detail.emplace_back(type, std::move(scores));
  }
  result.confusion = confusions_.table(labels_);
  result.text = phrases ? phrase_text(types) : token_text();
  return result;
}

std::string SpanScorer::phrase_text(const ByType& types) const {
  const Counts sum = total(types);
  std::string text = fmt::format("processed {} tokens with {} phrases; found: {} phrases; correct: {}.\n",
                                 tokens_, sum.gold, sum.found, sum.correct);
  const Scores all = scores_of(sum);
  text += fmt::format("accuracy: {:6.2f}%; precision: {:6.2f}%; recall: {:6.2f}%; FB1: {:6.2f}\n",
                      percent(correct_tokens_, tokens_), all[1].second, all[2].second, all[0].second);
  for (const auto& [type, counts] : types) {
    const Scores scores = scores_of(counts);
    text += fmt::format("{:>17}: precision: {:6.2f}%; recall: {:6.2f}%; FB1: {:6.2f}  {}\n", type,
                        scores[1].second, scores[2].second, scores[0].second, counts.found);
  }
  return text;
}

std::string SpanScorer::token_text() const {
  std::string text =
      fmt::format("{} tokens, {} correct: accuracy {:.2f}%\n{} sentences, {} correct: {:.2f}%\n", tokens_,
                  correct_tokens_, percent(correct_tokens_, tokens_), sentences_, correct_sentences_,
                  percent(correct_sentences_, sentences_));
  for (const auto& [label, counts] : labels_) {
    const Scores scores = scores_of(counts);
    text += fmt::format("{:>17}: precision: {:6.2f}%; recall: {:6.2f}%; F1: {:6.2f}  {}\n", label,
                        scores[1].second, scores[2].second, scores[0].second, counts.gold);
  }
  return text;
}

}  // namespace hinge
