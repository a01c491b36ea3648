#include "hinge/features/lexicon.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"

namespace hinge {
namespace {

// Calls body(line number, line) for each line of a file that is not empty.
template <typename Body>
void each_line(const std::string& path, const Body& body) {
  TextSource source(path);
  for (std::string_view chunk; source.next(chunk);) {
    for (std::size_t number = source.first_line(); !chunk.empty(); ++number) {
      const std::size_t end = std::min(chunk.find('\n'), chunk.size());
      std::string_view line = chunk.substr(0, end);
      chunk.remove_prefix(std::min(end + 1, chunk.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty()) body(number, line);
    }
  }
}

}  // namespace

BrownClusters BrownClusters::read(const std::string& path) {
  BrownClusters clusters;
  NumberMap ids;
  each_line(path, [&](std::size_t number, std::string_view line) {
    const std::size_t first = line.find('\t');
    const std::string_view bits = line.substr(0, first);
    if (first == std::string_view::npos || bits.find_first_not_of("01") != std::string_view::npos) {
      fail<InputError>(
          "{}:{}: a Brown cluster line is bits, tab, word, tab, count; check that it is a 'paths' file", path,
          number);
    }
    const std::string_view rest = line.substr(first + 1);
    const auto [id, is_new] = ids.add(hash_text(bits), static_cast<std::uint32_t>(ids.size()));
    if (is_new) clusters.paths_.emplace_back(bits);
    clusters.path_of_word_.add(hash_text(rest.substr(0, rest.find('\t'))), id);
  });
  if (clusters.empty()) fail<InputError>("{}: is empty, but a Brown 'paths' file was expected", path);
  return clusters;
}

std::string_view BrownClusters::path_of(Key word) const {
  const std::uint32_t path = path_of_word_.find(word);
  return path == NumberMap::kNone ? std::string_view() : std::string_view(paths_[path]);
}

void BrownClusters::write(ByteWriter& out) const {
  out.put<std::uint64_t>(paths_.size());
  for (const std::string& path : paths_) out.put(std::string_view(path));
  const auto words = path_of_word_.sorted_keys();  // the bytes must not depend on hash table order
  std::vector<std::uint32_t> ids;
  for (const Key word : words) ids.push_back(path_of_word_.find(word));
  out.put_array(std::span<const Key>(words));
  out.put_array(std::span<const std::uint32_t>(ids));
}

BrownClusters BrownClusters::load(ByteReader& in) {
  BrownClusters clusters;
  const auto count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) clusters.paths_.emplace_back(in.get_text());
  const auto words = in.get_array<Key>();
  const auto ids = in.get_array<std::uint32_t>();
  const auto check = [](bool holds) {
    if (!holds) fail<ModelError>("the clusters of the model are damaged; train again");
  };
  check(words.size() == ids.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    check(ids[i] < clusters.paths_.size());
    clusters.path_of_word_.add(words[i], ids[i]);
  }
  return clusters;
}

Gazetteer Gazetteer::read(const std::string& path) {
  Gazetteer gazetteer;
  each_line(path, [&](std::size_t, std::string_view line) {
    Key phrase = kAbsent;
    std::uint64_t length = 0;
    for (std::size_t begin = line.find_first_not_of(" \t"); begin != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
      phrase = combine(phrase, hash_text(line.substr(begin, end - begin)));
      ++length;
      begin = line.find_first_not_of(" \t", end);
    }
    if (length > 0) gazetteer.phrases_.add(phrase, 0);
    gazetteer.longest_ = std::max(gazetteer.longest_, length);
  });
  return gazetteer;
}

std::size_t Gazetteer::longest_match(std::span<const Key> words) const {
  Key phrase = kAbsent;
  std::size_t matched = 0;
  for (std::size_t i = 0; i < words.size() && i < longest_; ++i) {
    phrase = combine(phrase, words[i]);
    if (phrases_.contains(phrase)) matched = i + 1;
  }
  return matched;
}

void Gazetteer::write(ByteWriter& out) const {
  out.put(longest_);
  const auto phrases = phrases_.sorted_keys();
  out.put_array(std::span<const Key>(phrases));
}

Gazetteer Gazetteer::load(ByteReader& in) {
  Gazetteer gazetteer;
  gazetteer.longest_ = in.get<std::uint64_t>();
  const auto phrases = in.get_array<Key>();
  for (const Key phrase : phrases) gazetteer.phrases_.add(phrase, 0);
  return gazetteer;
}

void TagLexicon::count(std::string_view word, std::string_view tag) {
  const auto [tag_id, is_new] = tag_ids_.add(hash_text(tag), static_cast<std::uint32_t>(tags_.size()));
  if (is_new) {
    constexpr std::size_t kMostTags = 65535;
    if (tags_.size() == kMostTags)
      fail<InputError>("a lexicon column has more than {} values; is it a tag column?", kMostTags);
    tags_.emplace_back(tag);
  }
  const auto [row, is_new_word] = words_.add(hash_text(word), static_cast<std::uint32_t>(counts_.size()));
  if (is_new_word) counts_.emplace_back();
  auto& counts = counts_[row];
  for (auto& [id, n] : counts) {
    if (id == tag_id) {
      ++n;
      return;
    }
  }
  counts.emplace_back(static_cast<std::uint16_t>(tag_id), 1);
}

void TagLexicon::finish() {
  for (auto& counts : counts_) {
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
  }
}

std::string_view TagLexicon::tag(Key word, std::size_t rank) const {
  const std::uint32_t row = words_.find(word);
  if (row == NumberMap::kNone || rank >= counts_[row].size()) return {};
  return tags_[counts_[row][rank].first];
}

void TagLexicon::write(ByteWriter& out) const {
  out.put<std::uint64_t>(tags_.size());
  for (const std::string& tag : tags_) out.put(std::string_view(tag));
  const auto words = words_.sorted_keys();
  out.put<std::uint64_t>(words.size());
  for (const Key word : words) {
    const auto& counts = counts_[words_.find(word)];
    out.put(word);
    out.put_varint(counts.size());
    for (const auto& [id, n] : counts) out.put_varint(id);
  }
}

TagLexicon TagLexicon::load(ByteReader& in) {
  TagLexicon lexicon;
  const auto tags = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < tags; ++i) lexicon.tags_.emplace_back(in.get_text());
  const auto words = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < words; ++i) {
    const auto row = static_cast<std::uint32_t>(lexicon.counts_.size());
    if (!lexicon.words_.add(in.get<Key>(), row).second)
      fail<ModelError>("the lexicon of the model is damaged; train again");
    auto& counts = lexicon.counts_.emplace_back();
    const auto n = in.get_varint();
    for (std::uint64_t k = 0; k < n; ++k) {
      const auto id = in.get_varint();
      if (id >= lexicon.tags_.size()) fail<ModelError>("the lexicon of the model is damaged; train again");
      counts.emplace_back(static_cast<std::uint16_t>(id), 1);
    }
  }
  return lexicon;
}

}  // namespace hinge
