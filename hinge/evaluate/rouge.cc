#include "hinge/evaluate/rouge.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>

#include "hinge/corpus/porter.h"
#include "hinge/corpus/stop_words.h"
#include "hinge/evaluate/common_subsequence.h"
#include "hinge/evaluate/means.h"
#include "hinge/evaluate/words.h"

namespace hinge {
namespace {

constexpr std::size_t kSkip = 4;  // words between those of a pair
constexpr std::size_t kStemmedFromLength = 4;

constexpr std::array<std::string_view, kRougeTypes> kNames = {"rouge1", "rouge2", "rougeL", "rougeLsum",
                                                              "rougeSU4"};

// For one reference.
struct Counts {
  std::uint64_t match = 0;
  std::uint64_t candidate = 0;
  std::uint64_t reference = 0;

  // F1 as one fraction, so that references that tie do so exactly.
  PrecisionRecall ratios() const {
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return percent(static_cast<std::int64_t>(part), static_cast<std::int64_t>(whole));
    };
    return {share(match, candidate), share(match, reference), share(2 * match, candidate + reference)};
  }
};

void index_ngrams(RougeText& text) {
  const std::vector<std::uint64_t>& words = text.words;
  text.unigrams = words;
  text.bigrams.clear();
  text.skip_bigrams.clear();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    text.bigrams.push_back(bigram_key(words[i], words[i + 1]));
    // As in ROUGE-1.5.5, the last word is only part of pairs.
    text.skip_bigrams.push_back(words[i]);
    for (std::size_t j = i + 1; j < std::min(words.size(), i + kSkip + 2); ++j) {
      text.skip_bigrams.push_back(bigram_key(words[i], words[j]));
    }
  }
  std::sort(text.unigrams.begin(), text.unigrams.end());
  std::sort(text.bigrams.begin(), text.bigrams.end());
  std::sort(text.skip_bigrams.begin(), text.skip_bigrams.end());
}

// The beginning of a sentence, up to `limit` words; `words` are those it has.
std::string_view cut_words(std::string_view sentence, std::size_t limit, Words& words) {
  split_words(sentence, words);
  if (words.size() <= limit) return sentence;
  if (limit == 0) return {};
  const std::string_view last = words[limit - 1];
  words.resize(limit);
  return sentence.substr(0, static_cast<std::size_t>(last.data() + last.size() - sentence.data()));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// How many elements two sorted lists share, repeated ones as often as in both.
std::uint64_t count_shared(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    shared += a[i] == b[j] ? 1u : 0u;
    const bool advance_a = a[i] <= b[j];
    const bool advance_b = b[j] <= a[i];
    i += advance_a ? 1u : 0u;
    j += advance_b ? 1u : 0u;
  }
  return shared;
}

std::span<const std::uint64_t> sentence_of(const RougeText& text, std::size_t i) {
  const std::size_t begin = i == 0 ? 0 : text.sentence_ends[i - 1];
  return std::span(text.words).subspan(begin, text.sentence_ends[i] - begin);
}

// Takes one of `word` off the words that are left; false if there is none.
bool take(std::uint64_t word, std::span<const std::uint64_t> sorted, std::span<std::uint32_t> taken) {
  const auto range = std::equal_range(sorted.begin(), sorted.end(), word);
  std::uint32_t& used = taken[static_cast<std::size_t>(range.first - sorted.begin())];
  if (range.first == range.second || used == range.second - range.first) return false;
  ++used;
  return true;
}

// A word of the candidate counts once, even if it is in the unions of several reference
// sentences; the paper does not say so, but ROUGE-1.5.5 and rouge-score do.
std::uint64_t union_matches(const RougeText& candidate, const RougeText& reference) {
  std::vector<std::uint32_t> taken(candidate.unigrams.size() + 1);  // [first of equal unigrams]
  std::vector<std::uint8_t> in_union;
  CommonSubsequence subsequence;
  std::uint64_t matches = 0;
  for (std::size_t i = 0; i < reference.sentence_ends.size(); ++i) {
    const auto sentence = sentence_of(reference, i);
    in_union.assign(sentence.size(), 0);
    for (std::size_t k = 0; k < candidate.sentence_ends.size(); ++k) {
      subsequence.mark(sentence, sentence_of(candidate, k), in_union);
    }
    for (std::size_t at = 0; at < sentence.size(); ++at) {
      if (in_union[at] != 0 && take(sentence[at], candidate.unigrams, taken)) ++matches;
    }
  }
  return matches;
}

Counts count(RougeType type, const RougeText& candidate, const RougeText& reference) {
  const auto shared = [](std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
    return Counts{count_shared(a, b), a.size(), b.size()};
  };
  Counts counts{0, candidate.words.size(), reference.words.size()};
  switch (type) {
    case RougeType::kOne:
      return shared(candidate.unigrams, reference.unigrams);
    case RougeType::kTwo:
      return shared(candidate.bigrams, reference.bigrams);
    case RougeType::kSu4:
      return shared(candidate.skip_bigrams, reference.skip_bigrams);
    case RougeType::kL:
      counts.match = CommonSubsequence().length(reference.words, candidate.words);
      return counts;
    case RougeType::kLsum:
      counts.match = union_matches(candidate, reference);
      return counts;
  }
  assert(false);
  return counts;
}

void add(const PrecisionRecall& scores, PrecisionRecall& sum) {
  sum.precision += scores.precision;
  sum.recall += scores.recall;
  sum.f1 += scores.f1;
}

PrecisionRecall divided(const PrecisionRecall& sum, std::size_t by) {
  const auto n = static_cast<double>(by);
  return {sum.precision / n, sum.recall / n, sum.f1 / n};
}

constexpr std::size_t kNoReference = ~std::size_t{0};

PrecisionRecall best(std::span<const Counts> references, std::size_t left_out, double PrecisionRecall::*by) {
  PrecisionRecall result;
  bool found = false;
  for (std::size_t k = 0; k < references.size(); ++k) {
    if (k == left_out) continue;
    const PrecisionRecall scores = references[k].ratios();
    if (!found || scores.*by > result.*by) result = scores;
    found = true;
  }
  return result;
}

PrecisionRecall average(std::span<const Counts> references, std::size_t left_out) {
  PrecisionRecall sum;
  for (std::size_t k = 0; k < references.size(); ++k) {
    if (k != left_out) add(references[k].ratios(), sum);
  }
  return divided(sum, references.size() - (left_out == kNoReference ? 0 : 1));
}

PrecisionRecall summed(std::span<const Counts> references, std::size_t left_out) {
  Counts sum;
  for (std::size_t k = 0; k < references.size(); ++k) {
    if (k == left_out) continue;
    sum.match += references[k].match;
    sum.candidate += references[k].candidate;
    sum.reference += references[k].reference;
  }
  return sum.ratios();
}

PrecisionRecall combine(std::span<const Counts> references, std::size_t left_out, RougeReferences how) {
  switch (how) {
    case RougeReferences::kAverage:
      return average(references, left_out);
    case RougeReferences::kBest:
      return best(references, left_out, &PrecisionRecall::f1);
    case RougeReferences::kBestRecall:
      return best(references, left_out, &PrecisionRecall::recall);
    case RougeReferences::kSummed:
      return summed(references, left_out);
  }
  assert(false);
  return {};
}

}  // namespace

std::string_view rouge_name(RougeType type) { return kNames[static_cast<std::size_t>(type)]; }

RougeText RougeReader::candidate(std::string_view text) { return candidate(lines_of(text)); }

RougeText RougeReader::reference(std::string_view text) { return reference(lines_of(text)); }

RougeText RougeReader::candidate(std::span<const std::string_view> sentences) {
  return read(sentences, options_.word_limit);
}

RougeText RougeReader::reference(std::span<const std::string_view> sentences) {
  return read(sentences, options_.limit_references ? options_.word_limit : 0);
}

RougeText RougeReader::read(std::span<const std::string_view> sentences, std::size_t word_limit) {
  RougeText text;
  Words words;
  std::size_t used = 0;
  for (std::string_view sentence : sentences) {
    if (word_limit > 0) {
      sentence = cut_words(sentence, word_limit - used, words);
      used += words.size();
    }
    read_sentence(sentence, text);
    if (word_limit > 0 && used >= word_limit) break;
  }
  index_ngrams(text);
  return text;
}

// Lower case as Unicode has it: two letters beyond ASCII have lower cases that begin with
// an ASCII letter, the Kelvin sign (k) and the I with a dot (i and a combining dot).
void RougeReader::read_sentence(std::string_view sentence, RougeText& text) {
  const auto byte = [&](std::size_t at) { return at < sentence.size() ? sentence[at] : '\0'; };
  word_.clear();
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const char c = sentence[at];
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word_ += c;
    } else if (c >= 'A' && c <= 'Z') {
      word_ += static_cast<char>(c - 'A' + 'a');
    } else if (c == '\xE2' && byte(at + 1) == '\x84' && byte(at + 2) == '\xAA') {
      word_ += 'k';
      at += 2;
    } else {
      if (c == '\xC4' && byte(at + 1) == '\xB0') word_ += 'i';
      end_word(text);
    }
  }
  end_word(text);
  text.sentence_ends.push_back(static_cast<std::uint32_t>(text.words.size()));
}

void RougeReader::end_word(RougeText& text) {
  if (word_.empty()) return;
  const bool is_stop = is_stop_word(word_);
  if (!is_stop || !options_.remove_stop_words) {
    if (options_.stem && word_.size() >= kStemmedFromLength) porter_stem(word_);
    text.words.push_back(XXH3_64bits(word_.data(), word_.size()));
    text.is_stop.push_back(is_stop ? 1 : 0);
  }
  word_.clear();
}

PrecisionRecall rouge(RougeType type, const RougeText& candidate, std::span<const RougeText> references,
                      const RougeOptions& options) {
  if (references.empty()) return {};
  std::vector<Counts> counts;
  for (const RougeText& reference : references) counts.push_back(count(type, candidate, reference));
  if (!options.jackknife || counts.size() < 2) return combine(counts, kNoReference, options.references);
  PrecisionRecall sum;
  for (std::size_t k = 0; k < counts.size(); ++k) add(combine(counts, k, options.references), sum);
  return divided(sum, counts.size());
}

RougeScores rouge(const RougeText& candidate, std::span<const RougeText> references,
                  const RougeOptions& options) {
  RougeScores scores;
  for (std::size_t type = 0; type < kRougeTypes; ++type) {
    scores[type] = rouge(static_cast<RougeType>(type), candidate, references, options);
  }
  return scores;
}

}  // namespace hinge
