#include "hinge/tasks/classify/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/state_bytes.h"
#include "hinge/corpus/scan.h"
#include "hinge/tasks/classify/model.h"

namespace hinge::classify {
namespace {

// Counts; one per thread.
class ClassifierScorer {
 public:
  explicit ClassifierScorer(const Classifier& classifier) : classifier_(classifier), workspace_(classifier) {}

  void add(const Slice& slice) {
    if (!reader_) reader_.emplace(slice, classifier_.format(), /*labelled=*/true);
    restart(*reader_, slice);
    while (reader_->next()) {
      const std::size_t label = classifier_.best(reader_->text(), workspace_);
      counts_.add(reader_->label(), classifier_.labels().names()[label]);
    }
  }

  const LabelScorer& counts() const { return counts_; }

 private:
  const Classifier& classifier_;
  Classifier::Workspace workspace_;
  std::optional<TextReader> reader_;  // set by the first slice
  LabelScorer counts_;
};

// The label that a line of predictions begins with.
std::string_view predicted_label(std::string_view line, const std::string& prefix) {
  std::string_view label = trim(line.substr(0, line.find('\t')));
  if (label.starts_with(prefix)) label.remove_prefix(prefix.size());
  return label;
}

}  // namespace

LabelScorer::Counts& LabelScorer::of(std::string_view label) {
  const auto found = labels_.find(label);
  return found != labels_.end() ? found->second : labels_[std::string(label)];
}

void LabelScorer::add(std::string_view gold, std::string_view system) {
  const bool right = gold == system;
  Counts& counts = of(gold);
  ++counts.gold;
  counts.correct += right;
  ++of(system).found;
  confusions_.add(gold, system);
  ++texts_;
  correct_ += right;
}

void LabelScorer::add(const LabelScorer& other) {
  for (const auto& [label, counts] : other.labels_) {
    Counts& ours = of(label);
    ours.gold += counts.gold;
    ours.found += counts.found;
    ours.correct += counts.correct;
  }
  confusions_.add(other.confusions_);
  texts_ += other.texts_;
  correct_ += other.correct_;
}

void LabelScorer::visit(State& state) {
  visit_map(state, labels_);
  state(texts_, correct_);
}

Scores LabelScorer::scores_of(const Counts& counts) {
  return {{"f1", percent(2 * counts.correct, counts.gold + counts.found)},
          {"precision", percent(counts.correct, counts.found)},
          {"recall", percent(counts.correct, counts.gold)}};
}

Evaluation LabelScorer::evaluate() const {
  Evaluation result;
  double sum = 0.0;
  std::string lines;
  for (const auto& [label, counts] : labels_) {
    Scores scores = scores_of(counts);
    sum += scores[0].second;
    lines += fmt::format("{:>17}: precision: {:6.2f}%; recall: {:6.2f}%; F1: {:6.2f}  {}\n", label,
                         scores[1].second, scores[2].second, scores[0].second, counts.gold);
    scores.emplace_back("gold", static_cast<double>(counts.gold));
    scores.emplace_back("found", static_cast<double>(counts.found));
    result.detail.emplace_back(label, std::move(scores));
  }
  result.confusion = confusions_.table(labels_);
  const double macro = labels_.empty() ? 0.0 : sum / static_cast<double>(labels_.size());
  const double accuracy = percent(correct_, texts_);
  result.scores = {{"accuracy", accuracy}, {"macro_f1", macro}, {"micro_f1", accuracy}};
  result.text = fmt::format("{} texts, {} correct: accuracy {:.2f}%\nmacro F1 {:.2f}, micro F1 {:.2f}\n{}",
                            texts_, correct_, accuracy, macro, accuracy, lines);
  return result;
}

Evaluation evaluate_classifier(const Classifier& classifier, const Source& source, Workers& workers) {
  PerThread<ClassifierScorer> scorers(workers, [&] { return ClassifierScorer(classifier); });
  each_slice(source, ColumnFormat::kLines, workers, [&](const Slice& slice) { scorers.local().add(slice); });
  LabelScorer all;
  scorers.each([&](const ClassifierScorer& scorer) { all.add(scorer.counts()); });
  add_ranks(all);
  if (all.texts() == 0) fail<InputError>("{}: has no texts to evaluate on", source.name());
  return all.evaluate();
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path,
                          const TextFormat& format) {
  const bool both = gold_path.empty();
  TextReader gold(both ? system_path : gold_path, both ? TextFormat{LineFormat::kTab} : format,
                  /*labelled=*/true);
  std::optional<LineReader> system;
  if (!both) system.emplace(system_path);
  LabelScorer scorer;
  while (gold.next()) {
    std::string_view line = gold.text();
    if (system && !system->next(line))
      fail<InputError>("{}: ends before {}; both files must have one line per text", system->name(),
                       gold.where());
    scorer.add(gold.label(), predicted_label(line, format.label_prefix));
  }
  if (scorer.texts() == 0) fail<InputError>("{}: has no texts to evaluate", gold.name());
  if (std::string_view line; system && system->next(line))
    fail<InputError>("{}: continues after the end of {}; both files must have one line per text", system_path,
                     gold_path);
  return scorer.evaluate();
}

}  // namespace hinge::classify
