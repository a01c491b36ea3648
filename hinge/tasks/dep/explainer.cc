#include "hinge/tasks/dep/explainer.h"

#include <fmt/core.h>

#include "hinge/tasks/decision.h"
#include "hinge/tasks/dep/explain.h"
#include "hinge/tasks/dep/reader.h"

namespace hinge::dep {
namespace {

class TreeExplainer final : public SlicePredictor {
 public:
  TreeExplainer(const Parser& parser, const ExplainSettings& settings)
      : parser_(parser),
        settings_(settings),
        workspace_(parser),
        explainer_(parser.plan(), parser.labels(), parser.weights()) {}

  void predict(const Slice& slice, std::string& out) override {
    if (reader_ == nullptr)
      reader_.reset(new DependencyReader(open_reader(slice, /*annotated=*/false, /*labelled=*/false)));
    restart(*reader_, slice);
    while (reader_->next()) {
      parser_.score(*reader_, workspace_);
      parser_.best(workspace_);
      words_.clear();
      for (std::size_t m = 1; m <= reader_->words(); ++m) words_.push_back(cells_of(*reader_, m));
      const std::span<const HeadId> heads = workspace_.heads();
      const auto all = explainer_.explain(words_, {heads, workspace_.labels()}, {},
                                          [&](HeadId m) { return parser_.other_tree(heads, m, workspace_); });
      for (std::size_t k = 0; k < all.size(); ++k) append(all[k], k + 1, out);
      end_decisions(settings_, out);
    }
  }

 private:
  void append(const Explanation& why, std::size_t word, std::string& out) const {
    const std::string item(reader_->cell(word, kForm));
    append_decision({.where = reader_->where(word),
                     .item = item,
                     .chosen = name_of(why.head),
                     .rival = name_of(why.rival_head),
                     .margin = why.of_head.margin,
                     .rival_also = others_of(why, word),
                     .reasons = reasons_of(why.of_head.contributions)},
                    settings_, out);
    if (parser_.labels().size() == 0) return;
    append_decision({.where = reader_->where(word),
                     .item = item,
                     .chosen = parser_.labels().names()[why.label],
                     .rival = parser_.labels().names()[why.rival_label],
                     .margin = why.of_label.margin,
                     .reasons = reasons_of(why.of_label.contributions)},
                    settings_, out);
  }

  // What else differs in the tree with the rival.
  std::vector<std::string> others_of(const Explanation& why, std::size_t word) const {
    std::vector<std::string> others;
    const std::span<const HeadId> heads = workspace_.heads();
    for (std::size_t m = 1; m < heads.size(); ++m) {
      if (m != word && why.rival_heads[m] != heads[m])
        others.push_back(fmt::format("{}: {}", reader_->cell(m, kForm), name_of(why.rival_heads[m])));
    }
    return others;
  }

  std::string name_of(HeadId head) const {
    return head == 0 ? "head 0 (root)" : fmt::format("head {} ({})", head, reader_->cell(head, kForm));
  }

  const Parser& parser_;
  ExplainSettings settings_;
  Parser::Workspace workspace_;
  Explainer explainer_;
  std::unique_ptr<DependencyReader> reader_;  // set by the first slice
  std::vector<WordCells> words_;
};

}  // namespace

std::unique_ptr<SlicePredictor> make_explainer(const Parser& parser, const ExplainSettings& settings) {
  return std::make_unique<TreeExplainer>(parser, settings);
}

}  // namespace hinge::dep
