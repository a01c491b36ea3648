#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "hinge/tasks/constituents/evaluate.h"
#include "hinge/tasks/constituents/explain.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/constituents/options.h"
#include "hinge/tasks/decision.h"
#include "hinge/tasks/drawing.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::constituents {
namespace {

constexpr const char* kNeedsTagger =
    "the model was trained with --tagger; give a tagger here, too, as tags of the input would be gold";

// One sentence to parse: plain words or brackets.
class InputLine {
 public:
  void read(std::string_view line, std::string where, const BracketCleaning& cleaning) {
    where_ = std::move(where);
    tree_.clear();
    escaped_.clear();
    if (looks_like_brackets(line)) {
      parse_brackets(line, where_, cleaning, tree_);
    } else {
      read_words(line);
    }
    tags_of(tree_, tags_);
  }

  std::span<const std::string_view> words() const { return tree_.words; }
  std::span<const BracketNode> nodes() const { return tree_.nodes; }   // of brackets
  const std::vector<std::string_view>& tags() const { return tags_; }  // of brackets
  const std::string& where() const { return where_; }

 private:
  void read_words(std::string_view line) {
    each_word(line, [this](std::string_view word) { tree_.words.push_back(escaped(word)); });
    if (tree_.words.size() > kMostTreeWords)
      fail<InputError>("{}: has {} words; the most is {}", where_, tree_.words.size(), kMostTreeWords);
  }

  // As the word stands in trees.
  std::string_view escaped(std::string_view word) {
    if (word.find_first_of("()") == std::string_view::npos) return word;
    append_escaped(word, escaped_.emplace_back());
    return escaped_.back();
  }

  BracketTree tree_;
  std::vector<std::string_view> tags_;
  std::deque<std::string> escaped_;
  std::string where_;
};

// Writes such a line as CoNLL-U, for taggers. One per thread.
class ColumnWriter final : public SlicePredictor {
 public:
  explicit ColumnWriter(const BracketCleaning& cleaning) : cleaning_(cleaning) {}

  void predict(const Slice& slice, std::string& out) override {
    line_.read(slice.text, fmt::format("{}:{}", slice.name(), slice.first_line), cleaning_);
    if (!line_.words().empty()) append_tree_columns(trim(slice.text), line_.words(), line_.tags(), out);
  }

 private:
  BracketCleaning cleaning_;
  InputLine line_;
};

// The sentences of slices: a line each, or CoNLL-U from a tagger (tree_source.h).
class SentenceReader {
 public:
  explicit SentenceReader(const Parser& parser) : parser_(parser) {}

  // Calls use() for every sentence.
  template <typename Use>
  void each(const Slice& slice, const Use& use) {
    if (slice.layout.format == ColumnFormat::kConllu) return each_of_columns(slice, use);
    if (!lines_) lines_.emplace(slice.input());
    lines_->restart(slice.text, slice.first_line, slice.file);
    for (std::string_view line; lines_->next(line);) {
      line_.read(line, fmt::format("{}:{}", lines_->name(), lines_->number()), parser_.cleaning());
      tags_.clear();
      if (parser_.tag_column().empty()) tags_ = line_.tags();
      use();
    }
  }

  const InputLine& line() const { return line_; }
  const std::vector<std::string_view>& tags() const { return tags_; }

  void require_tags() const {
    if (!parser_.given_tags() || !tags_.empty()) return;
    if (!parser_.tag_column().empty()) fail<OptionError>("{}: {}", line_.where(), kNeedsTagger);
    fail<InputError>(
        "{}: has no tags, but the model was trained with tags=gold; give (TAG word) for every word",
        line_.where());
  }

 private:
  template <typename Use>
  void each_of_columns(const Slice& slice, const Use& use) {
    ColumnReader reader(slice.input(), slice.layout);
    ColumnSentence sentence;
    while (reader.next(sentence)) {
      line_.read(tree_of(sentence), reader.where(sentence, 0), parser_.cleaning());
      tags_.clear();
      for (std::size_t i = 0; i < sentence.tokens(); ++i)
        tags_.push_back(sentence.cell(i, parser_.tag_index()));
      use();
    }
  }

  const Parser& parser_;
  std::optional<LineReader> lines_;  // set by the first slice
  InputLine line_;
  std::vector<std::string_view> tags_;
};

// Reads a sentence per line and writes a tree per line. One per thread.
class TreeWriter final : public SlicePredictor {
 public:
  TreeWriter(const Parser& parser, const PredictSettings& settings)
      : parser_(parser),
        settings_(settings),
        scored_(settings.scores || settings.marginals),
        probabilities_(settings.marginals || parser.likelihood()),
        workspace_(parser),
        sentences_(parser) {}

  void predict(const Slice& slice, std::string& out) override {
    sentences_.each(slice, [&] { write(out); });
  }

 private:
  const InputLine& line() const { return sentences_.line(); }

  void write(std::string& out) {
    if (line().words().empty()) {
      if (!settings_.json && !settings_.html) out += '\n';
      return;
    }
    sentences_.require_tags();
    find_given();
    const bool found = parser_.load({line().words(), sentences_.tags(), given_}, workspace_);
    if (settings_.json) return append_json(found, out);
    if (settings_.n_best == 1 || !found) {
      write_tree(parser_.best(workspace_), out);
      return;
    }
    const std::size_t n = parser_.find_k_best(settings_.n_best, workspace_);
    const std::optional<double> sum = log_sum();
    for (std::size_t rank = 0; rank < n; ++rank) {
      double score = 0.0;
      const BracketTree& tree = parser_.of_rank(rank, score, workspace_);
      if (settings_.html) {
        draw_rank(rank + 1, score, probability_of(score, sum), out);
      } else {
        append_rank(rank + 1, score, probability_of(score, sum), out);
        out += '\n';
      }
      write_tree(tree, out);
    }
    if (!settings_.html) out += '\n';
  }

  // {"tree": "(S ...)"}, or "nbest" with a list of trees.
  void append_json(bool found, std::string& out) {
    Json json;
    const auto text_of = [this](const BracketTree& tree) {
      std::string text;
      append_brackets(with_scores(tree), text);
      return text;
    };
    if (settings_.n_best == 1 || !found) {
      json.set("tree", text_of(parser_.best(workspace_)));
    } else {
      const std::size_t n = parser_.find_k_best(settings_.n_best, workspace_);
      const std::optional<double> sum = log_sum();
      std::vector<Json> outputs;
      for (std::size_t rank = 0; rank < n; ++rank) {
        double score = 0.0;
        const std::string text = text_of(parser_.of_rank(rank, score, workspace_));
        outputs.push_back(ranked_json(score, probability_of(score, sum)).set("tree", text));
      }
      json.set("nbest", outputs);
    }
    out += json.dump() + '\n';
  }

  // If the probabilities of trees are wanted.
  std::optional<double> log_sum() {
    return probabilities_ ? std::optional(parser_.log_sum(workspace_)) : std::nullopt;
  }

  void find_given() {
    given_.clear();
    if (!settings_.constrain) return;
    for (const BracketNode& node : line().nodes()) {
      if (!node.word && !is_wrapper(node.label))
        given_.push_back(
            {node.label, static_cast<std::uint16_t>(node.begin), static_cast<std::uint16_t>(node.end)});
    }
  }

  void write_tree(const BracketTree& tree, std::string& out) {
    if (settings_.html) return draw_tree(with_scores(tree), {}, out);
    append_brackets(with_scores(tree), out);
    out += '\n';
  }

  // With scores behind its labels, if they are wanted. Valid until the next call.
  const BracketTree& with_scores(const BracketTree& tree) {
    if (!scored_) return tree;
    parser_.confidence(probabilities_, workspace_, confidence_);
    labels_.clear();
    labels_.reserve(tree.nodes.size());
    scored_tree_ = tree;
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      if (tree.nodes[k].word || confidence_[k] == 0.0) continue;
      if (!std::isfinite(confidence_[k])) continue;  // there is no other tree
      labels_.push_back(settings_.html ? fmt::format("{} {:.2f}", tree.nodes[k].label, confidence_[k])
                                       : fmt::format("{}={:.4f}", tree.nodes[k].label, confidence_[k]));
      scored_tree_.nodes[k].label = labels_.back();
    }
    return scored_tree_;
  }

  const Parser& parser_;
  PredictSettings settings_;
  bool scored_, probabilities_;
  Parser::Workspace workspace_;
  SentenceReader sentences_;
  BracketTree scored_tree_;
  std::vector<GivenBracket> given_;
  std::vector<double> confidence_;
  std::vector<std::string> labels_;
};

// Which nodes of a tree another one lacks.
std::vector<char> find_differences(const BracketTree& tree, const BracketTree& other) {
  const auto place = [](const BracketNode& node) {
    return std::tuple(node.begin, node.end, node.word, node.label);
  };
  std::set<decltype(place(tree.nodes[0]))> theirs;
  for (const BracketNode& node : other.nodes) theirs.insert(place(node));
  std::vector<char> differs;
  for (const BracketNode& node : tree.nodes) differs.push_back(theirs.contains(place(node)) ? 0 : 1);
  return differs;
}

// Says why the best tree beats the second best; one per thread.
class TreeExplainer final : public SlicePredictor {
 public:
  TreeExplainer(const Parser& parser, const ExplainSettings& settings)
      : parser_(parser), settings_(settings), workspace_(parser), sentences_(parser) {}

  void predict(const Slice& slice, std::string& out) override {
    sentences_.each(slice, [&] {
      if (!sentences_.line().words().empty()) append(out);
    });
  }

 private:
  void append(std::string& out) {
    sentences_.require_tags();
    const InputLine& line = sentences_.line();
    const bool found = parser_.load({line.words(), sentences_.tags(), {}}, workspace_);
    Decision decision{.where = line.where(), .item = "tree", .chosen = "", .rival = "", .reasons = {}};
    if (!found || parser_.find_k_best(2, workspace_) < 2) {
      const BracketTree& only = parser_.best(workspace_);
      append_brackets(only, decision.chosen);
      decision.rival = decision.chosen;
      if (settings_.html) draw_tree(only, {}, decision.chosen_drawing);
    } else {
      for (const Reason& reason : explain(parser_, 1, workspace_))
        decision.reasons.push_back({reason.feature + " of " + reason.part, reason.weight});
      double other = 0.0;
      const BracketTree best = parser_.of_rank(0, decision.margin, workspace_);
      const BracketTree rival = parser_.of_rank(1, other, workspace_);
      append_brackets(best, decision.chosen);
      append_brackets(rival, decision.rival);
      decision.margin -= other;
      if (settings_.html) {
        draw_tree(best, find_differences(best, rival), decision.chosen_drawing);
        draw_tree(rival, find_differences(rival, best), decision.rival_drawing);
      }
    }
    append_decision(decision, settings_, out);
  }

  const Parser& parser_;
  ExplainSettings settings_;
  Parser::Workspace workspace_;
  SentenceReader sentences_;
};

class ConstPredictor final : public Predictor {
 public:
  explicit ConstPredictor(const ModelFile& file) : file_(file), parser_(file) {}

  std::unique_ptr<SlicePredictor> slice_predictor(const PredictSettings& settings) const override {
    return std::make_unique<TreeWriter>(parser_, settings);
  }
  std::unique_ptr<SlicePredictor> slice_explainer(const ExplainSettings& settings) const override {
    return std::make_unique<TreeExplainer>(parser_, settings);
  }
  std::string_view page_title() const override { return "Trees"; }
  ColumnFormat format() const override { return ColumnFormat::kLines; }

  Source columns_of(const Source& source) const override {
    require_given_tags();
    return tree_columns(source, parser_.cleaning().keep_empty);
  }
  std::unique_ptr<SlicePredictor> column_writer() const override {
    require_given_tags();
    return std::make_unique<ColumnWriter>(parser_.cleaning());
  }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    const Treebank bank =
        read_treebank(source, {.cleaning = parser_.cleaning(), .tag_column = parser_.tag_index()});
    if (!parser_.tag_column().empty() && bank.tags.empty())
      fail<OptionError>("{}: {}", source.name(), kNeedsTagger);
    return evaluate_parser(parser_, bank, workers);
  }

  std::string summary() const override {
    const Grammar& grammar = parser_.plan().grammars.fine;
    return fmt::format("grammar      {} tags, {} symbols, {} rules\nweights      {} of {} are not zero\n",
                       grammar.tags(), grammar.symbols() - grammar.tags(), grammar.rules().size(),
                       parser_.used_weights(), parser_.plan().dimension());
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override {
    return heaviest_weights(file_, parser_, n);
  }

 private:
  void require_given_tags() const {
    if (!parser_.given_tags())
      fail<OptionError>("this parser finds tags by itself; leave out --tagger, or train with it");
  }

  const ModelFile& file_;
  Parser parser_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<ConstPredictor>(file); }

}  // namespace hinge::constituents
