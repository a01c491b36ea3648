#include "hinge/evaluate/chrf.h"

#include <utf8proc.h>

#include <algorithm>
#include <cassert>

namespace hinge {
namespace {

constexpr std::uint32_t kBadByte = 0x110000;  // plus an invalid byte: a character beyond Unicode

void append_characters(std::string_view word, std::vector<std::uint32_t>& characters) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(word.data());
  const auto* end = at + word.size();
  while (at < end) {
    if (*at < 0x80) {
      characters.push_back(*at++);
      continue;
    }
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, end - at, &code);
    characters.push_back(length > 0 ? static_cast<std::uint32_t>(code) : kBadByte + *at);
    at += std::max<utf8proc_ssize_t>(length, 1);
  }
}

void characters_of(std::span<const std::string_view> words, std::vector<std::uint32_t>& characters) {
  characters.clear();
  for (const std::string_view word : words) append_characters(word, characters);
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Splits off one mark only, the last one of "(hi)", as Popovic's own program does.
void split_punctuation(std::span<const std::string_view> words, Words& pieces) {
  pieces.clear();
  for (const std::string_view word : words) {
    std::size_t cut = 0;
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      cut = word.size() - 1;
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      cut = 1;
    }
    if (cut > 0) pieces.push_back(word.substr(0, cut));
    pieces.push_back(word.substr(cut));
  }
}

// Same order of operations as sacrebleu, so that the same references tie.
template <typename T>
double f_score(std::span<const T> stats, const ChrfOptions& options) {
  assert(stats.size() == 3 * options.orders());
  double precision = 0.0;
  double recall = 0.0;
  double orders = 0.0;
  for (std::size_t i = 0; i < stats.size(); i += 3) {
    const double here = stats[i];
    const double there = stats[i + 1];
    if (here <= 0.0 || there <= 0.0) continue;
    precision += stats[i + 2] / here;
    recall += stats[i + 2] / there;
    orders += 1.0;
  }
  if (precision + recall <= 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  const double square = options.beta * options.beta;
  const double score = (1.0 + square) * precision * recall / (square * precision + recall);
  return 100.0 * score;
}

}  // namespace

double chrf(std::span<const double> stats, const ChrfOptions& options) { return f_score(stats, options); }

ChrfMetric::ChrfMetric(const ChrfOptions& options)
    : options_(options), matches_(options.orders()), stats_(width()), best_(width()) {}

void ChrfMetric::set_references(std::span<const Words> references) {
  check_references(references);
  ids_.clear();
  reference_count_ = references.size();
  while (references_.size() < reference_count_) {
    references_.push_back({NgramTable(options_.character_order), NgramTable(options_.word_order)});
  }
  for (std::size_t r = 0; r < reference_count_; ++r) {
    Reference& reference = references_[r];
    characters_of(references[r], characters_);
    reference.characters.clear();
    reference.characters.add(characters_);
    reference.character_count = characters_.size();
    if (options_.word_order == 0) continue;
    split_punctuation(references[r], pieces_);
    ids_.add_all(pieces_, words_);
    reference.words.clear();
    reference.words.add(words_);
    reference.word_count = words_.size();
  }
}

void ChrfMetric::count_against(Reference& reference, std::span<double> stats) {
  const std::size_t characters = options_.character_order;
  const std::span<std::uint32_t> matches = matches_;
  std::fill(matches.begin(), matches.end(), 0);
  reference.characters.match(characters_, matches.first(characters));
  if (options_.word_order > 0) reference.words.match(words_, matches.subspan(characters));
  for (std::size_t i = 0; i < options_.orders(); ++i) {
    const bool of_words = i >= characters;
    const std::size_t n = of_words ? i - characters + 1 : i + 1;
    const std::size_t here = ngram_total(of_words ? words_.size() : characters_.size(), n);
    const std::size_t there = ngram_total(of_words ? reference.word_count : reference.character_count, n);
    // As in sacrebleu: n-grams longer than the reference are not errors. (Those
    // longer than the hypothesis still count as missed.)
    stats[3 * i] = there > 0 ? static_cast<double>(here) : 0.0;
    stats[3 * i + 1] = static_cast<double>(there);
    stats[3 * i + 2] = matches[i];
  }
}

void ChrfMetric::count(std::span<const std::string_view> words, std::span<float> stats) {
  assert(reference_count_ > 0 && stats.size() == width());
  characters_of(words, characters_);
  if (options_.word_order > 0) {
    split_punctuation(words, pieces_);
    ids_.find_all(pieces_, words_);
  }
  double best_score = -1.0;
  for (Reference& reference : std::span(references_).first(reference_count_)) {
    count_against(reference, stats_);
    const double score = chrf(stats_, options_);
    if (score <= best_score) continue;
    best_score = score;
    best_.swap(stats_);
  }
  std::transform(best_.begin(), best_.end(), stats.begin(),
                 [](double value) { return static_cast<float>(value); });
}

double ChrfMetric::score(std::span<const double> sum) const { return chrf(sum, options_); }

double ChrfMetric::sentence_score(std::span<const float> stats) const { return f_score(stats, options_); }

}  // namespace hinge
