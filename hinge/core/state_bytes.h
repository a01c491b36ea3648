// State in memory: what visit(State&) lists, as bytes, to be given to other ranks or written to files.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/state.h"

namespace hinge {

class StateToBytes final : public State {
 public:
  const Bytes& bytes() const { return bytes_; }
  std::string text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  // Saves the same once more, elsewhere.
  void give_to(State& state) {
    using Piece = std::array<std::byte, 4096>;
    std::size_t at = 0;
    for (; bytes_.size() - at >= sizeof(Piece); at += sizeof(Piece))
      state(*reinterpret_cast<Piece*>(bytes_.data() + at));
    for (; at < bytes_.size(); ++at) state(bytes_[at]);
  }

 protected:
  void transfer(void* bytes, std::size_t count) override {
    const auto* from = static_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), from, from + count);
  }
  bool loading() const override { return false; }
  std::uint64_t left() const override { return 0; }
  [[noreturn]] void refuse() const override { throw std::logic_error("state being saved was refused"); }

 private:
  Bytes bytes_;
};

// Loads from bytes, which must stay. `refused` throws if they do not fit; without it they come
// from another rank of this run, which does not send others.
class StateFromBytes final : public State {
 public:
  explicit StateFromBytes(std::span<const std::byte> bytes, std::function<void()> refused = {})
      : rest_(bytes), refused_(std::move(refused)) {}
  StateFromBytes(std::string_view bytes, std::function<void()> refused)
      : StateFromBytes(std::as_bytes(std::span(bytes)), std::move(refused)) {}

  std::uint64_t left() const override { return rest_.size(); }
  [[noreturn]] void refuse() const override {
    if (refused_) refused_();
    throw std::logic_error("ranks disagree about their state");
  }

 protected:
  void transfer(void* bytes, std::size_t count) override {
    if (count > rest_.size()) refuse();
    if (count > 0) std::memcpy(bytes, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  bool loading() const override { return true; }

 private:
  std::span<const std::byte> rest_;
  std::function<void()> refused_;
};

// A map with plain values.
template <typename Map>
void visit_map(State& state, Map& map) {
  std::vector<std::pair<std::string, typename Map::mapped_type>> entries(map.begin(), map.end());
  state(entries);
  map.clear();
  map.insert(entries.begin(), entries.end());
}

// Counts: this rank's -> those of all, added in the order of ranks.
template <typename Counts>
void add_ranks(Counts& counts) {
  Communicator& communicator = this_communicator();
  if (communicator.size() == 1) return;
  StateToBytes mine;
  counts.visit(mine);
  counts = Counts();
  for (const Bytes& bytes : communicator.gather(mine.bytes())) {
    Counts other;
    StateFromBytes state(bytes);
    other.visit(state);
    counts.add(other);
  }
}

}  // namespace hinge
