#include "hinge/tasks/tag/evaluate.h"

#include <string_view>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/evaluate/spans.h"

namespace hinge::tag {

Evaluation evaluate_file(const std::string& path) {
  ColumnReader reader(path, ColumnFormat::kColumns);
  ColumnSentence sentence;
  SpanScorer scorer;
  std::vector<std::string_view> gold;
  std::vector<std::string_view> system;
  bool any = false;
  while (reader.next(sentence)) {
    any = true;
    if (sentence.columns < 2) {
      fail<InputError>(
          "{}:{}: has one column, but the gold and the predicted label were expected as the last two", path,
          sentence.first_line);
    }
    gold.clear();
    system.clear();
    for (std::size_t t = 0; t < sentence.tokens(); ++t) {
      gold.push_back(sentence.cell(t, sentence.columns - 2));
      system.push_back(sentence.cell(t, sentence.columns - 1));
    }
    scorer.add(gold, system);
  }
  if (!any) fail<InputError>("{}: has no sentences to evaluate", path);
  return scorer.evaluate();
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path,
                          const FileLayout& layout) {
  TagReader gold(gold_path, layout, /*labelled=*/true);
  TagReader system(system_path, layout, /*labelled=*/true);
  SpanScorer scorer;
  std::vector<std::string_view> gold_labels;
  std::vector<std::string_view> system_labels;
  bool any = false;
  while (gold.next()) {
    any = true;
    const std::size_t tokens = gold.sentence().tokens();
    if (!system.next() || system.sentence().tokens() != tokens) {
      fail<InputError>(
          "{}: the sentence at {} does not match the one at {}; both files must hold the same text",
          system_path, gold.where(0), system.sentence().tokens() > 0 ? system.where(0) : "its end");
    }
    gold_labels.clear();
    system_labels.clear();
    for (std::size_t t = 0; t < tokens; ++t) {
      if (gold.text(t) != system.text(t)) {
        fail<InputError>("{}: is '{}' but {} is '{}'; both files must hold the same text", system.where(t),
                         shown(system.text(t)), gold.where(t), shown(gold.text(t)));
      }
      gold_labels.push_back(gold.label(t));
      system_labels.push_back(system.label(t));
    }
    scorer.add(gold_labels, system_labels);
  }
  if (!any) fail<InputError>("{}: has no sentences to evaluate", gold_path);
  if (system.next())
    fail<InputError>("{}: goes on after the end of {}; both files must hold the same text", system_path,
                     gold_path);
  return scorer.evaluate();
}

}  // namespace hinge::tag
