// Texts to classify, in memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hinge/tasks/source.h"

namespace hinge::classify {

// Texts with or without labels; a text may be empty and may have several lines. add()
// throws InputError "text 3: ..." if a label is missing, empty or unexpected, or if
// something is not UTF-8. Once built, any number of threads may read.
class Texts final : public MemoryData {
 public:
  explicit Texts(bool labelled) : labelled_(labelled) {}

  void add(std::string_view text, std::string_view label = {});

  bool labelled() const { return labelled_; }
  std::size_t examples() const override { return ends_.size() / 2; }
  std::string_view label(std::size_t i) const { return piece(2 * i); }
  std::string_view text(std::size_t i) const { return piece(2 * i + 1); }

 private:
  std::string_view piece(std::size_t k) const {
    const std::size_t first = k == 0 ? 0 : ends_[k - 1];
    return std::string_view(bytes_).substr(first, ends_[k] - first);
  }

  bool labelled_;
  std::string bytes_;              // label, text, label, text, ...
  std::vector<std::size_t> ends_;  // [2 * examples], into bytes_
};

}  // namespace hinge::classify
