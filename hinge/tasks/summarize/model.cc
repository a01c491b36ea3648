#include "hinge/tasks/summarize/model.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"

namespace hinge::summarize {

std::vector<SummarySentence> chosen_sentences(const TopicText& text, const TopicView& data,
                                              std::span<const char> chosen) {
  std::vector<SummarySentence> result;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (data.origins[i].part != 0 || chosen[i] == 0) continue;
    const Sentence& sentence = text.sentences[data.origins[i].sentence];
    const std::span<const char> kept = chosen.subspan(i, sentence.parts.size());
    result.push_back({.document = sentence.document,
                      .position = sentence.position,
                      .text = text_of(sentence, kept),
                      .cut = std::ranges::find(kept, 0) != kept.end()});
  }
  return result;
}

Summarizer::Summarizer(const ModelFile& file)
    : plan_(read_plan(file)),
      trees_(make_trees(plan_.parser)),
      names_(file.description().texts("feature_names")) {
  const auto stored = file.array<float>("weights");
  if (stored.size() != names_.size() || names_ != feature_names())
    fail<ModelError>("{}: has other features than this build; train it again", file.name());
  if (!std::ranges::all_of(stored, [](float weight) { return std::isfinite(weight); }))
    fail<ModelError>("{}: has weights that are not finite; train it again", file.name());
  weights_.assign(stored.begin(), stored.end());
}

Summary Summarizer::summarize(const Topic& topic, Workspace& workspace) const {
  Topic given{topic.id, topic.documents, {}, topic.where};  // references are for scoring only
  workspace.text_ = workspace.splitter_.split(given);
  workspace.data_ = make_data(workspace.text_, plan_.data, plan_.phrases, nullptr);
  workspace.decoder_.weigh(workspace.data_, weights_.data(), 0.0);
  const CoverageSolution& best = workspace.decoder_.summarize(workspace.data_);
  workspace.chosen_ = best.chosen;
  Summary summary{.sentences = chosen_sentences(workspace.text_, workspace.data_, best.chosen),
                  .words = 0,
                  .score = best.value,
                  .bound = best.bound,
                  .exact = best.exact};
  for (std::size_t i = 0; i < best.chosen.size(); ++i)
    summary.words += best.chosen[i] != 0 ? workspace.data_.coverage.pieces[i].length : 0;
  return summary;
}

}  // namespace hinge::summarize
