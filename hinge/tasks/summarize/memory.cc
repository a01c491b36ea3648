#include "hinge/tasks/summarize/memory.h"

#include "hinge/core/error.h"

namespace hinge::summarize {
namespace {

void check(const std::string& text, std::size_t number) {
  if (find_bad_byte(text) != std::string_view::npos)
    fail<InputError>("topic {}: is not UTF-8 or has a NUL byte; decode it first", number);
}

}  // namespace

Topics::Topics(std::vector<Topic> given) : topics(std::move(given)) {
  for (std::size_t t = 0; t < topics.size(); ++t) {
    for (const Document& document : topics[t].documents) {
      check(document.text, t + 1);
      for (const std::string& tree : document.trees) check(tree, t + 1);
      for (const std::string& sentence : document.sentences) check(sentence, t + 1);
    }
    for (const std::string& reference : topics[t].references) check(reference, t + 1);
  }
}

}  // namespace hinge::summarize
