#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/tasks/heaviest.h"
#include "hinge/tasks/summarize/evaluate.h"
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
    if (settings.constrain || settings.n_best > 1 || settings.marginals)
      fail<OptionError>(
          "{}: gives one summary per topic, without constraints or marginals; leave the flag out",
          file_.name());
  }

  // In rounds, so that a pipe is answered before its end.
  void predict(const Source& input, OutputFile& out, const PredictSettings& settings,
               Workers& workers) const override {
    check(settings);
    TopicReader reader(input, summarizer_.plan().encoding);
    PerThread<Summarizer::Workspace> workspaces(workers, [&] { return Summarizer::Workspace(summarizer_); });
    const std::size_t most = workers.threads() == 1 ? 1 : 4 * static_cast<std::size_t>(workers.threads());
    std::vector<Topic> topics;
    std::vector<std::string> where;
    for (bool more = true; more;) {
      topics.clear();
      where.clear();
      for (Topic topic; topics.size() < most && (more = reader.next(topic));) {
        topics.push_back(std::move(topic));
        where.push_back(reader.where());
      }
      predict_each(
          topics.size(), workers,
          [&](std::size_t i, std::string& text) {
            const Summary summary = summarizer_.summarize(topics[i], where[i], workspaces.local());
            append_summary(topics[i], summary, settings.scores, text);
          },
          write_to(out));
    }
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
  const ModelFile& file_;
  ScoreOptions scores_;
  OptionTable table_;
  Summarizer summarizer_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<SummarizePredictor>(file); }

}  // namespace hinge::summarize
