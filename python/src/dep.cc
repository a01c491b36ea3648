// Data and models of the task dep.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "hinge/core/error.h"
#include "hinge/tasks/dep/explain.h"
#include "hinge/tasks/dep/model.h"
#include "python/src/model.h"
#include "python/src/predict_each.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

// X: sentences of words, each a str, a tuple (form, upos) or (form, lemma, upos,
// xpos, feats), or a dict with these keys. y: None, or for each word its head
// or (head, label).
class TreeReader {
 public:
  TreeReader(nb::handle X, nb::handle y)
      : X_(sequence(X, "X")), y_(y.is_none() ? nb::object() : sequence(y, "y")) {
    if (y_.is_valid() && length(y_) != size())
      fail<InputError>("X has {} sentences, but y has {}; they must match", size(), length(y_));
    labelled_ = first_arc_has_label();
  }

  std::size_t size() const { return length(X_); }

  dep::Trees read(std::size_t begin, std::size_t end) {
    dep::Trees trees(y_.is_valid(), labelled_);
    for (sentence_ = begin; sentence_ < end; ++sentence_) {
      check_interrupt();
      const nb::object words = sequence(item(X_, sentence_), fmt::format("sentence {} of X", sentence_ + 1));
      const nb::object arcs = arcs_of(sentence_);
      const std::size_t n = length(words);
      if (arcs.is_valid() && length(arcs) != n)
        fail<InputError>("sentence {}: X has {} words, but y has {} heads", sentence_ + 1, n, length(arcs));
      for (word_ = 0; word_ < n; ++word_) {
        const Word word(*this, item(words, word_));
        if (arcs.is_valid()) {
          add_arc(word.cells, item(arcs, word_), trees);
        } else {
          trees.add_word(word.cells);
        }
      }
      trees.end_sentence();
    }
    return trees;
  }

 private:
  nb::object arcs_of(std::size_t s) const {
    return y_.is_valid() ? sequence(item(y_, s), fmt::format("sentence {} of y", s + 1)) : nb::object();
  }

  bool first_arc_has_label() const {
    for (std::size_t s = 0; y_.is_valid() && s < size(); ++s) {
      const nb::object arcs = arcs_of(s);
      if (length(arcs) > 0) return !PyLong_Check(item(arcs, 0).ptr());
    }
    return false;
  }

  void add_arc(const WordCells& cells, const nb::object& arc, dep::Trees& trees) const {
    if (!labelled_) {
      trees.add_word(cells, head_of(arc), "");
      return;
    }
    if ((!PyTuple_Check(arc.ptr()) && !PyList_Check(arc.ptr())) || length(arc) != 2)
      refuse(fmt::format("a pair (head, label) was expected in y, not {}", class_name(arc)));
    const nb::object label = item(arc, 1);
    trees.add_word(cells, head_of(item(arc, 0)), text(label, "a label"));
  }

  std::size_t head_of(const nb::object& head) const {
    const Py_ssize_t number = PyNumber_AsSsize_t(head.ptr(), PyExc_OverflowError);
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(fmt::format("a head is the number of a word, 0 for the root, not {}", class_name(head)));
    }
    if (number < 0)
      fail<InputError>("sentence {}, word {}: the head is {}", sentence_ + 1, word_ + 1, number);
    return static_cast<std::size_t>(number);
  }

  // The cells of a word and the strings they view. The strings are held because
  // user code that runs meanwhile, such as __index__ of a head, may remove them
  // from the word.
  struct Word {
    Word(const TreeReader& reader, const nb::object& word) : form(word) {
      if (PyUnicode_Check(word.ptr())) {
        cells.form = utf8(form);
        return;
      }
      if (PyDict_Check(word.ptr())) {
        form = field(word, "form");
        lemma = field(word, "lemma");
        upos = field(word, "upos");
        xpos = field(word, "xpos");
        feats = field(word, "feats");
      } else {
        reader.read_tuple(word, *this);
      }
      cells = {.form = reader.cell(form),
               .lemma = reader.cell(lemma),
               .upos = reader.cell(upos),
               .xpos = reader.cell(xpos),
               .feats = reader.cell(feats)};
    }

    nb::object form, lemma, upos, xpos, feats;  // not valid if missing
    WordCells cells;
  };

  void read_tuple(const nb::object& word, Word& to) const {
    if (!PyTuple_Check(word.ptr()) && !PyList_Check(word.ptr()))
      refuse(fmt::format("a word is a str, a tuple or a dict, not {}", class_name(word)));
    const std::size_t cells = length(word);
    if (cells != 1 && cells != 2 && cells != 5) {
      refuse(fmt::format("a tuple is (form, upos) or (form, lemma, upos, xpos, feats), but this has {} cells",
                         cells));
    }
    to.form = item(word, 0);
    if (cells == 2) to.upos = item(word, 1);
    if (cells != 5) return;
    to.lemma = item(word, 1);
    to.upos = item(word, 2);
    to.xpos = item(word, 3);
    to.feats = item(word, 4);
  }

  static nb::object field(const nb::object& word, const char* name) {
    PyObject* value = PyDict_GetItemString(word.ptr(), name);
    return value == nullptr || value == Py_None ? nb::object() : nb::borrow(value);
  }

  std::string_view cell(const nb::object& string) const {
    return string.is_valid() ? text(string, "a cell") : std::string_view();
  }

  std::string_view text(nb::handle string, const char* what) const {
    if (!PyUnicode_Check(string.ptr()))
      refuse(fmt::format("{} must be a str, not {}", what, class_name(string)));
    return utf8(string);
  }

  [[noreturn]] void refuse(const std::string& message) const {
    throw nb::type_error(fmt::format("sentence {}, word {}: {}", sentence_ + 1, word_ + 1, message).c_str());
  }

  nb::object X_, y_;
  bool labelled_ = false;
  std::size_t sentence_ = 0;
  std::size_t word_ = 0;
};

Data dep_data(nb::handle X, nb::handle y, std::string what) {
  TreeReader reader(X, y);
  const SignalScope signals;
  return {Source(std::make_shared<dep::Trees>(reader.read(0, reader.size())), std::move(what))};
}

using Workspace = dep::Parser::Workspace;

struct Tree {
  double score = 0.0;
  std::vector<HeadId> heads;    // [words + 1]
  std::vector<LabelId> labels;  // [words + 1], or empty
};

class DepModel final : public Model {
 public:
  explicit DepModel(ModelFile file) : Model(std::move(file)), parser_(this->file()) {
    for (const std::string& name : parser_.labels().names())
      names_.push_back(nb::str(name.data(), name.size()));
  }

  nb::list labels() const {
    nb::list result;
    for (const nb::str& name : names_) result.append(name);
    return result;
  }

  nb::list predict(nb::handle X, int threads) const {
    return each<Tree>(
        X, threads,
        [this](Workspace& workspace, std::size_t, Tree& tree) {
          parser_.best(workspace);
          tree.heads.assign(workspace.heads().begin(), workspace.heads().end());
          tree.labels.assign(workspace.labels().begin(), workspace.labels().end());
        },
        [this](const Tree& tree) { return arcs(tree); });
  }

  // (tree, score) of the best trees, or their probabilities instead of scores.
  nb::list n_best(nb::handle X, int threads, std::size_t n, bool probabilities) const {
    parser_.check_n_best();
    return each<std::vector<Tree>>(
        X, threads,
        [this, n, probabilities](Workspace& workspace, std::size_t, std::vector<Tree>& trees) {
          trees.clear();
          std::vector<ScoredTree> best = parser_.n_best(n, workspace);
          const double sum = probabilities && !best.empty() ? parser_.log_sum(workspace) : 0.0;
          for (ScoredTree& scored : best) {
            const auto labels = parser_.label(scored.heads, workspace);
            const double score = probabilities ? std::exp(scored.score - sum) : scored.score;
            trees.push_back({score, std::move(scored.heads), {labels.begin(), labels.end()}});
          }
        },
        [this](const std::vector<Tree>& trees) {
          nb::list result;
          for (const Tree& tree : trees) result.append(nb::make_tuple(arcs(tree), tree.score));
          return result;
        });
  }

  // One array [words, words + 1] per sentence: P(head) of every word, the root first.
  nb::list marginals(nb::handle X, int threads) const {
    parser_.check_marginals();
    struct Table {
      std::size_t words = 0;
      std::vector<float> values;
    };
    return each<Table>(
        X, threads,
        [this](Workspace& workspace, std::size_t words, Table& table) {
          const auto p = parser_.marginals(workspace);
          table.words = words;
          table.values.resize(words * (words + 1));
          for (std::size_t m = 1; m <= words; ++m) {
            for (std::size_t h = 0; h <= words; ++h)
              table.values[(m - 1) * (words + 1) + h] = h == m ? 0.0f : p[h * workspace.stride() + m];
          }
        },
        [](Table& table) { return to_array(std::move(table.values), table.words, table.words + 1); });
  }

  // Per word (head, rival, margin, contributions, the same for its label or None, heads with the rival).
  nb::list explain(nb::handle x, nb::handle y, nb::handle rivals) const {
    const dep::Trees trees = TreeReader(nb::make_tuple(x), nb::none()).read(0, 1);
    nb::list result;
    if (trees.words(0) == 0) return result;
    Workspace workspace(parser_);
    parser_.score(trees, 0, workspace);
    const Tree rival = read_tree(x, rivals, "rival");
    Tree tree = read_tree(x, y, "y");
    parser_.best(workspace);
    if (tree.heads.empty()) {
      tree.heads.assign(workspace.heads().begin(), workspace.heads().end());
    }
    if (tree.labels.empty()) {
      const auto labels = parser_.label(tree.heads, workspace);
      tree.labels.assign(labels.begin(), labels.end());
    }
    std::vector<WordCells> words;
    for (std::size_t m = 1; m <= trees.words(0); ++m) words.push_back(trees.word(0, m));
    dep::Explainer explainer(parser_.plan(), parser_.labels(), parser_.weights());
    const auto best_other = [&](HeadId m) { return parser_.other_tree(tree.heads, m, workspace); };
    for (const dep::Explanation& word :
         explainer.explain(words, {tree.heads, tree.labels}, {rival.heads, rival.labels}, best_other)) {
      nb::object of_label = nb::none();
      if (!names_.empty())
        of_label = nb::make_tuple(names_[word.label], names_[word.rival_label], word.of_label.margin,
                                  contributions_of(word.of_label));
      result.append(nb::make_tuple(word.head, word.rival_head, word.of_head.margin,
                                   contributions_of(word.of_head), of_label, heads_of(word.rival_heads)));
    }
    return result;
  }

 private:
  // Without that of the root.
  static nb::list heads_of(std::span<const HeadId> heads) {
    nb::list result;
    for (std::size_t m = 1; m < heads.size(); ++m) result.append(heads[m]);
    return result;
  }

  static nb::list contributions_of(const dep::Reasons& reasons) {
    nb::list contributions;
    for (const auto& one : reasons.contributions)
      contributions.append(nb::make_tuple(one.feature, one.chosen, one.rival, 1.0, one.amount));
    return contributions;
  }

  // The tree of one sentence: empty if y is None, without labels if the model or
  // y has none.
  Tree read_tree(nb::handle x, nb::handle y, const char* what) const {
    Tree tree;
    if (y.is_none()) return tree;
    const std::size_t words = length(sequence(x, "x"));
    if (const std::size_t heads = length(sequence(y, what)); heads != words)
      fail<InputError>("the sentence has {} words, but {} has {} heads", words, what, heads);
    const dep::Trees trees = TreeReader(nb::make_tuple(x), nb::make_tuple(y)).read(0, 1);
    DependencyReader reader(trees.columns(), what, /*annotated=*/true, trees.labelled());
    reader.next();
    tree.heads.assign(reader.heads().begin(), reader.heads().end());
    if (names_.empty() || !trees.labelled()) return tree;
    tree.labels.push_back(0);
    for (std::size_t m = 1; m <= reader.words(); ++m) {
      const std::size_t id = parser_.labels().find(reader.label(m));
      if (id == names_.size())
        fail<InputError>("{}: the model has no label '{}'", reader.where(m), reader.label(m));
      tree.labels.push_back(static_cast<LabelId>(id));
    }
    return tree;
  }

  template <typename Answer, typename Decode, typename Give>
  nb::list each(nb::handle X, int threads, const Decode& decode, const Give& give) const {
    TreeReader reader(X, nb::none());
    return predict_each<Answer>(
        reader.size(), threads, [this] { return Workspace(parser_); },
        [&reader](std::size_t begin, std::size_t end) { return reader.read(begin, end); },
        [&](const dep::Trees& trees, std::size_t i, Workspace& workspace, Answer& answer) {
          answer = {};
          if (trees.words(i) == 0) return;  // a sentence without words has no tree
          parser_.score(trees, i, workspace);
          decode(workspace, trees.words(i), answer);
        },
        give);
  }

  // Heads, with labels if the model has them.
  nb::list arcs(const Tree& tree) const {
    nb::list result;
    for (std::size_t m = 1; m < tree.heads.size(); ++m) {
      const nb::int_ head(static_cast<std::size_t>(tree.heads[m]));
      if (tree.labels.empty()) {
        result.append(head);
      } else {
        result.append(nb::make_tuple(head, names_[tree.labels[m]]));
      }
    }
    return result;
  }

  dep::Parser parser_;
  std::vector<nb::str> names_;
};

}  // namespace

void bind_dep(nb::module_& m) {
  m.def("dep_data", &dep_data, nb::arg("X").none(), nb::arg("y").none(), nb::arg("what"), "Trees in memory.");
  auto model = nb::class_<DepModel, Model>(m, "DepModel");
  bind_opening(model, "dep");
  model.def_prop_ro("labels", &DepModel::labels)
      .def("predict", &DepModel::predict, nb::arg("X").none(), nb::arg("threads"))
      .def("n_best", &DepModel::n_best, nb::arg("X").none(), nb::arg("threads"), nb::arg("n"),
           nb::arg("probabilities"))
      .def("marginals", &DepModel::marginals, nb::arg("X").none(), nb::arg("threads"))
      .def("explain", &DepModel::explain, nb::arg("x").none(), nb::arg("y").none(), nb::arg("rivals").none());
}

}  // namespace hinge::python
