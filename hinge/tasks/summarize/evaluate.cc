#include "hinge/tasks/summarize/evaluate.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/corpus/scan.h"
#include "hinge/files/json.h"
#include "hinge/tasks/summarize/model.h"
#include "hinge/tasks/summarize/reader.h"

namespace hinge::summarize {
// References are read as the options want them, too. Sentences matter to ROUGE-Lsum and
// bigram recall.
TopicScore TopicScorer::score(const Topic& topic, std::string_view summary) {
  std::vector<RougeText> references;
  std::vector<TextRange> ranges;
  std::vector<std::string_view> sentences;
  for (const std::string& reference : topic.references) {
    split_sentences(reference, lines_, ranges);
    sentences.clear();
    for (const TextRange& range : ranges) sentences.push_back(range.of(reference));
    references.push_back(reader_.reference(sentences));
  }
  const RougeText candidate = reader_.candidate(summary);
  return {.rouge = rouge(candidate, references, options_),
          .recall = BigramRecall(references, /*drop_stop_bigrams=*/false).recall(candidate),
          .words = static_cast<double>(candidate.words.size())};
}

TopicScore TopicScorer::score(const Topic& topic, std::span<const SummarySentence> summary) {
  std::string text;
  for (const SummarySentence& sentence : summary) text += sentence.text + '\n';
  return score(topic, text);
}

Evaluation evaluation_of(const std::vector<TopicScore>& scores) {
  RougeCorpus corpus;
  double recall = 0.0, words = 0.0;
  for (const TopicScore& score : scores) {
    corpus.add(score.rouge);
    recall += score.recall / static_cast<double>(scores.size());
    words += score.words / static_cast<double>(scores.size());
  }
  Evaluation result = corpus.evaluate();
  result.scores.emplace_back("bigram_recall", recall);
  result.scores.emplace_back("words", words);
  result.text += fmt::format("bigram recall {:.2f} %, {:.1f} words per summary\n", recall, words);
  return result;
}

Evaluation evaluate_summarizer(const Summarizer& summarizer, const Source& source,
                               const ScoreOptions& options, Workers& workers) {
  const std::vector<Topic> topics = read_topics(source, summarizer.plan().encoding, /*need_references=*/true);
  PerThread<Summarizer::Workspace> workspaces(workers, [&] { return Summarizer::Workspace(summarizer); });
  PerThread<TopicScorer> scorers(workers, [&] { return TopicScorer(options, summarizer.plan().text.lines); });
  std::vector<TopicScore> scores(topics.size());
  each_until_error(workers, topics.size(), [&](std::size_t i) {
    check_interrupt();
    scores[i] =
        scorers.local().score(topics[i], summarizer.summarize(topics[i], workspaces.local()).sentences);
  }).rethrow();
  return evaluation_of(scores);
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path,
                          const SummarizeOptions& options) {
  const Source gold(gold_path);
  const std::vector<Topic> topics =
      read_topics(gold, parse_encoding(options.encoding), /*need_references=*/true);
  TopicScorer scorer(options.scores, parse_lines(options.lines));
  LineReader lines{TextInput(system_path)};
  std::vector<TopicScore> scores;
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    const std::string where = fmt::format("{}:{}", system_path, lines.number());
    if (scores.size() == topics.size())
      fail<InputError>("{}: goes on after the last of the {} topics of {}; both must have the same topics",
                       where, topics.size(), gold_path);
    const Topic& topic = topics[scores.size()];
    std::string summary;
    try {
      const Json json = Json::parse(line);
      if (!json.has("summary")) throw JsonError("has no summary");
      summary = json.text("summary");
      if (json.has("id") && !topic.id.empty() && json.shown("id") != topic.id)
        throw JsonError(
            fmt::format("is for topic '{}', but '{}' is next in {}", json.shown("id"), topic.id, gold_path));
    } catch (const JsonError& error) {
      fail<InputError>("{}: {}; expected {{\"id\": ..., \"summary\": ...}}, a line per topic", where,
                       error.what());
    }
    scores.push_back(scorer.score(topic, summary));
  }
  if (scores.size() < topics.size())
    fail<InputError>("{}: has {} summaries, but {} has {} topics; both must have the same topics",
                     system_path, scores.size(), gold_path, topics.size());
  return evaluation_of(scores);
}

}  // namespace hinge::summarize
