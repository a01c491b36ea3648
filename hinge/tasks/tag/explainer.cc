#include "hinge/tasks/tag/explainer.h"

#include <optional>

#include "hinge/tasks/decision.h"

namespace hinge::tag {
namespace {

class TagExplainer final : public LookbackPredictor {
 public:
  TagExplainer(const Tagger& tagger, const ExplainSettings& settings)
      : tagger_(tagger), settings_(settings), workspace_(tagger) {}

  void predict(const LookbackSlice& slice, std::string& out) override {
    if (!reader_) reader_.emplace(slice.slice, tagger_.layout(), /*labelled=*/false);
    tagger_.begin(slice, *reader_, workspace_);
    while (reader_->next()) {
      tagger_.score(*reader_, workspace_);
      const std::span<const LabelId> best = tagger_.best(workspace_);
      const std::vector<LabelId> path(best.begin(), best.end());
      const std::vector<Explanation> all = tagger_.explain(path, {}, workspace_);
      for (std::size_t t = 0; t < all.size(); ++t) append_decision(decision_of(all[t], t), settings_, out);
      end_decisions(settings_, out);
    }
  }

 private:
  Decision decision_of(const Explanation& why, std::size_t token) const {
    const std::vector<std::string>& names = tagger_.labels().names();
    return {.where = reader_->where(token),
            .item = tagger_.reads_attributes() ? "token" : std::string(reader_->word(token)),
            .chosen = names[why.label],
            .rival = names[why.rival],
            .margin = why.margin,
            .reasons = reasons_of(why.contributions)};
  }
  const Tagger& tagger_;
  ExplainSettings settings_;
  Tagger::Workspace workspace_;
  std::optional<TagReader> reader_;  // set by the first slice
};

}  // namespace

std::unique_ptr<LookbackPredictor> make_explainer(const Tagger& tagger, const ExplainSettings& settings) {
  return std::make_unique<TagExplainer>(tagger, settings);
}

}  // namespace hinge::tag
