#include "hinge/tasks/constituents/data.h"

#include <cmath>

namespace hinge::constituents {

void find_tags(const Grammar& grammar, std::span<const std::string_view> names, std::vector<Symbol>& out) {
  out.clear();
  for (const std::string_view name : names) {
    const std::size_t tag = grammar.tag_names().find(name);
    out.push_back(tag < grammar.tags() ? static_cast<Symbol>(tag) : kNoSymbol);
  }
}

void fill_tag_scores(const PrunedSentence& sentence, std::size_t tags, std::vector<float>& scores) {
  scores.assign(sentence.words.size() * tags, 0.0f);
  for (std::size_t k = 0; k < sentence.items.size(); ++k) {
    const Item& item = sentence.items[k];
    if (item.symbol < tags) scores[item.begin * tags + item.symbol] = sentence.values[k];
  }
}

void TreeNumbers::add(const Grammar& grammar, std::span<const BinaryNode> tree) {
  for (const BinaryNode& node : tree) numbers.push_back(grammar.number_of(node.symbol, node.rule));
  begin.push_back(numbers.size());
}

PrunedSentence ParseData::sentence(std::size_t i, std::vector<std::string_view>& text) const {
  words.read(i, text);
  const auto slice = [i]<typename T>(const Column<T>& values, const Column<std::size_t>& begin) {
    return begin.size() == 1 ? std::span<const T>() : part_of(values, begin[i], begin[i + 1]);
  };
  return {text, slice(items, item_begin), slice(values, item_begin),
          part_of(tags, words.begin[i], words.begin[i + 1]), slice(aux, aux_begin)};
}

PrunedSentence Pruner::prune(std::span<const std::string_view> words, std::span<const Symbol> given,
                             float mildness) {
  model_.prune(words, given, threshold_ * mildness, workspace_, items_, tags_);
  if (exhaustive_) items_.clear();
  const std::size_t T = model_.tags().tags();
  if (exhaustive_) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t t = 0; t < T; ++t) {
        if (workspace_.ratios[i * T + t] > 0.0f)
          items_.push_back(
              {static_cast<Symbol>(t), static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i + 1)});
      }
    }
  }
  values_.clear();
  for (const Item& item : items_)
    values_.push_back(item.symbol < T ? std::log(workspace_.ratios[item.begin * T + item.symbol]) : 0.0f);
  aux_.clear();
  if (keys_) {
    keys_->start({words, tags_, {}});
    for (std::size_t width = 1; width <= words.size(); ++width) {
      for (std::size_t begin = 0; begin + width <= words.size(); ++begin) {
        const float probability = workspace_.phrases[begin * (words.size() + 1) + begin + width];
        aux_.push_back(auxiliary(flat_->grade(keys_->span_keys(begin, begin + width)), probability));
      }
    }
  }
  return {words, items_, values_, tags_, aux_};
}

}  // namespace hinge::constituents
