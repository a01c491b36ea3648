#include "hinge/tasks/tree_source.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

constexpr std::string_view kComment = "# tree = ";

// As words are written outside trees.
std::string_view unescaped(std::string_view word) {
  return word == "-LRB-" ? "(" : word == "-RRB-" ? ")" : word;
}

bool begins_as_tree(const TextInput& input) {
  TextSource text(input, ChunkEnd::kLine);
  for (std::string_view chunk; text.next(chunk);) {
    const std::size_t begin = chunk.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) continue;
    const std::string_view rest = chunk.substr(begin);
    return looks_like_brackets(rest.substr(0, rest.find('\n')));
  }
  return false;
}

}  // namespace

void append_tree_columns(std::string_view tree, std::span<const std::string_view> words,
                         std::span<const std::string_view> tags, std::string& out) {
  if (!tree.empty()) out.append(kComment).append(tree).append("\n");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view tag = tags.empty() || tags[i].empty() ? "_" : tags[i];
    fmt::format_to(std::back_inserter(out), "{}\t{}\t_\t{}\t{}\t_\t_\t_\t_\t_\n", i + 1, unescaped(words[i]),
                   tag, tag);
  }
  out += '\n';
}

Source tree_columns(const Source& source, bool keep_empty) {
  if (source.memory != nullptr)
    fail<OptionError>("{}: is in memory, but only text can be annotated; write it to a file", source.name());
  BracketReader reader(source.input(), {.keep_functions = true, .keep_empty = keep_empty});
  BracketTree tree;
  std::string text, brackets;
  std::vector<std::string_view> tags;
  while (reader.next(tree)) {
    brackets.clear();
    append_brackets(tree, brackets);
    tags.clear();
    for (const BracketNode& node : tree.nodes) {
      if (node.word) tags.push_back(node.label);
    }
    append_tree_columns(brackets, tree.words, tags, text);
  }
  return Source::of_text(std::move(text), source.name() + " as columns");
}

Source columns_of_trees(const Source& source) {
  if (source.memory != nullptr || source.read_once()) return source;
  return begins_as_tree(source.input()) ? tree_columns(source) : source;
}

bool is_tree_columns(const Source& source) {
  return source.text != nullptr && source.text->starts_with(kComment);
}

std::string_view tree_of(const ColumnSentence& sentence) {
  for (const std::string_view line : sentence.lines) {
    if (line.starts_with(kComment)) return line.substr(kComment.size());
  }
  return "";
}

}  // namespace hinge
