#include "hinge/mt/ngram_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/mt/ngram_builder.h"

namespace hinge::mt {
namespace {

using Node = NgramBuilder::Node;
using Position = std::uint32_t;  // in the stream

constexpr Word kBegin = NgramModel::kBegin;
constexpr Word kEnd = NgramModel::kEnd;
constexpr Word kUnknown = NgramModel::kUnknown;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
// Never used as a probability: no model predicts <s>. ARPA files by custom have this.
const float kBeginLogProb = static_cast<float>(-99 * std::log(10.0));

// All sentences in a row, each with <s> before and </s> after it, and the positions where
// n-grams end (all but those of <s>), sorted by the word there, then by the word before
// and so on, until <s> or `order` words. So the n-grams of every order that are equal lie
// together, and inside them those with one more word.
struct Stream {
  std::size_t order;
  std::vector<Word> words;
  std::vector<Position> ends;
  std::vector<std::uint8_t> shared;  // [ends]: words, from the end, as those of the entry before

  // Words of the longest n-gram that ends there.
  std::size_t length(Position end) const {
    std::size_t length = 1;
    while (length < order && words[end - length + 1] != kBegin) ++length;
    return length;
  }
};

std::vector<Word> padded(const Side& text) {
  constexpr std::size_t kMostWords = std::numeric_limits<Position>::max();
  const std::size_t size = text.tokens.size() + 2 * text.sentences();
  if (text.sentences() == 0) fail<InputError>("the text for the language model has no sentences");
  if (size > kMostWords)
    fail<InputError>(
        "the text for the language model has {} words and sentence ends; at most {} are possible", size,
        kMostWords);
  const std::array special = {text.words.find("<s>"), text.words.find("</s>"), text.words.find("<unk>")};
  std::vector<Word> words;
  words.reserve(size);
  for (std::size_t i = 0; i < text.sentences(); ++i) {
    words.push_back(kBegin);
    for (const Word word : text.sentence(i))
      words.push_back(std::ranges::find(special, word) == special.end() ? word : kUnknown);
    words.push_back(kEnd);
  }
  return words;
}

// Negative, zero or positive as the words before `a` are less, equal or greater; `shared`
// counts those that are equal.
int compare(const Stream& stream, Position a, Position b, std::size_t& shared) {
  for (shared = 0; shared < stream.order; ++shared) {
    const Word left = stream.words[a - shared], right = stream.words[b - shared];
    if (left != right) return left < right ? -1 : 1;
    if (left == kBegin) {
      ++shared;
      break;
    }
  }
  return 0;
}

void sort_group(Stream& stream, std::size_t begin, std::size_t end) {
  check_interrupt();
  const auto first = stream.ends.begin();
  std::sort(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
            [&](Position a, Position b) {
              std::size_t shared;
              return compare(stream, a, b, shared) < 0;
            });
  for (std::size_t i = begin + 1; i < end; ++i) {
    std::size_t shared;
    compare(stream, stream.ends[i - 1], stream.ends[i], shared);
    stream.shared[i] = static_cast<std::uint8_t>(shared);
  }
}

// Positions are put in groups of one word each, which are sorted in parallel.
Stream make_stream(const Side& text, std::size_t order, Workers& workers) {
  Stream stream{order, padded(text), {}, {}};
  std::vector<Position> begin(text.words.size() + 4);  // [rows + 1]
  for (const Word word : stream.words)
    if (word != kBegin) ++begin[NgramBuilder::row_of(word) + 1];
  for (std::size_t row = 1; row < begin.size(); ++row) begin[row] += begin[row - 1];
  stream.ends.resize(begin.back());
  stream.shared.resize(begin.back());
  std::vector<Position> next = begin;
  for (Position at = 0; at < stream.words.size(); ++at)
    if (stream.words[at] != kBegin) stream.ends[next[NgramBuilder::row_of(stream.words[at])]++] = at;
  workers.each(begin.size() - 1, [&](std::size_t row) { sort_group(stream, begin[row], begin[row + 1]); });
  return stream;
}

// What an n-gram's probability is computed from: the n-grams without its oldest word and
// without its newest, as indices of the level below.
struct Ngram {
  Position end;  // of one occurrence
  std::uint32_t count;
  std::uint32_t newer;
  std::uint32_t context;
};

// The n-grams of one order that are ready. Those of order 1 are the rows of the model.
struct Level {
  std::vector<double> prob;
  std::vector<Node> node;
};

// D1, D2 and D3+ from the numbers of n-grams with counts 1 to 4. Where the formula has
// no sensible result, as in very small texts, half a count per count up to three.
class Discounts {
 public:
  void see(std::uint32_t count) {
    if (count >= 1 && count <= 4) ++n_[count];
  }
  void finish() {
    const double y = n_[1] / (n_[1] + 2 * n_[2]);
    for (int c = 1; c <= 3; ++c) d_[c] = c - (c + 1) * y * n_[c + 1] / n_[c];
    for (int c = 1; c <= 3; ++c) {
      if (n_[c] > 0 && n_[c + 1] > 0 && d_[c] > 0) continue;
      d_ = {0, 0.5, 1, 1.5};
      return;
    }
  }
  double operator()(std::uint32_t count) const { return d_[std::min<std::uint32_t>(count, 3)]; }

 private:
  std::array<double, 5> n_{};
  std::array<double, 4> d_{};
};

// Counts of the n-grams with one context.
struct Context {
  std::uint64_t total = 0;
  std::array<std::uint32_t, 4> with{};  // 1, 2, 3 or more

  void see(std::uint32_t count) {
    total += count;
    ++with[std::min<std::uint32_t>(count, 3)];
  }
  // g(h) above.
  double left(const Discounts& discounts) const {
    double sum = 0.0;
    for (std::uint32_t c = 1; c <= 3; ++c) sum += discounts(c) * with[c];
    return sum / static_cast<double>(total);
  }
};

class Estimator {
 public:
  Estimator(const Side& text, std::size_t order, Workers& workers)
      : stream_(make_stream(text, order, workers)),
        rows_(text.words.size() + 3),
        workers_(&workers),
        builder_(order) {}

  NgramModel run() {
    builder_.reserve(count_ngrams());
    estimate_words();
    for (std::size_t order = 2; order <= stream_.order; ++order) {
      const std::vector<Ngram> ngrams = collect(order);
      if (order < stream_.order) number(order);
      estimate(order, ngrams);
    }
    return std::move(builder_).build();
  }

 private:
  std::size_t count_ngrams() const;
  void estimate_words();
  std::vector<Ngram> collect(std::size_t order) const;
  void number(std::size_t order);
  void estimate(std::size_t order, const std::vector<Ngram>& ngrams);
  std::vector<double> set_back_offs(const std::vector<Context>& contexts, const Discounts& discounts);
  std::vector<Node> add(std::size_t order, const std::vector<Ngram>& ngrams, const std::vector<double>& prob);

  // Calls first(end) for the first and more(end, shared) for the other occurrences of
  // every n-gram of an order.
  template <typename First, typename More>
  void scan(std::size_t order, const First& first, const More& more) const {
    for (std::size_t i = 0; i < stream_.ends.size(); ++i) {
      if (stream_.shared[i] >= order) {
        more(stream_.ends[i], stream_.shared[i]);
      } else if (stream_.length(stream_.ends[i]) >= order) {
        first(stream_.ends[i]);
      }
    }
  }

  Stream stream_;
  std::size_t rows_;
  Workers* workers_;
  NgramBuilder builder_;
  std::vector<std::uint32_t> index_;  // [positions]: which n-gram of the level ends there
  Level level_;
};

std::size_t Estimator::count_ngrams() const {
  std::size_t ngrams = 0;
  for (std::size_t order = 2; order <= stream_.order; ++order)
    scan(
        order, [&](Position) { ++ngrams; }, [](Position, std::size_t) {});
  return ngrams;
}

void Estimator::estimate_words() {
  std::vector<std::uint32_t> count(rows_);
  const auto row_at = [&](Position at) { return NgramBuilder::row_of(stream_.words[at]); };
  scan(
      1, [&](Position end) { ++count[row_at(end)]; },
      [&](Position end, std::size_t shared) { count[row_at(end)] += shared == 1; });
  Discounts discounts;
  Context all;
  std::size_t vocabulary = count[NgramBuilder::row_of(kUnknown)] == 0 ? 1 : 0;
  for (const std::uint32_t c : count) {
    if (c == 0) continue;
    discounts.see(c);
    all.see(c);
    ++vocabulary;
  }
  discounts.finish();
  const double uniform = all.left(discounts) / static_cast<double>(vocabulary);
  level_.prob.assign(rows_, 0.0);
  for (Node row = 0; row < rows_; ++row) {
    level_.node.push_back(row);
    if (count[row] == 0 && row != NgramBuilder::row_of(kUnknown)) continue;
    level_.prob[row] = (count[row] - discounts(count[row])) / static_cast<double>(all.total) + uniform;
    builder_.set_word(row - NgramBuilder::row_of(0), {static_cast<float>(std::log(level_.prob[row])), kNaN});
  }
  builder_.set_word(kBegin, {kBeginLogProb, kNaN});
  index_.reserve(stream_.words.size());
  for (Position at = 0; at < stream_.words.size(); ++at) index_.push_back(row_at(at));
}

// Counts one for the first occurrence and one for each that shares no more than the
// n-gram with the one before it. These are the n-gram's distinct words before, but all
// its occurrences if it has the highest order or begins with <s>, as no more can be shared
// then.
std::vector<Ngram> Estimator::collect(std::size_t order) const {
  std::vector<Ngram> ngrams;
  scan(
      order,
      [&](Position end) {
        ngrams.push_back({end, 1, index_[end], index_[end - 1]});
      },
      [&](Position, std::size_t shared) { ngrams.back().count += shared == order; });
  return ngrams;
}

void Estimator::number(std::size_t order) {
  std::uint32_t ngrams = 0;
  scan(
      order, [&](Position end) { index_[end] = ngrams++; },
      [&](Position end, std::size_t) { index_[end] = ngrams - 1; });
}

void Estimator::estimate(std::size_t order, const std::vector<Ngram>& ngrams) {
  Discounts discounts;
  std::vector<Context> contexts(level_.prob.size());
  for (const Ngram& ngram : ngrams) {
    discounts.see(ngram.count);
    contexts[ngram.context].see(ngram.count);
  }
  discounts.finish();
  const std::vector<double> left = set_back_offs(contexts, discounts);
  std::vector<double> prob(ngrams.size());
  workers_->each(ngrams.size(), [&](std::size_t g) {
    const Ngram& ngram = ngrams[g];
    prob[g] = (ngram.count - discounts(ngram.count)) / static_cast<double>(contexts[ngram.context].total) +
              left[ngram.context] * level_.prob[ngram.newer];
  });
  level_.node = add(order, ngrams, prob);
  level_.prob = std::move(prob);
}

std::vector<double> Estimator::set_back_offs(const std::vector<Context>& contexts,
                                             const Discounts& discounts) {
  std::vector<double> left(contexts.size(), 0.0);
  for (std::size_t h = 0; h < contexts.size(); ++h) {
    if (contexts[h].total == 0) continue;
    left[h] = contexts[h].left(discounts);
    builder_.weights(level_.node[h]).back_off = static_cast<float>(std::log(left[h]));
  }
  return left;
}

std::vector<Node> Estimator::add(std::size_t order, const std::vector<Ngram>& ngrams,
                                 const std::vector<double>& prob) {
  std::vector<Node> nodes(ngrams.size());
  std::array<Word, NgramModel::kMostOrder> words;
  for (std::size_t g = 0; g < ngrams.size(); ++g) {
    if (g % 4096 == 0) check_interrupt();
    for (std::size_t k = 0; k < order; ++k) words[k] = stream_.words[ngrams[g].end - k];
    nodes[g] = builder_.add(level_.node[ngrams[g].newer], {words.data(), order},
                            {static_cast<float>(std::log(prob[g])), kNaN});
  }
  return nodes;
}

}  // namespace

void NgramOptions::describe(OptionTable& table) {
  table.add("order", order, "longest n-grams of the language model")
      .at_least(1)
      .at_most(static_cast<double>(NgramModel::kMostOrder));
}

NgramModel estimate_ngrams(const Side& text, const NgramOptions& options, Workers& workers) {
  if (options.order < 1 || options.order > static_cast<std::int64_t>(NgramModel::kMostOrder))
    fail<OptionError>("the order of the language model is {} but must be from 1 to {}", options.order,
                      NgramModel::kMostOrder);
  return Estimator(text, static_cast<std::size_t>(options.order), workers).run();
}

}  // namespace hinge::mt
