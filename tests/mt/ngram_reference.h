// Interpolated modified Kneser-Ney straight from its formulas, with maps of strings,
// and texts to try it on.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/ngram_model.h"

namespace hinge::mt::test {

using Sentence = std::vector<std::string>;
using Gram = std::vector<std::string>;  // oldest word first

inline Side side_of(const std::vector<Sentence>& sentences) {
  Side side;
  for (const Sentence& sentence : sentences) {
    for (const std::string& word : sentence) side.tokens.push_back(side.words.add(word));
    side.begin.push_back(side.tokens.size());
  }
  return side;
}

// Rare words are rarer, so that there are counts of every size. Some sentences are empty.
inline std::vector<Sentence> random_text(std::size_t sentences, std::size_t types, std::uint64_t seed) {
  Random random(seed);
  std::vector<Sentence> text(sentences);
  for (Sentence& sentence : text) {
    for (std::size_t n = random.below(9); n > 0; --n)
      sentence.push_back("w" + std::to_string(random.below(1 + random.below(types))));
  }
  return text;
}

class Reference {
 public:
  Reference(const std::vector<Sentence>& text, std::size_t order)
      : order_(order), plain_(order + 2), count_(order + 1), followers_(order + 1), discounts_(1) {
    vocabulary_ = {"<unk>", "</s>"};
    for (const Sentence& sentence : text) see(sentence);
    for (std::size_t k = 1; k <= order; ++k) count(k);
  }

  std::size_t order() const { return order_; }
  const std::set<std::string>& vocabulary() const { return vocabulary_; }  // what can follow
  bool is_context(const Gram& gram) const {
    return gram.size() < order_ && (gram.empty() || followers_[gram.size() + 1].contains(gram));
  }
  bool uses_formula(std::size_t k) const { return discounts_[k] != kFallback; }

  // Uses the last words of the history.
  double prob(const std::string& word, const Gram& history) const {
    const std::size_t used = std::min(history.size(), order_ - 1);
    return interpolated(vocabulary_.contains(word) ? word : "<unk>",
                        Gram(history.end() - used, history.end()));
  }

 private:
  static constexpr std::array<double, 4> kFallback = {0.0, 0.5, 1.0, 1.5};

  void see(const Sentence& sentence) {
    Gram padded = {"<s>"};
    padded.insert(padded.end(), sentence.begin(), sentence.end());
    padded.push_back("</s>");
    vocabulary_.insert(sentence.begin(), sentence.end());
    for (std::size_t k = 1; k <= order_; ++k)
      for (std::size_t i = 0; i + k <= padded.size(); ++i)
        ++plain_[k][Gram(padded.begin() + i, padded.begin() + i + k)];
  }

  void count(std::size_t k) {
    std::map<Gram, int> before;  // distinct words
    for (const auto& [longer, occurrences] : plain_[k + 1]) ++before[Gram(longer.begin() + 1, longer.end())];
    for (const auto& [gram, occurrences] : plain_[k]) {
      if (gram == Gram{"<s>"}) continue;
      const int counted = k == order_ || gram[0] == "<s>" ? occurrences : before.at(gram);
      count_[k][gram] = counted;
      followers_[k][Gram(gram.begin(), gram.end() - 1)].push_back(counted);
    }
    discounts_.push_back(discounts(k));
  }

  // The numbers of n-grams that occur once to four times give the discounts.
  std::array<double, 4> discounts(std::size_t k) const {
    std::array<double, 5> n{};
    for (const auto& [gram, counted] : count_[k])
      if (counted <= 4) n[counted] += 1;
    if (n[1] == 0 || n[2] == 0 || n[3] == 0 || n[4] == 0) return kFallback;
    const double y = n[1] / (n[1] + 2 * n[2]);
    const std::array<double, 4> d = {0.0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2],
                                     3 - 4 * y * n[4] / n[3]};
    return d[1] <= 0 || d[2] <= 0 || d[3] <= 0 ? kFallback : d;
  }

  double interpolated(const std::string& word, const Gram& history) const {
    const std::size_t k = history.size() + 1;
    const double lower = history.empty() ? 1.0 / static_cast<double>(vocabulary_.size())
                                         : interpolated(word, Gram(history.begin() + 1, history.end()));
    const auto followers = followers_[k].find(history);
    if (followers == followers_[k].end()) return lower;
    const std::array<double, 4>& d = discounts_[k];
    double sum = 0, kept_back = 0;
    for (const int counted : followers->second) {
      sum += counted;
      kept_back += d[static_cast<std::size_t>(std::min(counted, 3))];
    }
    Gram gram = history;
    gram.push_back(word);
    const auto found = count_[k].find(gram);
    const int counted = found == count_[k].end() ? 0 : found->second;
    return (counted - d[static_cast<std::size_t>(std::min(counted, 3))]) / sum + kept_back / sum * lower;
  }

  std::size_t order_;
  std::set<std::string> vocabulary_;
  std::vector<std::map<Gram, int>> plain_;                   // by order
  std::vector<std::map<Gram, int>> count_;                   // by order
  std::vector<std::map<Gram, std::vector<int>>> followers_;  // by order: context -> counts
  std::vector<std::array<double, 4>> discounts_;             // by order
};

inline Word number_of(const Words& words, const std::string& text) {
  return text == "</s>" ? NgramModel::kEnd : text == "<unk>" ? NgramModel::kUnknown : words.find(text);
}

// The state after a history, which may begin with <s>.
inline NgramModel::State state_after(const NgramModel& model, const Words& words, const Gram& history) {
  NgramModel::State state;
  for (const std::string& word : history) {
    if (word == "<s>")
      state = model.begin();
    else
      model.score(state, number_of(words, word), state);
  }
  return state;
}

inline double prob_of(const NgramModel& model, const Words& words, const std::string& word,
                      const Gram& history) {
  NgramModel::State state = state_after(model, words, history);
  if (word == "</s>") return std::exp(model.end(state));
  return std::exp(model.score(state, number_of(words, word), state));
}

}  // namespace hinge::mt::test
