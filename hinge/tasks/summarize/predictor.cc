#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "hinge/core/error.h"
#include "hinge/tasks/decision.h"
#include "hinge/tasks/heaviest.h"
#include "hinge/tasks/summarize/evaluate.h"
#include "hinge/tasks/summarize/explain.h"
#include "hinge/tasks/summarize/model.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/summarize/writer.h"

namespace hinge::summarize {
namespace {

class SummarizePredictor final : public Predictor {
 public:
  explicit SummarizePredictor(const ModelFile& file) : file_(file), table_("summarize"), summarizer_(file) {
    scores_.describe(table_);
  }

  OptionTable* options() override { return &table_; }

  void check(const PredictSettings& settings) const override {
    Predictor::check(settings);
    if (settings.constrain || settings.n_best > 1 || settings.marginals)
      fail<OptionError>(
          "{}: gives one summary per topic, without constraints or marginals; leave the flag out",
          file_.name());
  }

  void write_predictions(const Source& input, OutputFile& out, const PredictSettings& settings,
                         Workers& workers) const override {
    each_topic(input, out, workers,
               [&](const Topic& topic, Summarizer::Workspace& workspace, std::string& text) {
                 append_summary(topic, summarizer_.summarize(topic, workspace), settings.scores, text);
               });
  }

  void write_explanations(const Source& input, OutputFile& out, const ExplainSettings& settings,
                          Workers& workers) const override {
    each_topic(input, out, workers,
               [&](const Topic& topic, Summarizer::Workspace& workspace, std::string& text) {
                 for (const SentenceExplanation& why : summarize::explain(summarizer_, topic, workspace))
                   append_decision(decision_of(topic, why), settings, text);
               });
  }

  Evaluation evaluate(const Source& gold, Workers& workers) const override {
    return evaluate_summarizer(summarizer_, gold, scores_, workers);
  }

  std::string summary() const override {
    std::size_t used = 0;
    for (const float weight : summarizer_.weights()) used += weight != 0.0f;
    const Plan& plan = summarizer_.plan();
    return fmt::format(
        "words        at most {}\nfeatures     {} ({} of {} weights are not zero)\ncompression  {}\n",
        plan.data.limit, plan.features, used, summarizer_.weights().size(),
        !plan.text.compress   ? "none"
        : plan.parser.empty() ? "of sentences with trees"
                              : "with its own parser");
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override {
    std::vector<WeightLine> lines;
    for (std::size_t k = 0; k < summarizer_.weights().size(); ++k) {
      if (summarizer_.weights()[k] != 0.0f)
        lines.push_back({summarizer_.names()[k], "", summarizer_.weights()[k]});
    }
    keep_heaviest(n, lines);
    return lines;
  }

 private:
  // write(topic, workspace, text) for every topic. In rounds, so that a pipe is answered
  // before its end.
  template <typename Write>
  void each_topic(const Source& input, OutputFile& out, Workers& workers, const Write& write) const {
    TopicReader reader(input, summarizer_.plan().encoding);
    PerThread<Summarizer::Workspace> workspaces(workers, [&] { return Summarizer::Workspace(summarizer_); });
    const std::size_t most = workers.threads() == 1 ? 1 : 4 * static_cast<std::size_t>(workers.threads());
    std::vector<Topic> topics;
    for (bool more = true; more;) {
      topics.clear();
      for (Topic topic; topics.size() < most && (more = reader.next(topic));)
        topics.push_back(std::move(topic));
      predict_each(
          topics.size(), workers,
          [&](std::size_t i, std::string& text) { write(topics[i], workspaces.local(), text); },
          write_to(out));
    }
  }

  static Decision decision_of(const Topic& topic, const SentenceExplanation& why) {
    Decision decision{.where = fmt::format("{}, document {}, sentence {}", topic.id,
                                           why.sentence.document + 1, why.sentence.position + 1),
                      .item = why.sentence.text,
                      .chosen = "in the summary",
                      .rival = "left out",
                      .margin = why.loss,
                      .reasons = {}};
    if (why.own != 0.0) decision.reasons.push_back({"(the sentence itself)", why.own});
    for (const Contribution& one : why.contributions)
      decision.reasons.push_back(
          {one.shared ? one.bigram + " (also in another sentence)" : one.bigram, one.amount});
    std::ranges::stable_sort(decision.reasons, std::greater(),
                             [](const DecisionReason& reason) { return std::abs(reason.amount); });
    return decision;
  }

  const ModelFile& file_;
  ScoreOptions scores_;
  OptionTable table_;
  Summarizer summarizer_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<SummarizePredictor>(file); }

}  // namespace hinge::summarize
