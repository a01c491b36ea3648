#include "hinge/tasks/summarize/explain.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace hinge::summarize {
namespace {

// The bigrams of the kept words of a sentence, as they stand there.
std::vector<std::pair<std::uint64_t, std::string>> bigrams_of(const Sentence& sentence) {
  std::vector<std::string> shown;
  each_rouge_word(sentence.text, [&](std::string_view word) { shown.emplace_back(word); });
  std::vector<std::pair<std::uint64_t, std::string>> bigrams;
  for (std::size_t k = 1; k < std::min(shown.size(), sentence.words.size()); ++k)
    bigrams.emplace_back(bigram_key(sentence.words[k - 1], sentence.words[k]), shown[k - 1] + ' ' + shown[k]);
  return bigrams;
}

}  // namespace

std::vector<SentenceExplanation> explain(const Summarizer& summarizer, const Topic& topic,
                                         Summarizer::Workspace& workspace) {
  const Summary summary = summarizer.summarize(topic, workspace);
  const TopicData& data = workspace.data();
  const CoverageScores scores{workspace.decoder().bigram_scores(), workspace.decoder().piece_scores()};
  absl::flat_hash_map<std::uint64_t, std::size_t> ids;
  for (std::size_t c = 0; c < data.keys.size(); ++c) ids[data.keys[c]] = c;
  std::vector<SentenceExplanation> result;
  for (std::size_t i = 0; i < data.origins.size(); ++i) {
    if (data.origins[i].part != 0 || workspace.chosen()[i] == 0) continue;
    const Sentence& sentence = workspace.text().sentences[data.origins[i].sentence];
    SentenceExplanation& of = result.emplace_back();
    of.sentence = summary.sentences[result.size() - 1];
    std::vector<char> without(workspace.chosen().begin(), workspace.chosen().end()), covered, left;
    for (std::size_t p = 0; p < sentence.parts.size(); ++p) {
      if (without[i + p] != 0) of.own += scores.own[i + p];
      without[i + p] = 0;
    }
    of.loss = coverage_value(data.coverage, scores, workspace.chosen(), &covered) -
              coverage_value(data.coverage, scores, without, &left);
    for (const auto& [key, shown] : bigrams_of(sentence)) {
      const auto found = ids.find(key);
      if (found == ids.end() || covered[found->second] == 0) continue;
      covered[found->second] = 0;  // named once
      of.contributions.push_back({shown, scores.weights[found->second], left[found->second] != 0});
    }
    std::ranges::stable_sort(of.contributions, std::greater(),
                             [](const Contribution& c) { return std::abs(c.amount); });
  }
  return result;
}

}  // namespace hinge::summarize
