#include "hinge/tasks/classify/memory.h"

#include "hinge/core/error.h"

namespace hinge::classify {

void Texts::add(std::string_view text, std::string_view label) {
  const std::size_t number = examples() + 1;
  if (label.empty() == labelled_)
    fail<InputError>("text {}: {}", number,
                     labelled_ ? "has no label; give every text one that is not empty"
                               : "has a label, but the data was declared unlabelled");
  for (const std::string_view given : {label, text}) {
    if (find_bad_byte(given) != std::string_view::npos)
      fail<InputError>("text {}: is not UTF-8 or has a NUL byte; decode it first", number);
    bytes_ += given;
    ends_.push_back(bytes_.size());
  }
}

}  // namespace hinge::classify
