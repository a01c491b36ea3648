// Examples that are needed more than once: kept in memory, or read anew each time.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace hinge {

template <typename T>
class Rereadable {
 public:
  // read(use) calls use(some) for all examples in order, some at a time.
  using Use = std::function<void(std::span<T> some)>;
  using Read = std::function<void(const Use& use)>;

  Rereadable(Read read, bool keep) : read_(std::move(read)), keep_(keep) {
    if (keep) read_([this](std::span<T> some) { std::ranges::move(some, std::back_inserter(kept_)); });
  }

  void each(const std::function<void(std::span<const T> some)>& use) const {
    if (!keep_) return read_(use);
    constexpr std::size_t kSome = 256;
    for (std::size_t begin = 0; begin < kept_.size(); begin += kSome)
      use(std::span(kept_).subspan(begin, std::min(kSome, kept_.size() - begin)));
  }

 private:
  Read read_;
  bool keep_;
  std::vector<T> kept_;
};

}  // namespace hinge
