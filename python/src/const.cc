// Data and models of the task const.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/split.h"
#include "hinge/tasks/constituents/explain.h"
#include "hinge/tasks/constituents/model.h"
#include "python/src/brackets.h"
#include "python/src/model.h"
#include "python/src/predict_each.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

// What the parser sees of a line: words, and tags if it is brackets.
struct Sentence {
  void read(std::string_view line, const std::string& where, BracketCleaning cleaning) {
    words.clear();
    tags.clear();
    if (looks_like_brackets(line)) {
      if (!parse_brackets(line, where, cleaning, tree)) return;
      words = tree.words;
      for (const BracketNode& node : tree.nodes) {
        if (node.word) tags.push_back(node.label);
      }
    } else {
      split_at_blanks(line, words);
    }
    if (words.size() > kMostTreeWords)
      fail<InputError>("{}: has {} words; the most is {}", where, words.size(), kMostTreeWords);
  }

  BracketTree tree;
  std::vector<std::string_view> words, tags;  // tags: [words] or none
};

// The words of X, and if `tags` its tags, must be those of the trees in y.
class Comparison {
 public:
  Comparison(nb::handle X, bool tags, bool keep_empty)
      : X_(sequence(X, "X")), tags_(tags), cleaning_{.keep_empty = keep_empty} {}

  std::size_t size() const { return length(X_); }

  void check(std::size_t i, std::string_view gold_line) {
    const std::string where = fmt::format("sentence {}", i + 1);
    line_.clear();
    reader_.append_sentence(item(X_, i), where, line_);
    given_.read(line_, where, cleaning_);
    gold_.read(gold_line, where, cleaning_);
    if (given_.words.size() != gold_.words.size())
      fail<InputError>("{}: X has {} words, but the tree in y has {}", where, given_.words.size(),
                       gold_.words.size());
    compare(given_.words, gold_.words, "word", where);
    if (tags_ && !given_.tags.empty()) compare(given_.tags, gold_.tags, "tag", where);
  }

 private:
  static void compare(const std::vector<std::string_view>& given, const std::vector<std::string_view>& gold,
                      const char* what, const std::string& where) {
    const auto [a, b] = std::ranges::mismatch(given, gold);
    if (a != given.end())
      fail<InputError>("{}, word {}: the {} is '{}' in X, but '{}' in y", where, a - given.begin() + 1, what,
                       *a, *b);
  }

  nb::object X_;
  bool tags_;
  BracketCleaning cleaning_;
  BracketObjects reader_;
  std::string line_;
  Sentence given_, gold_;
};

// Trees as a line of brackets each, so that lines are numbers of trees. X: None, or the
// sentences of these trees.
Data const_data(nb::handle trees, nb::handle X, bool tags, bool keep_empty, std::string what) {
  const SignalScope signals;
  const nb::object given = sequence(trees, X.is_none() ? "X" : "y");
  std::optional<Comparison> comparison;
  if (!X.is_none()) comparison.emplace(X, tags, keep_empty);
  const std::size_t size = length(given);
  if (comparison && comparison->size() != size)
    fail<InputError>("X has {} sentences, but y has {} trees; they must match", comparison->size(), size);
  BracketObjects reader;
  std::string text, line;
  for (std::size_t i = 0; i < size; ++i) {
    check_interrupt();
    line.clear();
    reader.append_tree(item(given, i), fmt::format("tree {}", i + 1), line);
    if (comparison) comparison->check(i, line);
    text.append(line).append("\n");
  }
  return {Source::of_text(std::move(text), std::move(what))};
}

using constituents::Parser;

struct ScoredTree {
  double score = 0.0;
  BracketTree tree;
};

class ConstModel final : public Model {
 public:
  explicit ConstModel(ModelFile file) : Model(std::move(file)), parser_(this->file()) {}

  // Of phrases.
  nb::list labels() const {
    const constituents::Grammar& grammar = parser_.plan().grammars.coarse;
    LabelSet found;
    for (std::size_t s = grammar.tags(); s < grammar.symbols(); ++s) {
      std::vector<std::string_view> chain;
      split_at_blanks(grammar.chain(static_cast<constituents::Symbol>(s)), chain);
      for (const std::string_view label : chain) found.intern(label);
    }
    nb::list result;
    for (const std::string& name : found.names()) result.append(nb::str(name.data(), name.size()));
    return result;
  }

  // The sentences of a file, one per line.
  nb::list read(const std::string& path) const {
    const SignalScope signals;
    LineReader lines(existing_files(path).input());
    nb::list result;
    for (std::string_view line; lines.next(line);) {
      check_interrupt();
      result.append(nb::str(line.data(), line.size()));
    }
    return result;
  }

  nb::list predict(nb::handle X, int threads, bool brackets) const {
    return each<BracketTree>(
        X, threads,
        [this](bool, Workspace& workspace, BracketTree& tree) { tree = parser_.best(workspace.parser); },
        [brackets](const BracketTree& tree) { return to_python(tree, brackets); });
  }

  // (tree, score) of the best trees, or their probabilities instead of scores. A sentence without
  // a tree in the grammar has the flat one, with the score -inf.
  nb::list n_best(nb::handle X, int threads, std::size_t n, bool brackets, bool probabilities) const {
    return each<std::vector<ScoredTree>>(
        X, threads,
        [this, n, probabilities](bool found, Workspace& workspace, std::vector<ScoredTree>& trees) {
          if (!found) {
            const double score = probabilities ? 0.0 : -std::numeric_limits<double>::infinity();
            trees.assign(1, {score, parser_.best(workspace.parser)});
            return;
          }
          trees.resize(parser_.find_k_best(n, workspace.parser));
          const double sum = probabilities ? parser_.log_sum(workspace.parser) : 0.0;
          for (std::size_t rank = 0; rank < trees.size(); ++rank) {
            check_interrupt();
            trees[rank].tree = parser_.of_rank(rank, trees[rank].score, workspace.parser);
            if (probabilities) trees[rank].score = std::exp(trees[rank].score - sum);
          }
        },
        [brackets](const std::vector<ScoredTree>& trees) {
          nb::list result;
          for (const ScoredTree& one : trees)
            result.append(nb::make_tuple(to_python(one.tree, brackets), one.score));
          return result;
        });
  }

  // Per sentence (label, begin, end, probability) of every phrase in the best tree.
  nb::list marginals(nb::handle X, int threads) const {
    struct Phrases {
      BracketTree tree;
      std::vector<double> probabilities;  // [nodes]
    };
    return each<Phrases>(
        X, threads,
        [this](bool, Workspace& workspace, Phrases& phrases) {
          phrases.tree = parser_.best(workspace.parser);
          parser_.confidence(/*probabilities=*/true, workspace.parser, phrases.probabilities);
        },
        [](const Phrases& phrases) {
          nb::list result;
          for (std::size_t k = 0; k < phrases.tree.nodes.size(); ++k) {
            const BracketNode& node = phrases.tree.nodes[k];
            const double p = phrases.probabilities[k];
            const bool wrapper = k == 0 && p == 0.0 && constituents::is_wrapper(node.label);
            if (!node.word && !wrapper)
              result.append(
                  nb::make_tuple(nb::str(node.label.data(), node.label.size()), node.begin, node.end, p));
          }
          return result;
        });
  }

  // Why the best tree of a sentence is better than the one of that rank, from 1:
  // (tree, rival, margin, [(part, feature, contribution)]).
  nb::tuple explain(const nb::object& x, std::size_t rank) const {
    const SignalScope signals;
    std::string line;
    BracketObjects().append_sentence(x, "the sentence", line);
    Workspace workspace(parser_);
    const bool found = load(line, "the sentence", workspace);
    const std::size_t trees = found ? parser_.find_k_best(rank, workspace.parser) : 0;
    if (trees < rank) fail<InputError>("the sentence has {} trees to compare, but rank is {}", trees, rank);
    const std::vector<constituents::Reason> reasons =
        constituents::explain(parser_, rank - 1, workspace.parser);
    double best = 0.0, other = 0.0;
    const nb::object tree = to_tuples(parser_.of_rank(0, best, workspace.parser));
    const nb::object rival = to_tuples(parser_.of_rank(rank - 1, other, workspace.parser));
    nb::list parts;
    for (const constituents::Reason& reason : reasons)
      parts.append(nb::make_tuple(reason.part, reason.feature, reason.weight));
    return nb::make_tuple(tree, rival, best - other, parts);
  }

 private:
  struct Workspace {
    explicit Workspace(const Parser& of) : parser(of) {}

    Parser::Workspace parser;
    Sentence sentence;
  };
  struct Lines {
    std::size_t first = 0;  // the number of the first one, from 0
    std::vector<std::string> lines;
  };

  // Whether the grammar has a tree.
  bool load(std::string_view line, const std::string& where, Workspace& workspace) const {
    Sentence& sentence = workspace.sentence;
    sentence.read(line, where, parser_.cleaning());
    if (sentence.words.empty()) return false;
    if (parser_.given_tags() && sentence.tags.empty())
      fail<InputError>("{}: has no tags, but the model was trained with tags=gold or a tagger; give a tree",
                       where);
    return parser_.load({sentence.words, sentence.tags, {}}, workspace.parser);
  }

  // Calls decode(whether the grammar has a tree, workspace, answer), then give(answer), for every sentence.
  // An answer may view the input.
  template <typename Answer, typename Decode, typename Give>
  nb::list each(nb::handle given, int threads, const Decode& decode, const Give& give) const {
    const nb::object X = sequence(given, "X");
    BracketObjects reader;
    return predict_each<Answer>(
        length(X), threads, [this] { return Workspace(parser_); },
        [&](std::size_t begin, std::size_t end) {
          Lines inputs{begin, std::vector<std::string>(end - begin)};
          for (std::size_t i = begin; i < end; ++i)
            reader.append_sentence(item(X, i), fmt::format("sentence {}", i + 1), inputs.lines[i - begin]);
          return inputs;
        },
        [&](const Lines& inputs, std::size_t i, Workspace& workspace, Answer& answer) {
          answer = {};
          const bool found =
              load(inputs.lines[i], fmt::format("sentence {}", inputs.first + i + 1), workspace);
          if (workspace.sentence.words.empty()) return;  // a sentence without words has no tree
          decode(found, workspace, answer);
        },
        give);
  }

  static nb::object to_python(const BracketTree& tree, bool brackets) {
    if (!brackets) return to_tuples(tree);
    std::string text;
    append_brackets(tree, text);
    return nb::str(text.data(), text.size());
  }

  Parser parser_;
};

}  // namespace

void bind_const(nb::module_& m) {
  bind_brackets(m);
  m.def("const_data", &const_data, nb::arg("trees"), nb::arg("X").none(), nb::arg("tags"),
        nb::arg("keep_empty"), nb::arg("what"), "Trees in memory.");
  auto model = nb::class_<ConstModel, Model>(m, "ConstModel");
  bind_opening(model, "const");
  model.def_prop_ro("labels", &ConstModel::labels)
      .def("read", &ConstModel::read, nb::arg("path"))
      .def("predict", &ConstModel::predict, nb::arg("X").none(), nb::arg("threads"), nb::arg("brackets"))
      .def("n_best", &ConstModel::n_best, nb::arg("X").none(), nb::arg("threads"), nb::arg("n"),
           nb::arg("brackets"), nb::arg("probabilities"))
      .def("marginals", &ConstModel::marginals, nb::arg("X").none(), nb::arg("threads"))
      .def("explain", &ConstModel::explain, nb::arg("x").none(), nb::arg("rank"));
}

}  // namespace hinge::python
