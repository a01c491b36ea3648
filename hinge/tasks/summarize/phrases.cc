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

Phrases::Table Phrases::table() const {
  Table table{.keys = {}, .counts = {}, .sums = {documents_, references_}};
  for (const auto& [key, count] : counts_) table.keys.push_back(key);
  std::ranges::sort(table.keys);
  for (const std::uint64_t key : table.keys) {
    const Count& count = counts_.at(key);
    table.counts.push_back(count.documents);
    table.counts.push_back(count.references);
  }
  return table;
}

bool Phrases::take(const Table& table) {
  if (table.counts.size() != 2 * table.keys.size() || table.sums.size() != 2) return false;
  counts_.clear();
  for (std::size_t k = 0; k < table.keys.size(); ++k) {
    const Count count{table.counts[2 * k], table.counts[2 * k + 1]};
    if (count.references > count.documents) return false;
    counts_[table.keys[k]] = count;
  }
  documents_ = table.sums[0];
  references_ = table.sums[1];
  return true;
}

void Phrases::write(ModelWriter& out) const {
  const Table all = table();
  out.add_array("phrases", std::span<const std::uint64_t>(all.keys));
  out.add_array("phrase_counts", std::span<const std::uint32_t>(all.counts));
  out.add_array("phrase_sums", std::span<const std::uint64_t>(all.sums));
}

Phrases Phrases::read(const ModelFile& file) {
  const auto array = [&file]<typename T>(const char* name, std::vector<T>& values) {
    const auto stored = file.array<T>(name);
    values.assign(stored.begin(), stored.end());
  };
  Table all;
  array("phrases", all.keys);
  array("phrase_counts", all.counts);
  array("phrase_sums", all.sums);
  Phrases phrases;
  if (!phrases.take(all)) fail<ModelError>("{}: its phrases are damaged; train it again", file.name());
  return phrases;
}

void Phrases::visit(State& state) {
  Table all = table();
  state(all.keys, all.counts, all.sums);
  if (state.loading()) state.require(take(all));
}

}  // namespace hinge::summarize
