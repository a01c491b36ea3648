#include "hinge/mt/train.h"

#include <fmt/core.h>

#include "hinge/mt/arpa.h"
#include "hinge/mt/features.h"
#include "hinge/mt/frequency.h"
#include "hinge/mt/model.h"

namespace hinge::mt {
namespace {

// Words between gaps are scored without what the gaps will hold.
float estimate(const NgramModel& model, std::span<const Symbol> target) {
  float sum = 0.0f;
  NgramModel::State state;
  for (const Symbol symbol : target) {
    if (is_gap(symbol)) {
      state = {};
    } else {
      sum += model.score(state, symbol, state);
    }
  }
  return sum;
}

Alignment links_of(const TrainInput& input, const Bitext& text, const TrainOptions& options, Workers& workers,
                   const Say& say) {
  if (!input.alignment.empty()) return read_alignment(input.alignment, text);
  return align(text, options.align, workers, [&](const AlignStep& step) { say(text_of(step)); });
}

}  // namespace

void TrainOptions::describe(OptionTable& table) {
  text.describe(table);
  align.describe(table);
  extract.describe(table);
  language_model.describe(table);
  table.add("sparse", sparse, "sparse features: a list of pair, insert, delete, bigram, shape, or all")
      .with({Trait::kList});
  table.add("frequent", frequent, "sparse features of rules are for so many most frequent words; 0: for all")
      .at_least(0);
}

void train(const TrainInput& input, const TrainOptions& options, OutputFile& out, Workers& workers,
           const Say& say) {
  const SparseSet checked(options.sparse);
  Bitext text = read_bitext(input.source, input.target, options.text);
  number_by_frequency(text.source);
  number_by_frequency(text.target);
  say(fmt::format("{} pairs of sentences, {} and {} words, {} and {} different; {} left out",
                  text.sentences(), text.source.tokens.size(), text.target.tokens.size(),
                  text.source.words.size(), text.target.words.size(), text.skipped));
  const Alignment alignment = links_of(input, text, options, workers, say);
  const Lexicon lexicon(text, alignment);
  const NgramModel language_model = input.arpa.empty()
                                        ? estimate_ngrams(text.target, options.language_model, workers)
                                        : read_arpa(input.arpa, text.target.words);
  say(fmt::format("language model of order {}", language_model.order()));
  const Rules rules = extract_rules(
      text, alignment, lexicon, options.extract,
      [&](std::span<const Symbol> target) { return estimate(language_model, target); }, workers);
  say(fmt::format("{} rules for {} source sides", rules.size(), rules.nodes() - 1));
  Json description;
  description.set("sparse", options.sparse).set("frequent", options.frequent);
  description.set("pairs", static_cast<std::int64_t>(text.sentences()));
  const Parts parts{&text.source.words, &text.target.words, &rules, &language_model};
  write_model(out, parts, description, first_weights());
}

}  // namespace hinge::mt
