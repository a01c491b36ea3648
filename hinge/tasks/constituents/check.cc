#include "hinge/tasks/constituents/check.h"

#include "hinge/corpus/brackets.h"
#include "hinge/corpus/scan.h"

namespace hinge::constituents {
namespace {

constexpr FindingKind kKinds[] = {
    {"same-label-twice", Severity::kNote, "a phrase that is the only child of one with the same label",
     "nothing if empty elements were removed; else remove one of the two"},
    {"long-unary-chain", Severity::kNote, "four or more phrases over the same words",
     "check that all of them are meant"},
};
constexpr const FindingKind& kTwice = kKinds[0];
constexpr const FindingKind& kChain = kKinds[1];

constexpr std::size_t kLongChain = 4;
constexpr std::size_t kMostText = 200;

class TreeCheck {
 public:
  explicit TreeCheck(CorpusCheck& check) : check_(check) {}

  void tree(const BracketTree& tree, std::size_t line) {
    Key input = 1;
    text_.clear();
    for (const std::string_view word : tree.words) {
      if (text_.size() < kMostText) text_.append(text_.empty() ? "" : " ").append(word);
      input = combine(input, hash_text(word));
    }
    brackets_.clear();
    append_brackets(tree, brackets_);
    check_.example({.line = line,
                    .text = text_,
                    .input = input,
                    .gold = hash_text(brackets_),
                    .length = tree.words.size()});
    chains(tree, line);
  }

 private:
  void chains(const BracketTree& tree, std::size_t line) {
    std::size_t chain = 0;  // phrases over the same words, down to this one
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const BracketNode& node = tree.nodes[k];
      if (node.word) continue;
      if (!node.label.empty()) check_.label(node.label, line);
      const bool only_child =
          k > 0 && tree.nodes[k - 1].begin == node.begin && tree.nodes[k - 1].end == node.end;
      chain = only_child ? chain + 1 : 1;
      if (only_child && tree.nodes[k - 1].label == node.label)
        check_.find(kTwice, line, "{} over {}", shown(node.label), shown(tree.words[node.begin]));
      if (chain == kLongChain)
        check_.find(kChain, line, "the lowest is {} over {}", shown(node.label),
                    shown(tree.words[node.begin]));
    }
  }

  CorpusCheck& check_;
  std::string text_, brackets_;
};

// Just after the first `lines` lines.
std::size_t after_lines(std::string_view text, std::size_t lines) {
  std::size_t at = 0;
  for (; lines > 0 && at < text.size(); --lines) at = first_line_end(text, at);
  return at;
}

}  // namespace

void check_trees(const Source& source, CorpusCheck& check) {
  check.name({"trees", "words"});
  TreeCheck trees(check);
  std::string_view rest = *source.text;
  BracketTree tree;
  // After a tree that is refused, a line that begins with a bracket begins the next.
  for (std::size_t line = 1; !rest.empty();) {
    BracketReader reader(TextInput(rest, source.path, line));
    try {
      while (reader.next(tree)) trees.tree(tree, reader.line());
      return;
    } catch (const InputError& error) {
      check.refuse(error);
    }
    std::size_t skipped = std::max(reader.line(), line) - line;
    rest.remove_prefix(after_lines(rest, skipped));
    line += skipped;
    do {
      rest.remove_prefix(first_line_end(rest));
      ++line;
    } while (!rest.empty() && rest[0] != '(');
  }
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::constituents
