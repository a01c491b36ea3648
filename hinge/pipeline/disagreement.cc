#include "hinge/pipeline/disagreement.h"

#include <algorithm>

#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "hinge/pipeline/record.h"

namespace hinge {
namespace {

constexpr std::size_t kMostChanges = 3;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  split_at_blanks(line, cells);
  return cells;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!trim(text.substr(0, end)).empty()) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string change(std::string_view what, std::string_view gold, std::string_view predicted) {
  const std::string begin = what.empty() ? "" : fmt::format("'{}': ", shown(what));
  return fmt::format("{}{}, the model says {}", begin, shown(gold), shown(predicted));
}

// A prediction adds a cell to the line, replaces cells, or is a line of another form whose first
// cell is the label.
std::string change_of(std::string_view before, std::string_view after) {
  const auto gold = cells_of(before);
  const auto predicted = cells_of(after);
  if (before == after || gold.empty() || predicted.empty()) return "";
  if (predicted.size() == gold.size() + 1)
    return gold.back() == predicted.back() ? "" : change(gold[0], gold.back(), predicted.back());
  if (predicted.size() != gold.size())
    return gold[0] == predicted[0] ? "" : change("", gold[0], predicted[0]);
  const std::string_view word = gold[gold.size() == kConlluColumns ? std::size_t{kForm} : 0];
  std::string left;
  std::string right;
  for (std::size_t c = 0; c < gold.size(); ++c) {
    if (gold[c] == predicted[c]) continue;
    left.append(left.empty() ? "" : " ").append(gold[c]);
    right.append(right.empty() ? "" : " ").append(predicted[c]);
  }
  return left.empty() ? "" : change(word, left, right);
}

}  // namespace

std::vector<Fit> fits(const ModelFile& model, const Source& labelled, Workers& workers,
                      JobObserver& observer) {
  const Description& description = model.description();
  const auto task = find_task(description.task()).choose();
  restore_values(task->options(), description.options("task_options"));
  task->continue_from(model);
  const auto set = load_set(*task, labelled, workers, observer);
  const Weights w = set->weights_of(model);
  std::vector<Fit> fits(set->task().size());
  ScratchPool scratch(set->task(), workers);
  PerThread<Cut> cuts(workers, [] { return Cut(); });
  each_until_error(workers, fits.size(), [&](std::size_t i) {
    check_interrupt();
    Cut& cut = cuts.local();
    std::vector<Block> blocks;
    set->task().support(i, scratch.local(), blocks);
    set->task().most_violated(i, w, 1.0, scratch.local(), cut);
    fits[i] = {.slack = std::max(0.0, cut.violation()), .agrees = true};
    if (fits[i].slack == 0.0) return;
    set->task().most_violated(i, w, 0.0, scratch.local(), cut);
    fits[i].agrees = cut.loss == 0.0;
  }).rethrow();
  return fits;
}

Changes changes(const Predictor& predictor, std::string_view example, std::string_view file,
                std::size_t line, Workers& workers) {
  if (predictor.slice_predictor({}) == nullptr) return {};
  const Source source = Source::of_text(std::string(example), std::string(file), line);
  std::string output;
  predict_text(
      source, predictor.format(), workers, [&] { return predictor.slice_predictor({}); }, append_to(output));
  const auto before = lines_of(example);
  const auto after = lines_of(output);
  if (before.size() != after.size()) return {};
  std::string text;
  std::size_t found = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const std::string one = change_of(before[k], after[k]);
    if (one.empty() || ++found > kMostChanges) continue;
    text += (text.empty() ? "" : "; ") + one;
  }
  if (found > kMostChanges) text += fmt::format("; and {} more", found - kMostChanges);
  return {std::move(text), found == 0};
}

}  // namespace hinge
