#include "hinge/tasks/summarize/sample.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/files/json.h"
#include "hinge/sample/sampler.h"

namespace hinge::summarize {
namespace {

constexpr std::size_t kDocuments = 5, kFacts = 4, kReferences = 2;
constexpr std::int64_t kSentencesPerTopic = 25;

// A sentence of at most `most` words, as text.
std::string sentence_text(Sampler& sampler, std::size_t most) {
  SampleSentence sentence = sampler.next();
  while (sentence.tokens.size() > most) sentence = sampler.next();
  std::string text;
  for (const SampleToken& token : sentence.tokens) {
    const bool sticks = token.upos == "PUNCT" || token.form.starts_with('\'') || token.form == "n't";
    if (!text.empty() && !sticks) text += ' ';
    text += token.form;
  }
  return text;
}

Json sample_topic(std::size_t number, Sampler& sampler, Random& random) {
  constexpr std::size_t kMostWords = 18;
  std::vector<std::string> facts, documents, references;
  for (std::size_t k = 0; k < kFacts; ++k) facts.push_back(sentence_text(sampler, kMostWords));
  for (std::size_t d = 0; d < kDocuments; ++d) {
    std::vector<std::string> sentences;
    for (std::size_t k = 0; k < kFacts; ++k) {
      if (random.uniform() < 0.7 - 0.15 * static_cast<double>(k)) sentences.push_back(facts[k]);
    }
    while (sentences.size() < kSentencesPerTopic / kDocuments)
      sentences.push_back(sentence_text(sampler, 40));
    random.shuffle(std::span(sentences));
    std::string text;
    for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
    documents.push_back(std::move(text));
  }
  for (std::size_t r = 0; r < kReferences; ++r) {
    std::string text;
    for (std::size_t k = 0; k < kFacts; ++k) {
      if (random.uniform() < 0.9 - 0.2 * static_cast<double>(k)) text += (text.empty() ? "" : " ") + facts[k];
    }
    references.push_back(text.empty() ? facts[0] : text);
  }
  Json json;
  json.set("id", fmt::format("made-up-{:04}", number));
  json.set("docs", documents).set("refs", references);
  return json;
}

}  // namespace

void sample_topics(std::int64_t sentences, std::uint64_t seed, OutputFile& out) {
  Sampler sampler(seed);
  Random random(seed);
  const std::int64_t topics = (sentences + kSentencesPerTopic - 1) / kSentencesPerTopic;
  for (std::int64_t t = 0; t < topics; ++t)
    out.write(sample_topic(static_cast<std::size_t>(t) + 1, sampler, random).dump() + '\n');
}

}  // namespace hinge::summarize
