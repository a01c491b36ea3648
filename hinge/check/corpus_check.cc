#include "hinge/check/corpus_check.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>

#include "hinge/corpus/scan.h"
#include "hinge/features/text.h"

namespace hinge {
namespace {

// Shorter examples repeat by chance ("Yes .").
constexpr std::size_t kLeastForDuplicate = 5;
// Longer than this times the length that 99 of 100 examples do not exceed: probably
// the mark between two examples is missing.
constexpr std::size_t kOutlier = 3;
constexpr std::size_t kLeastForOutlier = 50;  // examples, to know what is usual
constexpr std::size_t kLeastLong = 50;        // units

constexpr FindingKind kKinds[] = {
    {"refused", Severity::kError, "training refuses this",
     "mend or remove it; what follows was found without it"},
    {"empty", Severity::kError, "files without examples, which training refuses",
     "check that it is the right file, and its format"},
    {"other-labels", Severity::kWarning, "the same text with other labels",
     "decide which labels are right, or give what tells the two apart"},
    {"in-train-too", Severity::kWarning, "development or test data that is also in the training data",
     "remove it from one of the two: it makes scores too high"},
    {"duplicate", Severity::kNote, "text that occurs again in its file or part, with the same labels",
     "keep one of each unless the repetition is meant"},
    {"long", Severity::kWarning, "far longer than all others",
     "check that nothing is missing between two examples"},
    {"label-not-in-train", Severity::kWarning, "labels that the training data lacks",
     "add examples of them, or mend their spelling: they are never predicted"},
    {"similar-labels", Severity::kWarning, "labels that differ only in case, hyphens or underscores",
     "use one spelling"},
    {"label-seen-once", Severity::kNote, "labels seen once in the training data",
     "check their spelling; one example is too few to learn from"},
};
constexpr const FindingKind& kRefused = kKinds[0];
constexpr const FindingKind& kEmpty = kKinds[1];
constexpr const FindingKind& kOtherLabels = kKinds[2];
constexpr const FindingKind& kInTrainToo = kKinds[3];
constexpr const FindingKind& kDuplicate = kKinds[4];
constexpr const FindingKind& kLong = kKinds[5];
constexpr const FindingKind& kNotInTrain = kKinds[6];
constexpr const FindingKind& kSimilar = kKinds[7];
constexpr const FindingKind& kSeenOnce = kKinds[8];

struct Seen {
  std::uint32_t file;
  std::uint32_t line;
  Key gold;
};

// One label in the training data and in the rest.
struct Uses {
  std::int64_t train = 0, other = 0;
  std::uint32_t file = 0, line = 0;  // the first
  std::uint32_t other_file = 0, other_line = 0;
};

// Without case, hyphens and underscores.
std::string plain(std::string_view label) {
  std::string lower;
  text_lower(label, lower);
  std::erase_if(lower, [](char c) { return c == '-' || c == '_'; });
  return lower;
}

}  // namespace

struct CorpusCheck::Memory {
  absl::flat_hash_map<Key, Seen> inputs;
  std::map<std::string, Uses, std::less<>> labels;
  std::vector<std::vector<std::uint32_t>> lengths;       // [files][examples]
  std::map<std::string, bool, std::less<>> file_labels;  // of the current file
  std::int64_t held_out = 0;                             // examples of dev and test
};

std::span<const FindingKind> common_kinds() { return kKinds; }

std::string_view part_name(CorpusPart part) {
  return part == CorpusPart::kTrain ? "train" : part == CorpusPart::kDev ? "dev" : "test";
}

CorpusCheck::CorpusCheck(Findings& findings) : findings_(findings), memory_(std::make_unique<Memory>()) {}
CorpusCheck::~CorpusCheck() = default;

void CorpusCheck::begin(CorpusPart part, std::string file) {
  file_ = file;
  data_.push_back({.part = part, .name = std::move(file)});
  memory_->lengths.emplace_back();
  memory_->file_labels.clear();
}

void CorpusCheck::name(Nouns nouns) { data_.back().nouns = nouns; }

void CorpusCheck::fact(std::string text) { data_.back().facts.push_back(std::move(text)); }

void CorpusCheck::refuse(const InputError& error) {
  // The message begins with "FILE:LINE: ".
  std::string_view message = error.what();
  std::size_t line = 0;
  if (message.starts_with(file_ + ":")) {
    message.remove_prefix(file_.size() + 1);
    while (!message.empty() && message[0] >= '0' && message[0] <= '9') {
      line = line * 10 + static_cast<std::size_t>(message[0] - '0');
      message.remove_prefix(1);
    }
    if (message.starts_with(": ")) message.remove_prefix(2);
  }
  find(kRefused, line, "{}", trim(message));
  data_.back().refused = true;
}

void CorpusCheck::example(const CheckedExample& example) {
  File& file = data_.back();
  file.lines.push_back(example.line);
  file.units += example.length;
  file.longest = std::max(file.longest, example.length);
  memory_->lengths.back().push_back(static_cast<std::uint32_t>(example.length));
  memory_->held_out += file.part != CorpusPart::kTrain;
  compare(example);
}

void CorpusCheck::compare(const CheckedExample& example) {
  const auto now = static_cast<std::uint32_t>(data_.size() - 1);
  const auto [entry, added] = memory_->inputs.try_emplace(
      example.input, Seen{now, static_cast<std::uint32_t>(example.line), example.gold});
  if (added) return;
  const Seen& seen = entry->second;
  const File& before = data_[seen.file];
  const double length = static_cast<double>(example.length);
  const bool leaked = before.part != data_.back().part;
  if (seen.gold != example.gold)
    rank(kOtherLabels, length, example.line, "{} ({} has other labels)", shown(example.text),
         fmt::format("{}:{}", before.name, seen.line));
  if (example.length < kLeastForDuplicate || (!leaked && seen.gold != example.gold)) return;
  rank(leaked ? kInTrainToo : kDuplicate, length, example.line, "{} (as {}:{})", shown(example.text),
       before.name, seen.line);
}

void CorpusCheck::label(std::string_view label, std::size_t line) {
  auto found = memory_->labels.find(label);
  if (found == memory_->labels.end()) found = memory_->labels.emplace(std::string(label), Uses()).first;
  Uses& uses = found->second;
  const auto file = static_cast<std::uint32_t>(data_.size() - 1);
  const auto at = static_cast<std::uint32_t>(line);
  if (data_.back().part == CorpusPart::kTrain) {
    if (uses.train++ == 0) uses.file = file, uses.line = at;
  } else if (uses.other++ == 0) {
    uses.other_file = file, uses.other_line = at;
  }
  if (memory_->file_labels.find(label) == memory_->file_labels.end()) {
    memory_->file_labels.emplace(std::string(label), true);
    ++data_.back().labels;
  }
}

void CorpusCheck::find_long() {
  std::vector<std::uint32_t> all;
  for (const auto& lengths : memory_->lengths) all.insert(all.end(), lengths.begin(), lengths.end());
  if (all.size() < kLeastForOutlier) return;
  const auto usual = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 99 / 100);
  std::nth_element(all.begin(), usual, all.end());
  const std::size_t limit = std::max(kLeastLong, kOutlier * *usual);
  for (std::size_t f = 0; f < data_.size(); ++f) {
    file_ = data_[f].name;
    for (std::size_t k = 0; k < data_[f].lines.size(); ++k) {
      const std::size_t length = memory_->lengths[f][k];
      if (length > limit)
        rank(kLong, static_cast<double>(length), data_[f].lines[k], "{} {}; 99 of 100 have at most {}",
             length, data_[f].nouns.units, *usual);
    }
  }
}

void CorpusCheck::find_labels() {
  bool held_out = false;
  bool train = false;
  for (const File& file : data_) (file.part == CorpusPart::kTrain ? train : held_out) = true;
  for (const auto& [label, uses] : memory_->labels) {
    if (train && uses.train == 1)
      findings_.add(kSeenOnce, data_[uses.file].name, uses.line, 0.0, "{}", shown(label));
    if (train && held_out && uses.train == 0)
      findings_.add(kNotInTrain, data_[uses.other_file].name, uses.other_line,
                    static_cast<double>(uses.other), "{}, {} time{}", shown(label), uses.other,
                    uses.other == 1 ? "" : "s");
  }
}

void CorpusCheck::find_similar() {
  std::map<std::string, std::pair<std::string_view, const Uses*>> seen;
  for (const auto& [label, uses] : memory_->labels) {
    const std::string key = plain(label);
    if (key.empty()) continue;
    const auto [entry, added] = seen.try_emplace(key, label, &uses);
    if (added) continue;
    const auto count = [](const Uses& of) { return of.train + of.other; };
    const Uses& other = *entry->second.second;
    const Uses& rarer = count(uses) <= count(other) ? uses : other;
    const bool in_train = rarer.train > 0;
    findings_.add(kSimilar, data_[in_train ? rarer.file : rarer.other_file].name,
                  in_train ? rarer.line : rarer.other_line, 0.0, "{} ({} times) and {} ({} times)",
                  shown(label), count(uses), shown(entry->second.first), count(other));
  }
}

void CorpusCheck::find_empty() {
  for (const File& file : data_) {
    if (file.lines.empty() && !file.refused)
      findings_.add(kEmpty, file.name, 0, 0.0, "has no {}", file.nouns.examples);
  }
}

void CorpusCheck::finish() {
  find_empty();
  find_long();
  find_labels();
  find_similar();
  add_total(kInTrainToo, memory_->held_out);
}

}  // namespace hinge
