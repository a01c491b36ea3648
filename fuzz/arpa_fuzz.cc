// Any bytes are either read as a language model that scores all its words in every state
// they lead to and can list its n-grams, or refused with an InputError.
#include <cmath>
#include <string_view>

#include "hinge/core/error.h"
#include "hinge/mt/arpa.h"

namespace {

using hinge::mt::NgramModel;
using hinge::mt::Word;
using hinge::mt::Words;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void check_listing(const NgramModel& model, const Words& words) {
  for (std::size_t order = 1; order <= model.order(); ++order) {
    std::size_t ngrams = 0;
    model.each(order, [&](std::span<const Word> ngram, const NgramModel::Weights& weights) {
      require(ngram.size() == order && !std::isnan(weights.log_prob));
      for (const Word word : ngram) require(word >= NgramModel::kEnd || word < words.size());
      // States that no sentence leads to are fine, too.
      NgramModel::State state;
      for (const Word word : ngram) {
        require(!std::isnan(model.score(state, word, state)));
        require(state.length < model.order());
      }
      ++ngrams;
    });
    require(ngrams == model.size(order));
  }
}

void check_scores(const NgramModel& model, const Words& words) {
  NgramModel::State state = model.begin();
  for (Word word = 0; word <= words.size(); ++word) {  // the last is unknown
    require(model.knows(word) == (word < words.size()));
    NgramModel::State next;
    const float log_prob = model.score(state, word, next);
    require(!std::isnan(log_prob) && !std::isnan(model.end(next)));
    require(model.score(state, word, state) == log_prob && state == next);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    Words words;
    const NgramModel model = hinge::mt::read_arpa(hinge::TextInput(text, "text"), words);
    check_listing(model, words);
    check_scores(model, words);
  } catch (const hinge::InputError&) {
  }
  return 0;
}
