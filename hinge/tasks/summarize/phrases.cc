#include "hinge/tasks/summarize/phrases.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"

namespace hinge::summarize {
namespace {

// Topics' worth of the average phrase that every phrase is mixed with.
constexpr double kPrior = 2.0;
constexpr std::uint32_t kFewestTopics = 2;

void append_keys(std::span<const std::uint64_t> words, std::vector<std::uint64_t>& keys) {
  keys.insert(keys.end(), words.begin(), words.end());
  for (std::size_t k = 1; k < words.size(); ++k) keys.push_back(bigram_key(words[k - 1], words[k]));
}

void sort_once(std::vector<std::uint64_t>& keys) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

bool has(const std::vector<std::uint64_t>& keys, std::uint64_t key) {
  return std::ranges::binary_search(keys, key);
}

}  // namespace

Phrases::Seen Phrases::of(const TopicText& topic) {
  Seen seen;
  for (const Sentence& sentence : topic.sentences) append_keys(sentence.words, seen.documents);
  std::vector<std::uint64_t> references;
  for (const RougeText& reference : topic.references) {
    references.insert(references.end(), reference.unigrams.begin(), reference.unigrams.end());
    references.insert(references.end(), reference.bigrams.begin(), reference.bigrams.end());
  }
  sort_once(seen.documents);
  sort_once(references);
  std::ranges::set_intersection(seen.documents, references, std::back_inserter(seen.references));
  return seen;
}

void Phrases::add(const Seen& topic) {
  for (const std::uint64_t key : topic.documents) ++counts_[key].documents;
  for (const std::uint64_t key : topic.references) ++counts_[key].references;
  documents_ += topic.documents.size();
  references_ += topic.references.size();
}

void Phrases::prune() {
  absl::erase_if(counts_, [](const auto& entry) { return entry.second.documents < kFewestTopics; });
}

double Phrases::affinity(std::uint64_t key, const Seen* own) const {
  const auto found = counts_.find(key);
  if (found == counts_.end()) return 0.0;
  double documents = found->second.documents, references = found->second.references;
  if (own != nullptr) {
    documents -= has(own->documents, key);
    references -= has(own->references, key);
  }
  const double usual = static_cast<double>(references_ + 1) / static_cast<double>(documents_ + 1);
  return std::log((references + kPrior * usual) / (documents + kPrior) / usual);
}

void Phrases::write(ModelWriter& out) const {
  std::vector<std::uint64_t> keys;
  for (const auto& [key, count] : counts_) keys.push_back(key);
  std::ranges::sort(keys);
  std::vector<std::uint32_t> numbers;
  for (const std::uint64_t key : keys) {
    const Count& count = counts_.at(key);
    numbers.push_back(count.documents);
    numbers.push_back(count.references);
  }
  out.add_array("phrases", std::span<const std::uint64_t>(keys));
  out.add_array("phrase_counts", std::span<const std::uint32_t>(numbers));
  const std::vector<std::uint64_t> sums{documents_, references_};
  out.add_array("phrase_sums", std::span<const std::uint64_t>(sums));
}

Phrases Phrases::read(const ModelFile& file) {
  Phrases phrases;
  const auto keys = file.array<std::uint64_t>("phrases");
  const auto numbers = file.array<std::uint32_t>("phrase_counts");
  const auto sums = file.array<std::uint64_t>("phrase_sums");
  if (numbers.size() != 2 * keys.size() || sums.size() != 2)
    fail<ModelError>("{}: its phrases are damaged; train it again", file.name());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Count count{numbers[2 * k], numbers[2 * k + 1]};
    if (count.references > count.documents)
      fail<ModelError>("{}: its phrases are damaged; train it again", file.name());
    phrases.counts_[keys[k]] = count;
  }
  phrases.documents_ = sums[0];
  phrases.references_ = sums[1];
  return phrases;
}

}  // namespace hinge::summarize
