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
namespace {

TopicScore score_text(const RougeText& candidate, std::span<const RougeText> references,
                      const RougeOptions& options) {
  return {.rouge = rouge(candidate, references, options),
          .recall = BigramRecall(references, /*drop_stop_bigrams=*/false).recall(candidate),
          .words = static_cast<double>(candidate.words.size())};
}

// As the scorer's options want them, which may differ from the model's. Sentences matter to
// ROUGE-Lsum and bigram recall.
std::vector<RougeText> references_of(const Topic& topic, Lines lines, RougeReader& reader) {
  std::vector<RougeText> references;
  std::vector<TextRange> ranges;
  std::vector<std::string_view> sentences;
  for (const std::string& reference : topic.references) {
    split_sentences(reference, lines, ranges);
    sentences.clear();
    for (const TextRange& range : ranges) sentences.push_back(range.of(reference));
    references.push_back(reader.reference(sentences));
  }
  return references;
}

}  // namespace

TopicScore score_choice(const TopicText& text, const TopicData& data, std::span<const char> chosen,
                        const RougeOptions& options) {
  RougeReader reader(options);
  std::string summary;
  for (const SummarySentence& sentence : chosen_sentences(text, data, chosen))
    summary += sentence.text + '\n';
  return score_text(reader.candidate(summary), text.references, options);
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
  PerThread<RougeReader> readers(workers, [&] { return RougeReader(options.rouge()); });
  std::vector<TopicScore> scores(topics.size());
  each_until_error(workers, topics.size(), [&](std::size_t i) {
    check_interrupt();
    std::string text;
    const std::string where = fmt::format("{}: topic {}", source.name(), i + 1);
    for (const SummarySentence& sentence :
         summarizer.summarize(topics[i], where, workspaces.local()).sentences)
      text += sentence.text + '\n';
    RougeReader& reader = readers.local();
    scores[i] = score_text(reader.candidate(text),
                           references_of(topics[i], summarizer.plan().text.lines, reader), options.rouge());
  }).rethrow();
  return evaluation_of(scores);
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path,
                          const SummarizeOptions& options) {
  const Source gold(gold_path);
  const std::vector<Topic> topics =
      read_topics(gold, parse_encoding(options.encoding), /*need_references=*/true);
  RougeReader reader(options.scores.rouge());
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
    scores.push_back(score_text(reader.candidate(summary),
                                references_of(topic, parse_lines(options.lines), reader),
                                options.scores.rouge()));
  }
  if (scores.size() < topics.size())
    fail<InputError>("{}: has {} summaries, but {} has {} topics; both must have the same topics",
                     system_path, scores.size(), gold_path, topics.size());
  return evaluation_of(scores);
}

}  // namespace hinge::summarize
