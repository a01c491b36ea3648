#include "hinge/mt/word_pairs.h"

#include <limits>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"

namespace hinge::mt {
namespace {

// The sentence of each row, which only numbering needs.
using SentenceOfRow = std::vector<std::uint32_t>;

void lay_out_cells(const Bitext& text, WordPairs& pairs) {
  pairs.cell_begin.assign(1, 0);
  for (std::size_t i = 0; i < text.sentences(); ++i)
    pairs.cell_begin.push_back(pairs.cell_begin.back() +
                               text.source.sentence(i).size() * text.target.sentence(i).size());
  pairs.number.resize(pairs.cell_begin.back());
}

// Sorts the rows by source word, by counting.
SentenceOfRow sort_rows(const Bitext& text, WordPairs& pairs) {
  pairs.row_begin.assign(text.source.words.size() + 1, 0);
  for (const Word word : text.source.tokens) ++pairs.row_begin[word + 1];
  for (std::size_t w = 1; w < pairs.row_begin.size(); ++w) pairs.row_begin[w] += pairs.row_begin[w - 1];
  pairs.rows.resize(text.source.tokens.size());
  SentenceOfRow sentence(pairs.rows.size());
  std::vector<std::uint64_t> next(pairs.row_begin.begin(), pairs.row_begin.end() - 1);
  for (std::size_t i = 0; i < text.sentences(); ++i) {
    const auto length = static_cast<std::uint32_t>(text.target.sentence(i).size());
    std::uint64_t begin = pairs.cell_begin[i];
    for (const Word word : text.source.sentence(i)) {
      sentence[next[word]] = static_cast<std::uint32_t>(i);
      pairs.rows[next[word]++] = {begin, length};
      begin += length;
    }
  }
  return sentence;
}

// Which target words were seen with the current source word, and their numbers.
class Seen {
 public:
  explicit Seen(std::size_t target_words) : last_(target_words, kNever), number_(target_words) {}
  // True if this is the first time with that source word.
  bool first(Word source, Word target) { return std::exchange(last_[target], source) != source; }
  std::uint32_t& number(Word target) { return number_[target]; }

 private:
  static constexpr Word kNever = std::numeric_limits<Word>::max();
  std::vector<Word> last_;
  std::vector<std::uint32_t> number_;
};

class Numbering {
 public:
  Numbering(const Bitext& text, Workers& workers, WordPairs& pairs)
      : text_(text), workers_(workers), pairs_(pairs), sentence_(sort_rows(text, pairs)) {}

  // How many target words go with each source word decides where its numbers begin.
  void count() {
    std::vector<std::uint32_t> counts(text_.source.words.size());
    PerThread<Seen> all_seen = make_seen();
    workers_.each(counts.size(), [&](std::size_t word) {
      check_interrupt();
      Seen& seen = all_seen.local();
      const auto source = static_cast<Word>(word);
      each_target(source, [&](std::uint64_t, Word target) { counts[word] += seen.first(source, target); });
    });
    std::uint64_t sum = 0;
    pairs_.source_begin.assign(1, 0);
    for (const std::uint32_t count : counts) {
      sum += count;
      if (sum >= std::numeric_limits<std::uint32_t>::max())
        fail<InputError>("the text has more than {} pairs of words that occur together; align it in parts",
                         std::numeric_limits<std::uint32_t>::max());
      pairs_.source_begin.push_back(static_cast<std::uint32_t>(sum));
    }
    pairs_.target.resize(sum);
  }

  void number() {
    PerThread<Seen> all_seen = make_seen();
    workers_.each(pairs_.source_words(), [&](std::size_t word) {
      check_interrupt();
      Seen& seen = all_seen.local();
      const auto source = static_cast<Word>(word);
      std::uint32_t next = pairs_.source_begin[word];
      each_target(source, [&](std::uint64_t cell, Word target) {
        if (seen.first(source, target)) {
          pairs_.target[next] = target;
          seen.number(target) = next++;
        }
        pairs_.number[cell] = seen.number(target);
      });
    });
  }

 private:
  PerThread<Seen> make_seen() const {
    return {workers_, [this] { return Seen(text_.target.words.size()); }};
  }

  // Calls body(cell, target word) for the cells of a source word.
  template <typename Body>
  void each_target(Word source, const Body& body) const {
    for (std::uint64_t r = pairs_.row_begin[source]; r < pairs_.row_begin[source + 1]; ++r) {
      std::uint64_t cell = pairs_.rows[r].begin;
      for (const Word target : text_.target.sentence(sentence_[r])) body(cell++, target);
    }
  }

  const Bitext& text_;
  Workers& workers_;
  WordPairs& pairs_;
  SentenceOfRow sentence_;
};

}  // namespace

WordPairs number_pairs(const Bitext& text, Workers& workers) {
  WordPairs pairs;
  lay_out_cells(text, pairs);
  Numbering numbering(text, workers, pairs);
  numbering.count();
  numbering.number();
  return pairs;
}

}  // namespace hinge::mt
