#include <fmt/format.h>

#include <deque>
#include <iterator>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/tasks/constituents/evaluate.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/options.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::constituents {
namespace {

// Reads a sentence per line, plain words or brackets, and writes a tree per line. One
// per thread.
class TreeWriter final : public SlicePredictor {
 public:
  TreeWriter(const Parser& parser, const PredictSettings& settings)
      : parser_(parser),
        settings_(settings),
        scored_(settings.scores || settings.marginals),
        probabilities_(settings.marginals || parser.likelihood()),
        workspace_(parser) {}

  void predict(const Slice& slice, std::string& out) override {
    if (!lines_) lines_.emplace(slice.input());
    lines_->restart(slice.text, slice.first_line);
    for (std::string_view line; lines_->next(line);) write(line, out);
  }

 private:
  void write(std::string_view line, std::string& out) {
    given_.clear();
    tags_.clear();
    read(line);
    if (words_.empty()) {
      out += '\n';
      return;
    }
    if (parser_.gold_tags() && tags_.empty())
      fail<InputError>(
          "{}: has no tags, but the model was trained with tags=gold; give (TAG word) for every word",
          where());
    const bool found = parser_.load({words_, tags_, given_}, workspace_);
    if (settings_.n_best == 1 || !found) {
      write_tree(parser_.best(workspace_), out);
      return;
    }
    const std::size_t n = parser_.find_k_best(settings_.n_best, workspace_);
    for (std::size_t rank = 0; rank < n; ++rank) {
      double score = 0.0;
      const BracketTree& tree = parser_.of_rank(rank, score, workspace_);
      fmt::format_to(std::back_inserter(out), "# {} {:.4f}\n", rank + 1, score);
      write_tree(tree, out);
    }
    out += '\n';
  }

  void read(std::string_view line) {
    words_.clear();
    escaped_.clear();
    if (!looks_like_brackets(line)) {
      for (std::string_view rest = trim(line); !rest.empty(); rest = trim(rest)) {
        const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
        words_.push_back(escaped(rest.substr(0, end)));
        rest.remove_prefix(end);
      }
      if (words_.size() > kMostTreeWords)
        fail<InputError>("{}: has {} words; the most is {}", where(), words_.size(), kMostTreeWords);
      return;
    }
    if (!parse_brackets(line, where(), parser_.cleaning(), input_)) return;
    words_ = input_.words;
    for (std::size_t k = 0; k < input_.nodes.size(); ++k) {
      const BracketNode& node = input_.nodes[k];
      if (node.word) {
        tags_.push_back(node.label);
      } else if (settings_.constrain && node.end > node.begin + 1 && !is_wrapper(node.label)) {
        given_.push_back(
            {node.label, static_cast<std::uint16_t>(node.begin), static_cast<std::uint16_t>(node.end)});
      }
    }
  }

  // As the word stands in trees.
  std::string_view escaped(std::string_view word) {
    if (word.find_first_of("()") == std::string_view::npos) return word;
    append_escaped(word, escaped_.emplace_back());
    return escaped_.back();
  }

  void write_tree(const BracketTree& tree, std::string& out) {
    if (!scored_) {
      append_brackets(tree, out);
      out += '\n';
      return;
    }
    parser_.confidence(probabilities_, workspace_, confidence_);
    labels_.clear();
    labels_.reserve(tree.nodes.size());
    scored_tree_ = tree;
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      if (tree.nodes[k].word || confidence_[k] == 0.0) continue;
      labels_.push_back(fmt::format("{}={:.4f}", tree.nodes[k].label, confidence_[k]));
      scored_tree_.nodes[k].label = labels_.back();
    }
    append_brackets(scored_tree_, out);
    out += '\n';
  }

  std::string where() const { return fmt::format("{}:{}", lines_->name(), lines_->number()); }

  const Parser& parser_;
  PredictSettings settings_;
  bool scored_, probabilities_;
  Parser::Workspace workspace_;
  std::optional<LineReader> lines_;  // set by the first slice
  BracketTree input_, scored_tree_;
  std::vector<std::string_view> words_, tags_;
  std::deque<std::string> escaped_;
  std::vector<GivenBracket> given_;
  std::vector<double> confidence_;
  std::vector<std::string> labels_;
};

class ConstPredictor final : public Predictor {
 public:
  explicit ConstPredictor(const ModelFile& file) : parser_(file) {}

  std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& settings) const override {
    return std::make_unique<TreeWriter>(parser_, settings);
  }
  ColumnFormat format() const override { return ColumnFormat::kLines; }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    return evaluate_parser(parser_, source, workers);
  }

  std::string summary() const override {
    const Grammar& grammar = parser_.plan().grammars.fine;
    return fmt::format("grammar      {} tags, {} symbols, {} rules\nweights      {} of {} are not zero\n",
                       grammar.tags(), grammar.symbols() - grammar.tags(), grammar.rules().size(),
                       parser_.used_weights(), parser_.plan().dimension());
  }

  // Hashed features have no names.
  std::vector<WeightLine> heaviest(std::size_t n) const override {
    struct Heavy {
      float weight;
      std::size_t id;
    };
    std::vector<Heavy> all;
    const Weights& w = parser_.weights();
    for (std::size_t id = 0; id < w.size(); ++id) {
      if (w[id] != 0.0f) all.push_back({w[id], id});
    }
    keep_heaviest(n, all);
    std::vector<WeightLine> lines;
    for (const Heavy& heavy : all) lines.push_back({fmt::format("weight {}", heavy.id), "", heavy.weight});
    return lines;
  }

 private:
  Parser parser_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<ConstPredictor>(file); }

}  // namespace hinge::constituents
