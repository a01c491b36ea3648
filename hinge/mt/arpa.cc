#include "hinge/mt/arpa.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "hinge/files/output_file.h"
#include "hinge/mt/ngram_builder.h"

namespace hinge::mt {
namespace {

using Weights = NgramModel::Weights;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kLog10 = 2.302585092994045684;
constexpr double kNever = -100;  // log10, of unknown words in a model without <unk>
constexpr double kBeginLogProb = -99;
constexpr std::size_t kMostOrder = NgramModel::kMostOrder;

constexpr std::pair<std::string_view, Word> kSpecial[] = {
    {"<unk>", NgramModel::kUnknown}, {"<s>", NgramModel::kBegin}, {"</s>", NgramModel::kEnd}};

template <typename T>
bool parse(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

class ArpaReader {
 public:
  ArpaReader(const TextInput& input, Words& words) : lines_(input), words_(&words), builder_(1) {}

  NgramModel read() {
    read_counts();
    builder_ = NgramBuilder(counts_.size());
    for (std::size_t order = 1; order <= counts_.size(); ++order) read_section(order);
    if (line_ != "\\end\\") refuse("'{}' where \\end\\ is expected; the file may be cut short", shown(line_));
    return std::move(builder_).build();
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail<InputError>("{}:{}: {}", lines_.name(), lines_.number(),
                     fmt::format(format, std::forward<Args>(args)...));
  }
  bool next_line();
  void read_counts();
  void read_section(std::size_t order);
  void read_ngram(std::size_t order);
  float read_number(std::string_view text, const char* what) const;
  Word read_word(std::string_view text, std::size_t order);
  void check_words(std::size_t order) const;
  void add_word(const Weights& weights);
  void add_ngram(std::size_t order, const Weights& weights);
  NgramBuilder::Node complete(std::span<const Word> words);
  void finish_words();
  void mark_context(std::span<const Word> context);

  LineReader lines_;
  std::string_view line_;
  Words* words_;
  std::vector<std::uint64_t> counts_;
  NgramBuilder builder_;
  std::vector<std::string_view> fields_;
  std::array<Word, kMostOrder> ngram_{};  // newest first
};

// The next line with something in it, without spaces around it.
bool ArpaReader::next_line() {
  while (lines_.next(line_)) {
    while (!line_.empty() && (is_space(line_.back()) || line_.back() == '\r')) line_.remove_suffix(1);
    line_ = trim(line_);
    if (!line_.empty()) return true;
  }
  line_ = {};
  return false;
}

// Ends at the header of the first section.
void ArpaReader::read_counts() {
  do {
    check_interrupt();
    if (!next_line())
      fail<InputError>("{}: has no line \\data\\; expected a language model in ARPA format", lines_.name());
  } while (line_ != "\\data\\");
  while (next_line() && line_.starts_with("ngram")) {
    const std::string_view row = trim(line_.substr(5));
    const std::size_t equals = std::min(row.find('='), row.size());
    std::size_t order = 0;
    std::uint64_t count = 0;
    if (equals == row.size() || !parse(trim(row.substr(0, equals)), order) ||
        !parse(trim(row.substr(equals + 1)), count))
      refuse("'{}' is not 'ngram ORDER=COUNT'", shown(line_));
    if (order > kMostOrder) refuse("has n-grams of order {}; at most {} is possible", order, kMostOrder);
    if (order != counts_.size() + 1)
      refuse("has the count of {}-grams where that of {}-grams is expected", order, counts_.size() + 1);
    counts_.push_back(count);
  }
  if (counts_.empty()) refuse("has no counts after \\data\\; expected 'ngram 1=COUNT'");
}

// The line is the section's header; ends at that of the next.
void ArpaReader::read_section(std::size_t order) {
  if (line_ != fmt::format("\\{}-grams:", order))
    refuse("'{}' where \\{}-grams: is expected", shown(line_), order);
  std::uint64_t ngrams = 0;
  for (; next_line() && !line_.starts_with("\\"); ++ngrams) {
    if (ngrams % 4096 == 0) check_interrupt();
    read_ngram(order);
  }
  if (ngrams != counts_[order - 1])
    refuse("has {} {}-grams, but {} according to \\data\\; the file may be cut short", ngrams, order,
           counts_[order - 1]);
  if (order == 1) finish_words();
}

void ArpaReader::read_ngram(std::size_t order) {
  split_at_blanks(line_, fields_);
  const bool has_back_off = fields_.size() == order + 2 && order < counts_.size();
  if (fields_.size() != order + 1 && !has_back_off)
    refuse("has {} fields; expected a number, {} words{}", fields_.size(), order,
           order < counts_.size() ? " and perhaps another number" : "");
  const float log_prob = read_number(fields_[0], "log probability");
  const float back_off = has_back_off ? read_number(fields_.back(), "back-off weight") : 0.0f;
  for (std::size_t k = 0; k < order; ++k) ngram_[k] = read_word(fields_[order - k], order);
  if (log_prob > 0 && (order > 1 || ngram_[0] != NgramModel::kBegin))
    refuse("the log probability is {} but cannot be above 0", fields_[0]);
  // A weight of 1 makes a difference only to contexts, which add_ngram marks.
  const Weights weights{log_prob, back_off != 0 ? back_off : kNaN};
  if (order == 1)
    add_word(weights);
  else
    add_ngram(order, weights);
}

float ArpaReader::read_number(std::string_view text, const char* what) const {
  double value = 0;
  if (!parse(text, value) || !std::isfinite(static_cast<float>(value * kLog10)))
    refuse("the {} is '{}'; expected {}", what, shown(text), kFloatExpected);
  return static_cast<float>(value * kLog10);
}

Word ArpaReader::read_word(std::string_view text, std::size_t order) {
  for (const auto& [special, word] : kSpecial)
    if (text == special) return word;
  const Word word = order == 1 ? words_->add(text) : words_->find(text);
  if (word == Words::kNone || (order > 1 && !builder_.has_word(word)))
    refuse("'{}' is not among the 1-grams", shown(text));
  return word;
}

void ArpaReader::add_word(const Weights& weights) {
  if (builder_.has_word(ngram_[0])) refuse("'{}' occurs twice", shown(fields_[1]));
  const bool is_begin = ngram_[0] == NgramModel::kBegin;
  builder_.set_word(ngram_[0], {is_begin ? static_cast<float>(kBeginLogProb * kLog10) : weights.log_prob,
                                weights.back_off});
}

void ArpaReader::finish_words() {
  if (!builder_.has_word(NgramModel::kEnd)) refuse("has no 1-gram </s>; a model of sentences needs it");
  if (!builder_.has_word(NgramModel::kUnknown))
    builder_.set_word(NgramModel::kUnknown, {static_cast<float>(kNever * kLog10), kNaN});
  if (!builder_.has_word(NgramModel::kBegin))
    builder_.set_word(NgramModel::kBegin, {static_cast<float>(kBeginLogProb * kLog10), kNaN});
}

// <s> can only be first, </s> only last.
void ArpaReader::check_words(std::size_t order) const {
  for (std::size_t k = 0; k < order; ++k) {
    if (ngram_[k] == NgramModel::kBegin && k + 1 < order) refuse("<s> follows another word");
    if (ngram_[k] == NgramModel::kEnd && k > 0) refuse("</s> precedes another word");
  }
}

void ArpaReader::add_ngram(std::size_t order, const Weights& weights) {
  check_words(order);
  const std::span<const Word> words(ngram_.data(), order);
  if (builder_.find(words) != NgramBuilder::kNoNode) refuse("the {}-gram occurs twice", order);
  if (builder_.find(words.subspan(1)) == NgramBuilder::kNoNode)
    refuse("its first {} words are not among the {}-grams", order - 1, order - 1);
  const NgramBuilder::Node newer = complete(words.first(order - 1));
  builder_.add(newer, words, weights);
  mark_context(words.subspan(1));
}

void ArpaReader::mark_context(std::span<const Word> context) {
  float& back_off = builder_.weights(builder_.find(context)).back_off;
  if (std::isnan(back_off)) back_off = 0.0f;
}

// The n-gram's node. If the file has no such n-gram, adds it with the probability that
// back-off gives it; its context exists, as it ends an n-gram that was added before.
NgramBuilder::Node ArpaReader::complete(std::span<const Word> words) {
  const NgramBuilder::Node found = builder_.find(words);
  if (found != NgramBuilder::kNoNode) return found;
  const std::span<const Word> context = words.subspan(1);
  const NgramBuilder::Node newer = complete(words.first(words.size() - 1));
  mark_context(context);
  const float back_off = builder_.weights(builder_.find(context)).back_off;
  return builder_.add(newer, words, {back_off + builder_.weights(newer).log_prob, kNaN});
}

std::string_view text_of(Word word, const Words& words) {
  for (const auto& [text, special] : kSpecial)
    if (word == special) return text;
  return words.text(word);
}

void append_ngram(std::span<const Word> ngram, const Weights& weights, const Words& words,
                  std::string& text) {
  const bool is_begin = ngram.size() == 1 && ngram[0] == NgramModel::kBegin;
  text += fmt::format("{:.9g}", is_begin ? kBeginLogProb : weights.log_prob / kLog10);
  for (std::size_t k = 0; k < ngram.size(); ++k) {
    text += k == 0 ? '\t' : ' ';
    text += text_of(ngram[k], words);
  }
  if (!std::isnan(weights.back_off)) text += fmt::format("\t{:.9g}", weights.back_off / kLog10);
  text += '\n';
}

}  // namespace

NgramModel read_arpa(const TextInput& input, Words& words) { return ArpaReader(input, words).read(); }

void write_arpa(const NgramModel& model, const Words& words, const std::string& path) {
  OutputFile out(path);
  std::string text = "\\data\\\n";
  for (std::size_t order = 1; order <= model.order(); ++order)
    text += fmt::format("ngram {}={}\n", order, model.size(order));
  for (std::size_t order = 1; order <= model.order(); ++order) {
    text += fmt::format("\n\\{}-grams:\n", order);
    model.each(order, [&](std::span<const Word> ngram, const Weights& weights) {
      append_ngram(ngram, weights, words, text);
      out.write(text);
      text.clear();
    });
  }
  out.write(text + "\n\\end\\\n");
  out.commit();
}

}  // namespace hinge::mt
