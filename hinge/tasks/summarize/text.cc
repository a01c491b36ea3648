#include "hinge/tasks/summarize/text.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/tasks/summarize/cuts.h"

namespace hinge::summarize {
namespace {

// Whether a token of the Penn Treebank stands without a space before it.
bool sticks(std::string_view token) {
  static constexpr std::string_view kClosing = ".,;:!?)]}%";
  if (token.starts_with('\'') || token == "n't") return true;
  return token.size() == 1 && kClosing.find(token[0]) != std::string_view::npos;
}

std::string_view unescaped(std::string_view leaf) {
  if (leaf == "-LRB-") return "(";
  return leaf == "-RRB-" ? ")" : leaf == "``" || leaf == "''" ? "\"" : leaf;
}

constexpr std::string_view kSpace = " \t\r\n\v\f";

std::string_view stripped(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::uint32_t count_words(std::string_view text) {
  std::uint32_t n = 0;
  bool inside = false;
  for (const char c : text) {
    const bool word = kSpace.find(c) == std::string_view::npos;
    n += word && !inside;
    inside = word;
  }
  return n;
}

void append_leaf(std::string_view leaf, std::string& text) {
  leaf = unescaped(leaf);
  if (!text.empty() && !sticks(leaf) && !text.ends_with('(')) text += ' ';
  text += leaf;
}

}  // namespace

bool parse_tree(const Topic& topic, std::size_t document, std::size_t number, BracketTree& tree) {
  const std::string where = fmt::format("{}: document {}, tree {}", topic.where, document + 1, number + 1);
  return parse_brackets(topic.documents[document].trees[number], where, {}, tree);
}

std::string text_of(const Sentence& sentence, std::span<const char> kept) {
  if (std::ranges::all_of(kept, [](char c) { return c != 0; })) return sentence.text;
  std::string text;
  for (std::size_t k = 0; k < sentence.leaves.size(); ++k) {
    if (kept[sentence.leaf_part[k]] != 0) append_leaf(sentence.leaves[k], text);
  }
  return text;
}

void TopicSplitter::add_words(std::string_view text, std::uint32_t part, Sentence& sentence) {
  const RougeText read = reader_.candidate(std::span(&text, 1));
  sentence.words.insert(sentence.words.end(), read.words.begin(), read.words.end());
  sentence.is_stop.insert(sentence.is_stop.end(), read.is_stop.begin(), read.is_stop.end());
  sentence.part.resize(sentence.words.size(), part);
  each_rouge_word(text, [&](std::string_view word) {
    sentence.capital.push_back(!sentence.capital.empty() && word[0] >= 'A' && word[0] <= 'Z');
  });
  sentence.capital.resize(sentence.words.size());
}

// Keeps the text as it is.
void TopicSplitter::add_plain(std::string_view text, Sentence& sentence) {
  const BracketTree* tree = trees_ ? trees_->parse(text) : nullptr;
  if (tree != nullptr) {
    add_tree(*tree, sentence);
  } else {
    add_words(text, 0, sentence);
    sentence.parts[0].length = count_words(text);
  }
  sentence.text = text;
}

void TopicSplitter::add_tree(const BracketTree& tree, Sentence& sentence) {
  std::vector<std::uint32_t> part(tree.words.size(), 0);
  if (options_.compress) sentence.parts = find_parts(tree, part);
  for (std::size_t k = 0; k < tree.words.size(); ++k) {
    add_words(tree.words[k], part[k], sentence);
    if (k == 0 || !sticks(unescaped(tree.words[k]))) ++sentence.parts[part[k]].length;
    sentence.leaves.emplace_back(tree.words[k]);
    append_leaf(tree.words[k], sentence.text);
  }
  sentence.leaf_part = std::move(part);
}

TopicText TopicSplitter::split(const Topic& topic) {
  TopicText result{.id = topic.id};
  for (std::uint32_t d = 0; d < topic.documents.size(); ++d) {
    const Document& document = topic.documents[d];
    result.documents.push_back(document.name);
    const std::size_t begin = result.sentences.size();
    split_sentences(document.text, options_.lines, ranges_);
    for (const TextRange& range : ranges_)
      add_plain(range.of(document.text), result.sentences.emplace_back());
    for (const std::string& text : document.sentences)
      add_plain(stripped(text), result.sentences.emplace_back());
    for (std::size_t t = 0; t < document.trees.size(); ++t) {
      BracketTree tree;
      if (parse_tree(topic, d, t, tree)) add_tree(tree, result.sentences.emplace_back());
    }
    std::uint32_t position = 0;
    for (std::size_t k = begin; k < result.sentences.size(); ++k) {
      Sentence& sentence = result.sentences[k];
      sentence.document = d;
      sentence.position = position++;
      sentence.siblings = static_cast<std::uint32_t>(result.sentences.size() - begin);
    }
  }
  std::erase_if(result.sentences, [](const Sentence& sentence) { return sentence.words.empty(); });
  for (const std::string& reference : topic.references) {
    split_sentences(reference, options_.lines, ranges_);
    std::vector<std::string_view> sentences;
    for (const TextRange& range : ranges_) sentences.push_back(range.of(reference));
    result.references.push_back(reader_.reference(sentences));
  }
  return result;
}

}  // namespace hinge::summarize
