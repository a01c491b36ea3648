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
#include "hinge/tasks/tree_source.h"

namespace hinge::constituents {
namespace {

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
    for (std::string_view rest = trim(line); !rest.empty(); rest = trim(rest)) {
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      tree_.words.push_back(escaped(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
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
    line_.read(slice.text, fmt::format("{}:{}", slice.source->name(), slice.first_line), cleaning_);
    if (!line_.words().empty()) append_tree_columns(trim(slice.text), line_.words(), line_.tags(), out);
  }

 private:
  BracketCleaning cleaning_;
  InputLine line_;
};

// Reads a sentence per line and writes a tree per line. One per thread.
class TreeWriter final : public SlicePredictor {
 public:
  TreeWriter(const Parser& parser, const PredictSettings& settings)
      : parser_(parser),
        settings_(settings),
        scored_(settings.scores || settings.marginals),
        probabilities_(settings.marginals || parser.likelihood()),
        workspace_(parser) {}

  void predict(const Slice& slice, std::string& out) override {
    if (slice.layout.format == ColumnFormat::kConllu) return predict_columns(slice, out);
    if (!lines_) lines_.emplace(slice.input());
    lines_->restart(slice.text, slice.first_line);
    for (std::string_view line; lines_->next(line);) {
      line_.read(line, fmt::format("{}:{}", lines_->name(), lines_->number()), parser_.cleaning());
      tags_ = line_.tags();
      write(out);
    }
  }

 private:
  // A sentence from a tagger; see tree_source.h.
  void predict_columns(const Slice& slice, std::string& out) {
    ColumnReader reader(slice.input(), slice.layout);
    ColumnSentence sentence;
    while (reader.next(sentence)) {
      line_.read(tree_of(sentence), reader.where(sentence, 0), parser_.cleaning());
      tags_.clear();
      for (std::size_t i = 0; i < sentence.tokens(); ++i)
        tags_.push_back(sentence.cell(i, parser_.tag_index()));
      write(out);
    }
  }

  void write(std::string& out) {
    if (line_.words().empty()) {
      out += '\n';
      return;
    }
    if (parser_.given_tags() && tags_.empty())
      fail<InputError>("{}: has no tags, but the model was trained with {}; give {}(TAG word) for every word",
                       line_.where(), parser_.tag_column().empty() ? "tags=gold" : "--tagger",
                       parser_.tag_column().empty() ? "" : "one, or ");
    find_given();
    const bool found = parser_.load({line_.words(), tags_, given_}, workspace_);
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

  void find_given() {
    given_.clear();
    if (!settings_.constrain) return;
    for (const BracketNode& node : line_.nodes()) {
      if (!node.word && !is_wrapper(node.label))
        given_.push_back(
            {node.label, static_cast<std::uint16_t>(node.begin), static_cast<std::uint16_t>(node.end)});
    }
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

  const Parser& parser_;
  PredictSettings settings_;
  bool scored_, probabilities_;
  Parser::Workspace workspace_;
  std::optional<LineReader> lines_;  // set by the first slice
  InputLine line_;
  BracketTree scored_tree_;
  std::vector<std::string_view> tags_;
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

  Source columns_of(const Source& source) const override {
    require_given_tags();
    return tree_columns(source, parser_.cleaning().keep_empty);
  }
  std::unique_ptr<SlicePredictor> column_writer() const override {
    require_given_tags();
    return std::make_unique<ColumnWriter>(parser_.cleaning());
  }

  Evaluation evaluate(const Source& source, Workers& workers) const override {
    const Treebank bank = read_treebank(source, parser_.cleaning(), 0, parser_.tag_index());
    return evaluate_parser(parser_, bank, workers);
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
  void require_given_tags() const {
    if (!parser_.given_tags())
      fail<OptionError>("this parser finds tags by itself; leave out --tagger, or train with it");
  }

  Parser parser_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<ConstPredictor>(file); }

}  // namespace hinge::constituents
