#include "hinge/mt/perplexity.h"

#include <cmath>
#include <vector>

#include "hinge/core/interrupt.h"

namespace hinge::mt {
namespace {

double per_event(double log_prob, std::size_t events) {
  return events == 0 ? 1.0 : std::exp(-log_prob / static_cast<double>(events));
}

Perplexity of_sentence(const NgramModel& model, std::span<const Word> sentence,
                       const std::vector<Word>& numbers) {
  Perplexity result{.words = sentence.size(), .sentences = 1};
  NgramModel::State state = model.begin();
  for (const Word word : sentence) {
    const double log_prob = model.score(state, numbers[word], state);
    result.log_prob += log_prob;
    if (model.knows(numbers[word])) continue;
    result.unknown_log_prob += log_prob;
    ++result.unknown;
  }
  result.log_prob += model.end(state);
  return result;
}

}  // namespace

double Perplexity::all() const { return per_event(log_prob, words + sentences); }

double Perplexity::known() const {
  return per_event(log_prob - unknown_log_prob, words - unknown + sentences);
}

Perplexity perplexity(const NgramModel& model, const Words& words, const Side& text, Workers& workers) {
  std::vector<Word> numbers(text.words.size());
  for (Word word = 0; word < numbers.size(); ++word) numbers[word] = words.find(text.words.text(word));
  std::vector<Perplexity> parts(text.sentences());
  workers.each(parts.size(), [&](std::size_t i) {
    check_interrupt();
    parts[i] = of_sentence(model, text.sentence(i), numbers);
  });
  Perplexity sum;
  for (const Perplexity& part : parts) {
    sum.log_prob += part.log_prob;
    sum.unknown_log_prob += part.unknown_log_prob;
    sum.words += part.words;
    sum.unknown += part.unknown;
    sum.sentences += part.sentences;
  }
  return sum;
}

}  // namespace hinge::mt
