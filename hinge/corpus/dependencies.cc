#include "hinge/corpus/dependencies.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

bool is_absent(std::string_view cell) { return cell.empty() || cell == "_"; }

// False unless all are digits. A number too large for its type becomes the
// largest possible: out of range for any sentence.
bool parse_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) number = std::numeric_limits<std::size_t>::max();
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

}  // namespace

DependencyReader::DependencyReader(const TextInput& input, bool annotated, bool labelled)
    : reader_(input, ColumnFormat::kConllu), annotated_(annotated), labelled_(labelled) {}

DependencyReader::DependencyReader(const ColumnMemory& memory, std::string name, bool annotated,
                                   bool labelled)
    : reader_(memory, std::move(name), ColumnFormat::kConllu), annotated_(annotated), labelled_(labelled) {}

bool DependencyReader::next(bool keep_empty) {
  if (!reader_.next(sentence_, keep_empty)) return false;
  // Before the length: if an empty line is missing, the wrong ID is the clearer error.
  check_numbers();
  if (words() > kMaxWords) {
    fail<InputError>(
        "{}: the sentence has {} words, but at most {} are possible; split it, or check that an empty line "
        "ends each sentence",
        where(1), words(), kMaxWords);
  }
  if (annotated_) read_tree();
  return true;
}

std::string DependencyReader::where(std::size_t word) const { return reader_.where(sentence_, word - 1); }

std::span<const std::uint32_t> DependencyReader::heads() const {
  assert(annotated_);
  return heads_;
}

std::size_t DependencyReader::roots() const {
  assert(annotated_);
  return roots_;
}

void DependencyReader::check_numbers() const {
  for (std::size_t word = 1; word <= words(); ++word) {
    std::size_t number = 0;
    if (parse_number(cell(word, kId), number) && number == word) continue;
    fail<InputError>(
        "{}: the ID is '{}', but {} was expected; number the words of a sentence 1, 2, 3, ... and end it "
        "with "
        "an empty line",
        where(word), shown(cell(word, kId)), word);
  }
}

void DependencyReader::read_tree() {
  heads_.assign(words() + 1, 0);
  roots_ = 0;
  for (std::size_t word = 1; word <= words(); ++word) {
    heads_[word] = read_head(word);
    roots_ += heads_[word] == 0;
    if (labelled_) check_label(word);
  }
  if (words() > 0 && roots_ == 0) {
    fail<InputError>("{}: the sentence has no root; give HEAD 0 to one of its {} word{}", where(1), words(),
                     words() == 1 ? "" : "s");
  }
  check_cycles();
}

std::uint32_t DependencyReader::read_head(std::size_t word) const {
  const std::string_view text = cell(word, kHead);
  if (is_absent(text)) {
    fail<InputError>(
        "{}: the HEAD of word {} is '{}', but every word needs one here; give the number of a word or 0, the "
        "root, or leave the sentence out",
        where(word), word, text);
  }
  std::size_t head = 0;
  if (!parse_number(text, head)) {
    fail<InputError>(
        "{}: the HEAD of word {} is '{}', but a number from 0 (the root) to {} was expected; check the order "
        "of the columns",
        where(word), word, shown(text), words());
  }
  if (head > words()) {
    fail<InputError>(
        "{}: the HEAD of word {} is {}, but the sentence has {} word{}; check that sentence breaks survived "
        "conversion",
        where(word), word, text, words(), words() == 1 ? "" : "s");
  }
  if (head == word) {
    fail<InputError>("{}: the HEAD of word {} is itself; give another word, or 0 for the root", where(word),
                     word);
  }
  return static_cast<std::uint32_t>(head);
}

void DependencyReader::check_label(std::size_t word) const {
  if (!is_absent(label(word))) return;
  fail<InputError>(
      "{}: the DEPREL of word {} is '{}', but every word needs one here; give a relation, or leave the "
      "sentence out",
      where(word), word, label(word));
}

// Walks from each word up to the root or to a word already visited; if that was
// visited in the same walk, it is on a cycle.
void DependencyReader::check_cycles() {
  paths_.assign(heads_.size(), 0);
  for (std::uint32_t start = 1; start < heads_.size(); ++start) {
    std::uint32_t word = start;
    for (; word != 0 && paths_[word] == 0; word = heads_[word]) paths_[word] = start;
    if (word != 0 && paths_[word] == start) fail_cycle(word);
  }
}

void DependencyReader::fail_cycle(std::size_t word) const {
  constexpr std::size_t kShown = 12;  // keeps the message to one line
  std::vector<std::size_t> cycle = {word};
  for (std::size_t at = heads_[word]; at != word; at = heads_[at]) cycle.push_back(at);
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::string path;
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
    path += fmt::format("{} ({}) -> ", cycle[i], cell(cycle[i], kForm));
  }
  if (cycle.size() > kShown) path += fmt::format("{} more -> ", cycle.size() - kShown);
  fail<InputError>("{}: the HEADs of {} words form a cycle: {}{}; make every word lead to the root, HEAD 0",
                   where(cycle[0]), cycle.size(), path, cycle[0]);
}

// Shift-reduce: the top two of the stack are joined once one is the head of the
// other and the dependent has all its own dependents. Only a projective tree
// reduces to the root alone.
bool is_projective(std::span<const std::uint32_t> heads) {
  assert(!heads.empty());
  std::vector<std::uint32_t> missing(heads.size(), 0);  // dependents not joined yet
  for (std::size_t word = 1; word < heads.size(); ++word) ++missing[heads[word]];
  std::vector<std::uint32_t> stack = {0};
  for (std::uint32_t word = 1; word < heads.size(); ++word) {
    stack.push_back(word);
    while (stack.size() > 1) {
      const std::uint32_t right = stack.back();
      const std::uint32_t left = stack[stack.size() - 2];
      if (left != 0 && heads[left] == right && missing[left] == 0) {
        stack[stack.size() - 2] = right;
        --missing[right];
      } else if (heads[right] == left && missing[right] == 0) {
        --missing[left];
      } else {
        break;
      }
      stack.pop_back();
    }
  }
  return stack.size() == 1;
}

}  // namespace hinge
