#include "hinge/model/row_names.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/state_bytes.h"
#include "hinge/files/bytes.h"

namespace hinge {

void check_names(bool names, bool hashed) {
  if (names && !hashed)
    fail<OptionError>(
        "names=true is for hashed features, but hash_bits is 0: models then have all names; leave it out");
}

std::string RowNames::text(std::uint32_t row) const {
  const std::uint32_t number = numbers_.find(row);
  if (number == kNone) return "";
  return std::string(plain(number)) + (shared_[number] != 0 ? " (and others)" : "");
}

Key RowNames::key(std::uint32_t row) const {
  const std::uint32_t number = numbers_.find(row);
  return number == kNone ? kAbsent : keys_[number];
}

// Numbers of places are stored as differences, so most take one byte.
void RowNames::write(std::string_view section, std::span<const std::uint32_t> rows, ModelWriter& out) const {
  ByteWriter bytes;
  std::size_t next = 0;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const std::uint32_t number = rows[place] == kNone ? kNone : numbers_.find(rows[place]);
    if (number == kNone) continue;
    bytes.put_varint(2 * (place - next) + shared_[number]);
    bytes.put(keys_[number]);
    const std::string_view name = plain(number);
    bytes.put_varint(name.size());
    for (const char c : name) bytes.put(c);
    next = place + 1;
  }
  out.add(section, bytes.take());
}

RowNames RowNames::read(const ModelFile& file, std::string_view section) {
  RowNames names;
  if (!file.has(section)) return names;
  std::uint64_t next = 0;
  std::string name;
  for (ByteReader in(file.section(section), "feature names"); !in.at_end();) {
    const std::uint64_t step = in.get_varint();
    const std::uint64_t place = next + step / 2;
    const Key key = in.get<Key>();
    const std::uint64_t letters = in.get_varint();
    name.clear();
    for (std::uint64_t k = 0; k < letters; ++k) name += in.get<char>();
    if (step / 2 >= kNone || place >= kNone)
      fail<ModelError>("{}: the names of its features are damaged; train it again", file.name());
    names.numbers_.add(place, static_cast<std::uint32_t>(names.size()));
    names.add(static_cast<std::uint32_t>(place), key, name);
    names.shared_.back() = step % 2;
    next = place + 1;
  }
  return names;
}

std::vector<std::uint32_t> used_rows(std::span<const float> weights, std::size_t width) {
  std::vector<std::uint32_t> rows(width == 0 ? 0 : weights.size() / width, RowNames::kNone);
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (std::ranges::any_of(weights.subspan(row * width, width), [](float w) { return w != 0.0f; }))
      rows[row] = row;
  }
  return rows;
}

void RowNames::add(std::uint32_t row, Key key, std::string_view name) {
  rows_.push_back(row);
  keys_.push_back(key);
  shared_.push_back(0);
  text_ += name;
  end_.push_back(text_.size());
}

void RowNames::keep(const RowNames& known, std::uint32_t number, std::uint32_t row) {
  meet(row, known.keys_[number], [&] { return std::string(known.plain(number)); });
  shared_[numbers_.find(row)] |= known.shared_[number];
}

void RowNames::merge(Communicator& ranks) {
  if (ranks.size() == 1) return;
  StateToBytes mine;
  if (ranks.rank() > 0) {
    visit(mine);
    *this = RowNames();
  }
  const std::vector<Bytes> of_ranks = give_to_first(ranks, mine.bytes());
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) {
    RowNames others;
    StateFromBytes state(of_ranks[rank]);
    others.visit(state);
    for (std::uint32_t n = 0; n < others.rows_.size(); ++n) keep(others, n, others.rows_[n]);
  }
}

void RowNames::visit(State& state) {
  state(rows_, keys_, shared_, end_, text_);
  if (!state.loading()) return;
  const std::size_t n = rows_.size();
  state.require(keys_.size() == n && shared_.size() == n && end_.size() == n);
  state.require(std::ranges::is_sorted(end_) && (n == 0 ? 0 : end_.back()) == text_.size());
  numbers_.clear();
  for (std::uint32_t k = 0; k < n; ++k) state.require(numbers_.add(rows_[k], k).second);
}

}  // namespace hinge
