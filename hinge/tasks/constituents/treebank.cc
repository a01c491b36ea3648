#include "hinge/tasks/constituents/treebank.h"

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/files/block_cache.h"
#include "hinge/tasks/constituents/grammar.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::constituents {

std::string remove_wrapper(BracketTree& tree) {
  const BracketNode top = tree.nodes[0];
  if (top.word || !is_wrapper(top.label) || tree.nodes[1].next != top.next) return "-";
  tree.nodes.erase(tree.nodes.begin());
  for (BracketNode& node : tree.nodes) --node.next;
  return std::string(top.label);
}

void tags_of(const BracketTree& tree, std::vector<std::string_view>& tags) {
  tags.clear();
  for (const BracketNode& node : tree.nodes) {
    if (node.word) tags.push_back(node.label);
  }
}

void Treebank::add(const BracketTree& tree, std::span<const std::string_view> found_tags) {
  words.add(tree.words);
  for (const BracketNode& node : tree.nodes)
    nodes.values.push_back({labels.intern(node.label), static_cast<std::uint16_t>(node.begin),
                            static_cast<std::uint16_t>(node.end), node.word});
  nodes.end_row();
  for (const std::string_view tag : found_tags) tags.push_back(labels.intern(tag));
}

void Treebank::read(std::size_t i, BracketTree& tree) const {
  tree.nodes.clear();
  words.read(i, tree.words);
  for (const Node& node : nodes[i])
    tree.nodes.push_back({labels.names()[node.label], node.begin, node.end, 0, node.word != 0});
  link_nodes(tree);
}

void Treebank::given_tags(std::size_t i, const BracketTree& tree, std::vector<std::string_view>& out) const {
  if (tags.empty()) return tags_of(tree, out);
  out.clear();
  for (const std::uint16_t tag : part_of(tags, words.before(i), words.before(i + 1)))
    out.push_back(labels.names()[tag]);
}

namespace {

// Calls use(tree, tags) for all trees in the comments of CoNLL-U, with the tags of the words.
template <typename Use>
void each_tagged_tree(const Source& source, const TreebankFormat& format, const Use& use) {
  ColumnReader reader(source.input(), ColumnFormat::kConllu);
  ColumnSentence sentence;
  BracketTree tree;
  std::vector<std::string_view> tags;
  while (reader.next(sentence)) {
    parse_brackets(tree_of(sentence), reader.where(sentence, 0), format.cleaning, tree);
    tags.clear();
    for (std::size_t i = 0; i < sentence.tokens(); ++i) tags.push_back(sentence.cell(i, format.tag_column));
    if (tags.size() != tree.words.size())
      fail<InputError>("{}: has {} words, its tree {}", reader.where(sentence, 0), tags.size(),
                       tree.words.size());
    use(tree, tags);
  }
}

void put_tags(std::span<const std::string_view> tags, BracketTree& tree) {
  for (BracketNode& node : tree.nodes) {
    if (node.word) node.label = tags[node.begin];
  }
}

TreebankFormat format_of(const ConstOptions& options, FoundTags tags) {
  return {options.cleaning(), options.longest, options.tag_index(), tags};
}

}  // namespace

Treebank read_treebank(const Source& source, const TreebankFormat& format, SpillSpace* space) {
  if (source.memory != nullptr)
    fail<OptionError>("{}: is data of another task; trees were expected", source.name());
  Treebank bank;
  if (space != nullptr) spill_columns(bank, *space);
  const auto add = [&](BracketTree& tree, std::span<const std::string_view> tags) {
    check_interrupt();
    const std::string wrapper = remove_wrapper(tree);
    if (bank.size() == 0) bank.wrapper = wrapper;
    if (format.longest > 0 && tree.words.size() > static_cast<std::size_t>(format.longest)) {
      ++bank.skipped;
      return;
    }
    const bool instead = format.tags == FoundTags::kInstead && !tags.empty();
    if (instead) put_tags(tags, tree);
    bank.add(tree, instead ? std::span<const std::string_view>() : tags);
  };
  if (is_tree_columns(source)) {
    each_tagged_tree(source, format, add);
  } else {
    BracketReader reader(source.input(), format.cleaning);
    for (BracketTree tree; reader.next(tree);) add(tree, {});
  }
  if (bank.size() == 0)
    fail<InputError>("{}: has no trees{}; expected brackets such as (S (NP (DT The) ...) ...)", source.name(),
                     bank.skipped > 0 ? " as short as `longest`" : "");
  return bank;
}

Treebank read_training(const Source& source, const ConstOptions& options, SpillSpace* space) {
  return read_treebank(source, format_of(options, FoundTags::kInstead), space);
}

Treebank read_dev(const Source& source, const ConstOptions& options) {
  return read_treebank(source, format_of(options, FoundTags::kBeside));
}

}  // namespace hinge::constituents
