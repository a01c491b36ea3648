#include "hinge/tasks/classify/model.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/tasks/classify/decoder.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::classify {
namespace {

LabelSet labels_of(const ModelFile& file) {
  LabelSet labels = read_labels(file.description());
  if (labels.size() == 0) fail<ModelError>("{}: has no labels; train it again", file.name());
  return labels;
}

}  // namespace

Classifier::Classifier(const ModelFile& file)
    : file_(file),
      format_{.lines = parse_format(file.description().text("format", "fasttext")),
              .label_prefix = file.description().text("label_prefix", "__label__")},
      labels_(labels_of(file)),
      kinds_(read_kinds(file)),
      rows_(file, "feature", labels_.size()),
      likelihood_(file.description().flag("likelihood")) {}

Classifier::Workspace::Workspace(const Classifier& classifier)
    : finder_(classifier.kinds_),
      sums_(std::max<std::size_t>(256, classifier.labels_.size() + kReadableSlack)) {}

// Slots of the table are prefetched some features ahead, rows while others are looked
// up: memory, not arithmetic, is the bottleneck.
std::span<float> Classifier::scores(std::string_view text, Workspace& workspace) const {
  constexpr std::size_t kAhead = 16;
  const std::span<const Key> found = workspace.finder_.find(text);
  const std::size_t n = found.size();
  if (workspace.rows_.size() < n) workspace.rows_.resize(n);
  const RowTable rows = rows_;  // a few pointers, which a local copy keeps in registers
  for (std::size_t k = 0; k < std::min(kAhead, n); ++k) rows.prefetch(row_key(found[k], kinds_));
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) rows.prefetch(row_key(found[k + kAhead], kinds_));
    workspace.rows_[k] = rows.find(row_key(found[k], kinds_));
    __builtin_prefetch(workspace.rows_[k].data());
  }
  std::ranges::fill(workspace.sums_, 0.0f);
  float* sums = workspace.sums_.data();
  for (std::size_t k = 0; k < n; ++k) rows.add_to(workspace.rows_[k], 1.0f, sums);
  const float value = value_of_each(n);
  for (std::size_t y = 0; y < labels_.size(); ++y) sums[y] *= value;
  return std::span(workspace.sums_).first(labels_.size());
}

std::size_t Classifier::best(std::string_view text, Workspace& workspace) const {
  return best_of(scores(text, workspace));
}

std::vector<WeightLine> Classifier::heaviest(std::size_t n) const {
  struct Heavy {
    float weight;
    std::uint32_t row;
    std::size_t label;
  };
  std::vector<Heavy> all;
  rows_.each([&all](std::size_t row, std::size_t label, float weight) {
    all.push_back({weight, static_cast<std::uint32_t>(row), label});
  });
  keep_heaviest(n, all);
  const std::vector<std::string> names = read_names(file_);
  const RowNames row_names = RowNames::read(file_, kRowNames);
  std::vector<WeightLine> lines;
  for (const Heavy& heavy : all) {
    std::string name = heavy.row < names.size() ? shown_name(names[heavy.row]) : row_names.text(heavy.row);
    if (name.empty()) name = fmt::format("hashed row {}", heavy.row);
    lines.push_back({std::move(name), labels_.names()[heavy.label], heavy.weight});
  }
  return lines;
}

}  // namespace hinge::classify
