#include "hinge/features/lexicon.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "hinge/corpus/text_source.h"
#include "hinge/features/text.h"

namespace hinge {
namespace {

// Calls body(line number, line) for each line of a text that is not empty.
template <typename Body>
void each_line(std::string_view text, const Body& body) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) body(number, line);
  }
}

// The first two fields of a line, separated by a tab, or by spaces if it has no tab.
std::pair<std::string_view, std::string_view> two_fields(std::string_view line) {
  const char* separator = line.find('\t') == std::string_view::npos ? " " : "\t";
  const std::size_t end = std::min(line.find_first_of(separator), line.size());
  std::string_view rest = line.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(separator), rest.size()));
  return {line.substr(0, end), rest.substr(0, rest.find_first_of(separator))};
}

bool is_bits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("01") == std::string_view::npos;
}

// The hash of a phrase and its number of words.
std::pair<Key, std::uint64_t> hash_phrase(std::string_view words) {
  Key phrase = kAbsent;
  std::uint64_t length = 0;
  each_word(words, [&](std::string_view word) {
    phrase = combine(phrase, hash_text(word));
    ++length;
  });
  return {phrase, length};
}

// The place of a name in a short list, to which it is added if it is new.
std::uint32_t number_of(std::string_view name, std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  const auto number = static_cast<std::uint32_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return number;
}

constexpr std::size_t kHeaderLines = 5;  // a file of clusters may begin with as many

// Whether the lines of a cluster file are "bits word count", rather than "word bits".
// A word may look like bits ("10"), bits never look like a word, so most lines decide.
bool bits_come_first(std::string_view text) {
  std::size_t first_is_bits = 0, second_is_bits = 0;
  each_line(text, [&](std::size_t, std::string_view line) {
    const auto [first, second] = two_fields(line);
    first_is_bits += is_bits(first);
    second_is_bits += is_bits(second);
  });
  return first_is_bits >= second_is_bits;
}

}  // namespace

BrownClusters BrownClusters::read(const std::string& path) {
  const std::string text = read_text(path);
  const bool bits_first = bits_come_first(text);
  BrownClusters clusters;
  NumberMap ids;
  each_line(text, [&](std::size_t number, std::string_view line) {
    const auto [first, second] = two_fields(line);
    const std::string_view bits = bits_first ? first : second;
    const std::string_view word = bits_first ? second : first;
    if (word.empty() || !is_bits(bits)) {
      if (clusters.empty() && number <= kHeaderLines) return;
      fail<InputError>(
          "{}:{}: a cluster line is 'bits word count', as in a Brown 'paths' file, or 'word bits', with tabs "
          "or "
          "spaces between; the bits are 0 and 1, but here they are '{}'",
          path, number, shown(bits));
    }
    const auto [id, is_new] = ids.add(hash_text(bits), static_cast<std::uint32_t>(ids.size()));
    if (is_new) clusters.paths_.emplace_back(bits);
    clusters.path_of_word_.add(hash_text(word), id);
  });
  if (clusters.empty())
    fail<InputError>("{}: has no word clusters; lines 'bits word count' or 'word bits' were expected", path);
  return clusters;
}

std::string_view BrownClusters::path_of(Key word) const {
  const std::uint32_t path = path_of_word_.find(word);
  return path == NumberMap::kNone ? std::string_view() : std::string_view(paths_[path]);
}

std::string_view BrownClusters::path_of_any_case(std::string_view word, Key key, std::string& buffer) const {
  if (const std::string_view path = path_of(key); !path.empty()) return path;
  text_lower(word, buffer);
  if (const std::string_view path = path_of(hash_text(buffer)); !path.empty()) return path;
  const std::string_view first = text_prefix(word, 1);
  const std::string_view first_lower = text_prefix(buffer, 1);
  return path_of(hash_text(buffer.replace(0, first_lower.size(), first)));
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
  std::vector<std::string> types;
  std::vector<std::pair<Key, std::uint32_t>> entries;  // phrase and type
  each_line(read_text(path), [&](std::size_t, std::string_view line) {
    const std::size_t tab = line.find('\t');
    const std::string_view type =
        tab == std::string_view::npos ? std::string_view() : trim(line.substr(0, tab));
    const auto [phrase, length] = hash_phrase(tab == std::string_view::npos ? line : line.substr(tab + 1));
    if (length == 0) return;
    gazetteer.longest_ = std::max(gazetteer.longest_, length);
    entries.emplace_back(phrase, number_of(type, types));
  });
  if (entries.empty())
    fail<InputError>("{}: has no phrases; lines of a phrase, or of type, tab, phrase, were expected", path);
  std::ranges::sort(entries);
  for (std::size_t begin = 0; begin < entries.size();) {
    std::set<std::string_view> names;  // a phrase may be listed under several types
    std::size_t end = begin;
    for (; end < entries.size() && entries[end].first == entries[begin].first; ++end)
      names.insert(types[entries[end].second]);
    if (names.size() > 1) names.erase("");
    gazetteer.phrases_.add(entries[begin].first, number_of(join(names, "+"), gazetteer.types_));
    begin = end;
  }
  gazetteer.name_types();
  return gazetteer;
}

std::string Gazetteer::name(std::string_view position, std::string_view type) {
  return type.empty() ? std::string(position) : fmt::format("{}-{}", position, type);
}

void Gazetteer::name_types() {
  for (const std::string& type : types_) {
    keys_.push_back(hash_text(name("B", type)));
    keys_.push_back(hash_text(name("I", type)));
  }
}

std::string Gazetteer::text(Key value) const {
  const auto place = static_cast<std::size_t>(std::ranges::find(keys_, value) - keys_.begin());
  return place == keys_.size() ? std::string() : name(place % 2 == 0 ? "B" : "I", types_[place / 2]);
}

GazetteerMatch Gazetteer::longest_match(std::span<const Key> words) const {
  Key phrase = kAbsent;
  GazetteerMatch match;
  for (std::size_t i = 0; i < words.size() && i < longest_; ++i) {
    phrase = combine(phrase, words[i]);
    const std::uint32_t type = phrases_.find(phrase);
    if (type != NumberMap::kNone) match = {.length = i + 1, .type = type};
  }
  return match;
}

namespace {

// Set in the stored length of the longest phrase if types follow; gazetteers without
// types are stored as they were before there were types.
constexpr std::uint64_t kTyped = std::uint64_t{1} << 63;

}  // namespace

void Gazetteer::write(ByteWriter& out) const {
  const bool typed = types_ != std::vector<std::string>{""};
  out.put(longest_ | (typed ? kTyped : 0));
  const auto phrases = phrases_.sorted_keys();
  out.put_array(std::span<const Key>(phrases));
  if (!typed) return;
  out.put_varint(types_.size());
  for (const std::string& type : types_) out.put(std::string_view(type));
  for (const Key phrase : phrases) out.put_varint(phrases_.find(phrase));
}

Gazetteer Gazetteer::load(ByteReader& in) {
  Gazetteer gazetteer;
  const auto longest = in.get<std::uint64_t>();
  gazetteer.longest_ = longest & ~kTyped;
  const auto phrases = in.get_array<Key>();
  if ((longest & kTyped) != 0) {
    const auto types = in.get_varint();
    for (std::uint64_t i = 0; i < types; ++i) gazetteer.types_.emplace_back(in.get_text());
  } else {
    gazetteer.types_ = {""};
  }
  for (const Key phrase : phrases) {
    const auto type = (longest & kTyped) != 0 ? in.get_varint() : 0;
    if (type >= gazetteer.types_.size())
      fail<ModelError>("the gazetteer of the model is damaged; train again");
    gazetteer.phrases_.add(phrase, static_cast<std::uint32_t>(type));
  }
  gazetteer.name_types();
  return gazetteer;
}

std::uint32_t TagLexicon::tag_number(std::string_view tag) {
  const auto [number, is_new] = tag_ids_.add(hash_text(tag), static_cast<std::uint32_t>(tags_.size()));
  if (!is_new) return number;
  constexpr std::size_t kMostTags = 65535;
  if (tags_.size() == kMostTags)
    fail<InputError>("a lexicon column has more than {} values; is it a tag column?", kMostTags);
  tags_.emplace_back(tag);
  return number;
}

void TagLexicon::count(std::string_view word, std::string_view tag) {
  count(hash_text(word), tag_number(tag), 1);
}

void TagLexicon::count(Key word, std::uint32_t tag, std::uint32_t times) {
  const auto [row, is_new_word] = words_.add(word, static_cast<std::uint32_t>(counts_.size()));
  if (is_new_word) counts_.emplace_back();
  auto& counts = counts_[row];
  for (auto& [id, n] : counts) {
    if (id == tag) {
      n += times;
      return;
    }
  }
  counts.emplace_back(static_cast<std::uint16_t>(tag), times);
}

void TagLexicon::add(const TagLexicon& later) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& tag : later.tags_) numbers.push_back(tag_number(tag));
  for (const Key word : later.words_.sorted_keys()) {
    for (const auto& [id, n] : later.counts_[later.words_.find(word)]) count(word, numbers[id], n);
  }
}

void TagLexicon::visit(State& state) {
  std::vector<Key> words(counts_.size());
  for (const Key word : words_.sorted_keys()) words[words_.find(word)] = word;
  state(tags_, words, counts_);
  if (!state.loading()) return;
  for (std::uint32_t k = 0; k < tags_.size(); ++k) tag_ids_.add(hash_text(tags_[k]), k);
  for (std::uint32_t k = 0; k < words.size(); ++k) words_.add(words[k], k);
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
