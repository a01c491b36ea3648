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
  const float* value = sentence.values.data();
  for (const Item& item : sentence.items) {
    if (item.symbol < tags) scores[item.begin * tags + item.symbol] = *value++;
  }
}

PrunedSentence ParseData::sentence(std::size_t i, std::vector<std::string_view>& text) const {
  words.read(i, text);
  return {text, items[i], values[i], part_of(tags, words.before(i), words.before(i + 1)), aux[i]};
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
  for (const Item& item : items_) {
    if (item.symbol < T) values_.push_back(std::log(workspace_.ratios[item.begin * T + item.symbol]));
  }
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
