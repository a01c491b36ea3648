// Any bytes are either read as trees whose nodes are nested and that are the same when written and read
// again, or refused with an InputError.
#include <string>
#include <string_view>

#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/corpus/brackets.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check(const hinge::BracketTree& tree, hinge::BracketCleaning cleaning) {
  require(!tree.nodes.empty() && tree.nodes[0].begin == 0 && tree.nodes[0].end == tree.words.size());
  require(tree.nodes[0].next == tree.nodes.size() && tree.words.size() <= hinge::kMostTreeWords);
  for (std::uint32_t k = 0; k < tree.nodes.size(); ++k) {
    const hinge::BracketNode& node = tree.nodes[k];
    require(node.begin < node.end && node.next > k);
    std::uint32_t child = k + 1, at = node.word ? node.begin + 1 : node.begin;
    for (; child < node.next; child = tree.nodes[child].next) {
      require(!node.word && tree.nodes[child].begin == at);
      at = tree.nodes[child].end;
    }
    require(child == node.next && at == node.end);
    require(cleaning.keep_empty || !node.word || node.label != "-NONE-");
  }
}

std::string written(const hinge::BracketTree& tree) {
  std::string text;
  hinge::append_brackets(tree, text);
  return text;
}

void check_written(const hinge::BracketTree& tree, hinge::BracketCleaning cleaning) {
  const std::string text = written(tree);
  require(hinge::looks_like_brackets(text));
  hinge::BracketTree again;
  require(hinge::parse_brackets(text, "written", cleaning, again));
  check(again, cleaning);
  require(again.nodes.size() == tree.nodes.size() && written(again) == text);
}

void try_line(std::string_view text, hinge::BracketCleaning cleaning) {
  (void)hinge::looks_like_brackets(text);
  try {
    hinge::BracketTree tree;
    if (hinge::parse_brackets(text, "line", cleaning, tree)) check(tree, cleaning);
  } catch (const hinge::InputError&) {
  }
}

void read_all(const hinge::TextInput& input, hinge::BracketCleaning cleaning) {
  try {
    hinge::BracketReader reader(input, cleaning);
    hinge::BracketTree tree;
    while (reader.next(tree)) {
      check(tree, cleaning);
      check_written(tree, cleaning);
    }
  } catch (const hinge::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const hinge::BracketCleaning cleaning{(data[0] & 1) != 0, (data[0] & 2) != 0};
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try_line(text, cleaning);
  if ((data[0] & 12) != 12) {
    read_all(hinge::TextInput(text, "text"), cleaning);
  } else {  // slower, so less often
    const hinge::fuzz::MemoryFile file(data + 1, size - 1);
    read_all(file.path(), cleaning);
  }
  return 0;
}
