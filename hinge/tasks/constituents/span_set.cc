#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/span_task.h"
#include "hinge/tasks/constituents/tree_set.h"

namespace hinge::constituents {
namespace {

SpanLayout make_layout(const SpanLabels& labels, std::size_t tags, const TreeParts& parts) {
  SpanLayout layout;
  layout.labels = labels.symbols.size();
  layout.tags = tags;
  for (const Key key : parts.span_keys) layout.spans.add(key);
  for (const Key key : parts.word_keys) layout.words.add(key);
  const bool all_differ =
      layout.spans.size() == parts.span_keys.size() && layout.words.size() == parts.word_keys.size();
  if (parts.cache != nullptr && !all_differ) parts.cache->refuse("has a feature twice");
  return layout;
}

class SpanSet final : public TreeSet {
 public:
  SpanSet(TreeParts parts, const ConstOptions& options, const std::string& name)
      : TreeSet(std::move(parts), options),
        labels_(counted_.plan.grammars.coarse),
        layout_(make_layout(labels_, counted_.plan.grammars.coarse.tags(), parts_)),
        task_(counted_.data, counted_.plan, labels_, layout_) {
    if (labels_.symbols.empty())
      fail<InputError>("{}: has no phrases, only tags; expected brackets such as (S (NP (DT The) ...) ...)",
                       name);
  }

  const Task& task() const override { return task_; }

  std::string summary() const override {
    return fmt::format("{} trees, {} words, {} tags, {} labels of spans, {} features, {} weights",
                       counted_.data.sentences(), counted_.data.words.count(), layout_.tags, layout_.labels,
                       layout_.spans.size() + layout_.words.size(), layout_.dimension());
  }

  Weights weights_of(const ModelFile& model) const override {
    require_task(model, "const");
    if (model.description().text("grammar") != "none")
      fail<ModelError>("{}: has a grammar, this training has none; use the same", model.name());
    const Parser parser(model);
    Weights w(task_.dimension());
    parser.copy_rows(labels_, counted_.plan.grammars.coarse, layout_, w);
    return w;
  }

  void save(const Weights& w, ModelWriter& out, Json& meta) const override {
    write_counts(counted_, options_, out, meta);
    const auto add = [&](std::string_view name, const KeyIndex& keys, std::size_t width, const auto& row,
                         const RowNames* names) {
      RowTableBuilder rows;
      std::vector<Key> used;
      keys.each([&](Key key, std::uint32_t id) {
        const auto values = w.span().subspan(row(id), width);
        if (std::ranges::all_of(values, [](float value) { return value == 0.0f; })) return;
        rows.add(key, id, values, 0.0f);
        used.push_back(key);
      });
      const std::vector<std::uint32_t> order = rows.write(name, width, out);
      write_keys(fmt::format("{}.keys", name), used, out);
      if (names != nullptr) names->write(fmt::format("{}.names", name), order, out);
    };
    const auto& names = parts_.names;
    add(
        "spans", layout_.spans, layout_.labels, [&](std::uint32_t id) { return layout_.span_row(id); },
        names ? &names->spans : nullptr);
    add(
        "tagrows", layout_.words, layout_.tags, [&](std::uint32_t id) { return layout_.word_row(id); },
        names ? &names->words : nullptr);
  }

 private:
  void add_layout(Fingerprint& print) const override {
    print.add(counted_.plan.symbol_keys);
    print.add(layout_.spans.slots());
    print.add(layout_.words.slots());
  }

  SpanLabels labels_;
  SpanLayout layout_;
  SpanTask task_;
};

}  // namespace

std::unique_ptr<TreeSet> make_span_set(TreeParts parts, const ConstOptions& options,
                                       const std::string& name) {
  return std::make_unique<SpanSet>(std::move(parts), options, name);
}

}  // namespace hinge::constituents
