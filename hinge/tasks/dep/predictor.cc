#include <fmt/core.h>

#include "hinge/core/join.h"
#include "hinge/tasks/dep/columns.h"
#include "hinge/tasks/dep/evaluate.h"
#include "hinge/tasks/dep/explainer.h"
#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/dep/names.h"
#include "hinge/tasks/dep/options.h"
#include "hinge/tasks/dep/writer.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::dep {
namespace {

class DepPredictor final : public Predictor {
 public:
  explicit DepPredictor(const ModelFile& file)
      : file_(file), decoder_(file.description().text("decoder")), parser_(file) {}

  void check(const PredictSettings& settings) const override {
    Predictor::check(settings);
    if (settings.n_best > 1) parser_.check_n_best();
    if (settings.marginals) parser_.check_marginals();
  }
  std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& settings) const override {
    return std::make_unique<TreeWriter>(parser_, settings);
  }
  std::unique_ptr<SlicePredictor> slice_explainer(const ExplainSettings& settings) const override {
    return make_explainer(parser_, settings);
  }
  std::string_view page_title() const override { return "Dependency trees"; }
  ColumnFormat format() const override { return ColumnFormat::kConllu; }
  std::string fills() const override { return "head"; }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    return evaluate_parser(parser_, source, workers);
  }

  std::string summary() const override {
    std::size_t used = 0;
    for (const char* section : {"parts", "labels"}) {
      for (const float weight : file_.array<float>(section)) used += weight != 0.0f;
    }
    const LabelSet& labels = parser_.labels();
    const ParserPlan& plan = parser_.plan();
    return fmt::format(
        "labels       {}: {}\ndecoder      {}{}\nfeatures     {} arc and {} label templates of {}\n"
        "weights      {} of {} are not zero\n",
        labels.size(), join(labels.names(), " "), decoder_,
        plan.options.single_root ? ", one word at the root" : "", plan.templates.of(FactorKind::kArc).size(),
        plan.labels.size(), column_names(plan.templates.cells), used, plan.layout.dimension());
  }

  // Rows have names only if training kept them.
  std::vector<WeightLine> heaviest(std::size_t n) const override {
    struct Heavy {
      float weight;
      bool of_label;
      std::size_t id;
    };
    std::vector<Heavy> all;
    for (const bool of_label : {false, true}) {
      const TreeLayout& layout = parser_.plan().layout;
      const float* weights = of_label ? parser_.weights().labels : parser_.weights().parts;
      const std::size_t size = of_label ? layout.dimension() - layout.part_weights() : layout.part_weights();
      for (std::size_t id = 0; id < size; ++id) {
        if (weights[id] != 0.0f) all.push_back({weights[id], of_label, id});
      }
    }
    keep_heaviest(n, all);
    const TreeNames names = read_names(file_);
    std::vector<WeightLine> lines;
    for (const Heavy& heavy : all) {
      const std::size_t width = heavy.of_label ? parser_.labels().size() : kSlots;
      const auto row = static_cast<std::uint32_t>(heavy.id / width);
      const auto slot = static_cast<std::uint32_t>(heavy.id % width);
      std::string name = (heavy.of_label ? names.labels : names.parts).text(row);
      const bool named = !name.empty();
      if (!named) name = fmt::format("{} row {}", heavy.of_label ? "label" : "part", row);
      lines.push_back({std::move(name),
                       heavy.of_label ? label_name(slot)
                       : named        ? slot_text(parser_.plan(), names, row, slot)
                                      : fmt::format("slot {}", slot),
                       heavy.weight});
    }
    return lines;
  }

 private:
  const std::string& label_name(std::size_t label) const { return parser_.labels().names()[label]; }

  const ModelFile& file_;
  std::string decoder_;
  Parser parser_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<DepPredictor>(file); }

}  // namespace hinge::dep
