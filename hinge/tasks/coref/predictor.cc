#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/tasks/coref/columns.h"
#include "hinge/tasks/coref/dictionary.h"
#include "hinge/tasks/coref/evaluate.h"
#include "hinge/tasks/coref/explain.h"
#include "hinge/tasks/coref/html.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/coref/options.h"
#include "hinge/tasks/coref/writer.h"
#include "hinge/tasks/coref/rounds.h"
#include "hinge/tasks/coref/training_data.h"
#include "hinge/tasks/decision.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::coref {
namespace {

class CorefPredictor final : public Predictor {
 public:
  explicit CorefPredictor(const ModelFile& file) : file_(file), resolver_(file) {}

  std::string_view page_title() const override { return kPageTitle; }
  bool reads_columns() const override { return true; }

  void check(const PredictSettings& settings) const override {
    Predictor::check(settings);
    if (settings.constrain || settings.n_best > 1 || settings.marginals || settings.scores)
      fail<OptionError>(
          "{}: gives one set of clusters per document, without constraints or scores; leave the flag out",
          file_.name());
  }

  void write_predictions(const Source& input, OutputFile& out, const PredictSettings& settings,
                         Workers& workers) const override {
    const Page page = settings.html ? Page::kHtml : settings.json ? Page::kJson : Page::kText;
    write_resolved(resolver_, input, page, workers, write_to(out), settings.annotate);
  }

  void write_explanations(const Source& input, OutputFile& out, const ExplainSettings& settings,
                          Workers& workers) const override {
    each_round(input, workers, [&](std::span<DocumentText> texts) {
      predict_each(
          texts.size(), workers,
          [&](std::size_t i, std::string& text) {
            const Document document = parse_document(std::move(texts[i]));
            for (const MentionExplanation& one : coref::explain(resolver_, document))
              append_decision(decision_of(document, one), settings, text);
          },
          write_to(out));
    });
  }

  Evaluation evaluate(const Source& gold, Workers& workers) const override {
    return evaluate_resolver(resolver_, gold, workers);
  }

  std::string summary() const override {
    std::size_t used = 0;
    for (const float weight : resolver_.weights()) used += weight != 0.0f;
    const Plan& plan = resolver_.plan();
    return fmt::format(
        "mentions     {}\nfeatures     {} templates of {}, {} frequent words\nweights      {} of {} are not "
        "zero\n",
        plan.gold_mentions ? "as in the input" : "predicted",
        plan.templates.starts.size() + plan.templates.pairs.size(), column_names(plan.columns),
        plan.frequent.keys().size(), used, plan.layout.dimension());
  }

  // Hashed weights have names only if training kept them.
  std::vector<WeightLine> heaviest(std::size_t n) const override {
    struct Heavy {
      float weight;
      std::uint32_t id;
    };
    std::vector<Heavy> all;
    const Plan& plan = resolver_.plan();
    const std::size_t features =
        plan.layout.hashed() ? resolver_.weights().size() : plan.layout.dictionary().size();
    for (std::uint32_t id = 0; id < features; ++id) {
      if (resolver_.weights()[id] != 0.0f) all.push_back({resolver_.weights()[id], id});
    }
    keep_heaviest(n, all);
    FeatureNames names;
    if (!plan.layout.hashed()) names = read_dictionary(file_, plan.templates).names;
    const RowNames row_names = RowNames::read(file_, kRowNames);
    const auto name_of = [&](std::uint32_t id) {
      if (!plan.layout.hashed()) return feature_text(plan.templates, names.template_of(id), names.values(id));
      const std::string name = row_names.text(id);
      return name.empty() ? fmt::format("hashed weight {}", id) : name;
    };
    std::vector<WeightLine> lines;
    for (const Heavy& heavy : all) lines.push_back({name_of(heavy.id), "", heavy.weight});
    return lines;
  }

 private:
  static Decision decision_of(const Document& document, const MentionExplanation& one) {
    const auto choice = [&document](const std::optional<Span>& span) {  // words may be repeated
      return span ? fmt::format("{} (line {})", words_of(document, span->begin, span->end),
                                document.tokens[span->begin].line)
                  : "a new cluster";
    };
    return {.where = document.where(one.mention.begin),
                      .item = words_of(document, one.mention.begin, one.mention.end),
                      .chosen = choice(one.why.chosen),
                      .rival = choice(one.why.rival),
                      .margin = one.why.margin,
                      .reasons = reasons_of(one.why.contributions)};
  }

  const ModelFile& file_;
  Resolver resolver_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<CorefPredictor>(file); }

}  // namespace hinge::coref
