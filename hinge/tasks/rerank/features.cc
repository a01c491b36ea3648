#include "hinge/tasks/rerank/features.h"

#include <algorithm>

#include "hinge/corpus/nbest/builder.h"
#include "hinge/evaluate/words.h"

namespace hinge::rerank {
namespace {

// The n-grams of a text, of two or more words; both ends count as words.
class NGrams {
 public:
  explicit NGrams(std::size_t most) : most_(most) {}

  // Adds the count of each n-gram that feature_of(name, 0) knows. Existing entries
  // stay: a decoder that uses such weights lists these features itself.
  template <typename FeatureOf>
  void count(std::string_view text, const FeatureOf& feature_of, std::vector<Hypothesis::Entry>& entries) {
    if (most_ < 2) return;
    split(text);
    numbers_.clear();
    for (std::size_t begin = 0; begin < words_.size(); ++begin) {
      name_.assign("ngram:").append(words_[begin]);
      for (std::size_t k = begin + 1; k < std::min(begin + most_, words_.size()); ++k) {
        name_.append("_").append(words_[k]);
        const std::uint32_t number = feature_of(name_, 0);
        if (number != NBestBuilder::kNoFeature) numbers_.push_back(number);
      }
    }
    std::ranges::sort(numbers_);
    listed_.clear();
    for (const Hypothesis::Entry& entry : entries) listed_.push_back(entry.feature);
    std::ranges::sort(listed_);
    for (std::size_t k = 0, end = 0; k < numbers_.size(); k = end) {
      while (end < numbers_.size() && numbers_[end] == numbers_[k]) ++end;
      if (!std::ranges::binary_search(listed_, numbers_[k]))
        entries.push_back({numbers_[k], static_cast<float>(end - k)});
    }
  }

 private:
  void split(std::string_view text) {
    Words given;
    split_words(text, given);
    words_.assign(1, "<s>");
    for (const std::string_view word : given) words_.push_back(escaped(word));
    words_.emplace_back("</s>");
  }

  // A '_' in a word would make two different n-grams look alike.
  static std::string escaped(std::string_view word) {
    std::string text;
    for (const char c : word) text += c == '_' ? std::string("%5F") : c == '%' ? "%25" : std::string(1, c);
    return text;
  }

  std::size_t most_;
  std::vector<std::string> words_;
  std::string name_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> listed_;  // features given, sorted
};

// feature_of(name, value_index) is a feature's number, or kNoFeature to leave it out.
template <typename FeatureOf>
NBestLists rebuild(const NBestLists& lists, std::size_t ngrams, NBestBuilder& builder,
                   const FeatureOf& feature_of) {
  std::vector<std::uint32_t> numbers(lists.feature_count());
  for (std::size_t f = 0; f < numbers.size(); ++f)
    numbers[f] = feature_of(lists.name(f), lists.value_index[f]);
  NGrams counter(ngrams);
  builder.add(lists, numbers,
              [&](std::size_t h, auto& entries) { counter.count(lists.text(h), feature_of, entries); }, {});
  return builder.finish();
}

}  // namespace

NBestLists with_more(const NBestLists& lists, const std::vector<FeatureName>& known, std::size_t ngrams,
                     SpillSpace* space) {
  NBestBuilder builder({.space = space});
  for (const auto& [name, value_index] : known) builder.feature(name, value_index);
  return rebuild(lists, ngrams, builder, [&](std::string_view name, std::uint32_t value_index) {
    return builder.feature(name, value_index);
  });
}

NBestLists with_names(const NBestLists& lists, const std::vector<std::string>& names, std::size_t ngrams) {
  NBestBuilder builder;
  for (const std::string& name : names) builder.feature(name);
  return rebuild(lists, ngrams, builder,
                 [&](std::string_view name, std::uint32_t) { return builder.find(name); });
}

}  // namespace hinge::rerank
