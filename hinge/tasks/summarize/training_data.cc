#include "hinge/tasks/summarize/training_data.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"

namespace hinge::summarize {
namespace {

using Texts = Rereadable<TopicText>;

bool has_trees(const TopicText& text) {
  return std::ranges::any_of(text.sentences,
                             [](const Sentence& sentence) { return !sentence.leaves.empty(); });
}

// What phrases become summaries.
void find_phrases(const Texts& texts, const std::string& name, TopicParts& parts) {
  bool trees = false;
  texts.each([&](std::span<const TopicText> some) {
    for (const TopicText& text : some) {
      check_interrupt();
      parts.plan.phrases.add(Phrases::of(text));
      parts.counts.sentences += text.sentences.size();
      trees |= has_trees(text);
    }
  });
  if (parts.plan.text.compress && parts.plan.parser.empty() && !trees)
    fail<InputError>(
        "{}: has no trees, so compress=true has nothing to drop; give trees, or a model in tree_parser",
        name);
  parts.plan.phrases.prune();
}

void add_data(const Texts& texts, Workers& workers, TopicParts& parts) {
  std::vector<TopicData> all;
  texts.each([&](std::span<const TopicText> some) {
    all.clear();
    all.resize(some.size());
    each_until_error(workers, some.size(), [&](std::size_t i) {
      const Phrases::Seen own = Phrases::of(some[i]);
      all[i] = make_data(some[i], parts.plan.data, parts.plan.phrases, &own);
    }).rethrow();
    for (const TopicData& topic : all) parts.data.add(topic);
  });
}

void count(TopicParts& parts) {
  TopicCounts& counts = parts.counts;
  counts.gold = static_cast<std::uint64_t>(std::ranges::count(parts.data.gold, 1));
  for (const GoldFacts& facts : parts.data.facts) {
    counts.recall += 100.0 * facts.recall / static_cast<double>(parts.data.size());
    counts.exact += facts.exact;
  }
}

}  // namespace

std::vector<TopicText> split_all(std::span<const Topic> topics, const Plan& plan, const TreeMaker* trees,
                                 Workers& workers) {
  std::vector<TopicText> texts(topics.size());
  PerThread<TopicSplitter> splitters(workers, [&] { return TopicSplitter(plan.text, trees); });
  each_until_error(workers, topics.size(), [&](std::size_t i) {
    check_interrupt();
    texts[i] = splitters.local().split(topics[i]);
  }).rethrow();
  return texts;
}

TopicParts read_parts(const Source& source, const SummarizeOptions& options, const Phrases& known,
                      Workers& workers, SpillSpace* space) {
  TopicParts parts(options);
  parts.plan.phrases = known;
  if (space != nullptr) spill_columns(parts.data, *space);
  const auto read = [&](const Texts::Use& use) {
    each_topics(source, parts.plan.encoding, /*need_references=*/true, [&](std::span<Topic> topics) {
      std::vector<TopicText> texts = split_all(topics, parts.plan, parts.trees.get(), workers);
      use(texts);
    });
  };
  const Texts texts(read, space == nullptr);
  find_phrases(texts, source.name(), parts);
  add_data(texts, workers, parts);
  count(parts);
  if (std::ranges::all_of(parts.data.facts, [](const GoldFacts& facts) { return facts.recall == 0.0; }))
    fail<InputError>(
        "{}: no sentence of at most {} words shares a bigram with its references; check the documents, or "
        "raise the word limit",
        source.name(), options.words);
  return parts;
}

}  // namespace hinge::summarize
