// Data and models of the task tag.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "hinge/core/error.h"
#include "hinge/tasks/tag/model.h"
#include "python/src/model.h"
#include "python/src/predict_each.h"
#include "python/src/sentences.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

TokenLists token_lists(bool attributes) { return attributes ? TokenLists::kAttributes : TokenLists::kCells; }

Data tag_data(nb::handle X, nb::handle y, bool lists_are_attributes, std::string what) {
  SentenceReader reader(X, y, token_lists(lists_are_attributes));
  const SignalScope signals;
  return {Source(std::make_shared<tag::Sentences>(reader.read(0, reader.size())), std::move(what))};
}

nb::str text(std::string_view utf8) { return nb::str(utf8.data(), utf8.size()); }

nb::list dicts(const tag::AttributeRows& rows) {
  nb::list tokens;
  for (std::size_t t = 0; t < rows.tokens(); ++t) {
    nb::dict token;
    for (std::size_t k = rows.begin[t]; k < rows.begin[t + 1]; ++k)
      token[text(rows.name(k))] = rows.values[k];
    tokens.append(token);
  }
  return tokens;
}

class TagModel final : public Model {
 public:
  explicit TagModel(ModelFile file) : Model(std::move(file)), tagger_(this->file()) {
    for (const std::string& name : tagger_.labels().names()) names_.push_back(text(name));
  }

  nb::list labels() const {
    nb::list result;
    for (const nb::str& name : names_) result.append(name);
    return result;
  }
  bool reads_attributes() const { return tagger_.reads_attributes(); }

  // What sentences without tokens are read as.
  TokenShape shape() const {
    return {tagger_.reads_attributes(), std::max<std::size_t>(1, tagger_.layout().observed_columns)};
  }

  // The sentences of a file in the format of the training data, without labels.
  nb::list read(const std::string& path) const {
    tag::TagReader reader(existing_files(path), tagger_.layout(), /*labelled=*/false);
    nb::list result;
    const SignalScope signals;
    while (reader.next())
      result.append(reader.has_attributes() ? dicts(reader.attributes()) : cells(reader.cells()));
    return result;
  }

  nb::list predict(nb::handle X, bool lists, int threads) const {
    using Path = std::vector<LabelId>;
    return each<Path>(
        X, lists, threads,
        [this](tag::Tagger::Workspace& workspace, std::size_t, Path& path) {
          const auto best = tagger_.best(workspace);
          path.assign(best.begin(), best.end());
        },
        [this](const Path& path) { return names_of(path); });
  }

  // (labels, score) of the best sequences, or their probabilities instead of scores.
  nb::list n_best(nb::handle X, bool lists, int threads, std::size_t n, bool probabilities) const {
    struct Ranked {
      std::vector<ScoredPath> paths;
      double log_sum = 0.0;
    };
    return each<Ranked>(
        X, lists, threads,
        [this, n, probabilities](tag::Tagger::Workspace& workspace, std::size_t, Ranked& ranked) {
          ranked.paths = tagger_.n_best(n, workspace);
          if (probabilities && !ranked.paths.empty()) ranked.log_sum = tagger_.log_sum(workspace);
        },
        [this, probabilities](const Ranked& ranked) {
          nb::list result;
          for (const ScoredPath& path : ranked.paths) {
            const double score = path.score;
            result.append(nb::make_tuple(names_of(path.labels),
                                         probabilities ? std::exp(score - ranked.log_sum) : score));
          }
          return result;
        });
  }

  // One array [tokens, labels] per sentence.
  nb::list marginals(nb::handle X, bool lists, int threads) const {
    struct Table {
      std::size_t tokens = 0;
      std::vector<float> values;
    };
    const std::size_t labels = names_.size();
    return each<Table>(
        X, lists, threads,
        [this, labels](tag::Tagger::Workspace& workspace, std::size_t tokens, Table& table) {
          table.tokens = tokens;
          table.values.resize(tokens * labels);
          if (tokens == 0) return;
          const auto p = tagger_.marginals(workspace);
          const std::size_t stride = tagger_.stride();
          for (std::size_t k = 0; k < table.values.size(); ++k)
            table.values[k] = p[k / labels * stride + k % labels];
        },
        [labels](Table& table) { return to_array(std::move(table.values), table.tokens, labels); });
  }

  // For one sentence. rivals: None, or labels to compare with.
  nb::list explain(nb::handle x, nb::handle path, nb::handle rivals, bool lists) const {
    nb::list one;
    one.append(x);
    SentenceReader reader(one, nb::none(), token_lists(lists), shape());
    const tag::Sentences sentences = reader.read(0, 1);
    tag::Tagger::Workspace workspace(tagger_);
    tagger_.score(sentences, 0, workspace);
    const std::size_t tokens = sentences.tokens(0);
    std::vector<LabelId> chosen = ids_of(path, tokens, "y");
    if (path.is_none()) {
      const auto best = tagger_.best(workspace);
      chosen.assign(best.begin(), best.end());
    }
    nb::list result;
    for (const tag::Explanation& token :
         tagger_.explain(chosen, ids_of(rivals, tokens, "rival"), workspace)) {
      nb::list contributions;
      for (const auto& one : token.contributions)
        contributions.append(
            nb::make_tuple(one.token, one.feature, one.label, one.rival, one.value, one.amount));
      result.append(nb::make_tuple(names_[token.label], names_[token.rival], token.margin, contributions,
                                   names_of(token.rivals)));
    }
    return result;
  }

  // The log of the probability of the labels of one sentence.
  double log_probability(nb::handle x, nb::handle labels, bool lists) const {
    nb::list one;
    one.append(x);
    SentenceReader reader(one, nb::none(), token_lists(lists), shape());
    const tag::Sentences sentences = reader.read(0, 1);
    if (sentences.tokens(0) == 0) return 0.0;
    tag::Tagger::Workspace workspace(tagger_);
    tagger_.score(sentences, 0, workspace);
    const std::vector<LabelId> path = ids_of(labels, sentences.tokens(0), "y");
    return tagger_.score_of(path, workspace) - tagger_.log_sum(workspace);
  }

  // All non-zero (feature, label, weight).
  nb::list state_weights() const {
    nb::list result;
    for (const tag::StateWeight& line : tagger_.state_weights())
      result.append(nb::make_tuple(line.feature, names_[line.label], double{line.weight}));
    return result;
  }

  // All non-zero (from, to, weight).
  nb::list transitions() const {
    nb::list result;
    const auto weights = tagger_.transitions();
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] != 0.0f)
        result.append(
            nb::make_tuple(names_[k / names_.size()], names_[k % names_.size()], double{weights[k]}));
    }
    return result;
  }

 private:
  static nb::list cells(const Cells& cells) {
    nb::list tokens;
    for (std::size_t t = 0; t < cells.tokens(); ++t) {
      nb::list token;
      for (std::size_t c = 0; c < cells.columns.size(); ++c) token.append(text(cells.at(t, c)));
      tokens.append(nb::tuple(token));
    }
    return tokens;
  }

  // Calls decode(workspace, tokens, answer), then give(answer), for every sentence.
  template <typename Answer, typename Decode, typename Give>
  nb::list each(nb::handle X, bool lists, int threads, const Decode& decode, const Give& give) const {
    SentenceReader reader(X, nb::none(), token_lists(lists), shape());
    std::size_t before = 0;  // sentences of earlier chunks that the model reads
    return predict_each<Answer>(
        reader.size(), threads, [this] { return tag::Tagger::Workspace(tagger_); },
        [&](std::size_t begin, std::size_t end) {
          before = std::min(begin, tagger_.lookback());
          return reader.read(begin - before, end);
        },
        [&](const tag::Sentences& sentences, std::size_t i, tag::Tagger::Workspace& workspace,
            Answer& answer) {
          tagger_.score(sentences, before + i, workspace);
          decode(workspace, sentences.tokens(before + i), answer);
        },
        give);
  }

  nb::object names_of(std::span<const LabelId> path) const {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(path.size())));
    if (!list.is_valid()) throw nb::python_error();
    for (std::size_t t = 0; t < path.size(); ++t)
      PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(t), nb::borrow(names_[path[t]]).release().ptr());
    return list;
  }

  std::vector<LabelId> ids_of(nb::handle labels, std::size_t tokens, const char* what) const {
    std::vector<LabelId> ids;
    if (labels.is_none()) return ids;
    const nb::object given = sequence(labels, what);
    if (length(given) != tokens)
      fail<InputError>("the sentence has {} tokens, but {} has {} labels", tokens, what, length(given));
    for (std::size_t t = 0; t < tokens; ++t) {
      const nb::object name = item(given, t);
      if (!PyUnicode_Check(name.ptr()))
        throw nb::type_error(
            fmt::format("token {}: a label must be a str, not {}", t + 1, class_name(name)).c_str());
      const std::size_t id = tagger_.labels().find(utf8(name));
      if (id == names_.size()) fail<InputError>("token {}: the model has no label '{}'", t + 1, utf8(name));
      ids.push_back(static_cast<LabelId>(id));
    }
    return ids;
  }

  tag::Tagger tagger_;
  std::vector<nb::str> names_;
};

}  // namespace

void bind_tag(nb::module_& m) {
  m.def("tag_data", &tag_data, nb::arg("X").none(), nb::arg("y").none(), nb::arg("lists_are_attributes"),
        nb::arg("what"), "Sentences in memory.");
  auto model = nb::class_<TagModel, Model>(m, "TagModel");
  bind_opening(model, "tag");
  model.def_prop_ro("labels", &TagModel::labels)
      .def_prop_ro("reads_attributes", &TagModel::reads_attributes)
      .def("read", &TagModel::read, nb::arg("path"))
      .def("predict", &TagModel::predict, nb::arg("X").none(), nb::arg("lists_are_attributes"),
           nb::arg("threads"))
      .def("n_best", &TagModel::n_best, nb::arg("X").none(), nb::arg("lists_are_attributes"),
           nb::arg("threads"), nb::arg("n"), nb::arg("probabilities"))
      .def("marginals", &TagModel::marginals, nb::arg("X").none(), nb::arg("lists_are_attributes"),
           nb::arg("threads"))
      .def("explain", &TagModel::explain, nb::arg("x").none(), nb::arg("path").none(),
           nb::arg("rivals").none(), nb::arg("lists_are_attributes"))
      .def("log_probability", &TagModel::log_probability, nb::arg("x").none(), nb::arg("labels"),
           nb::arg("lists_are_attributes"))
      .def("state_weights", &TagModel::state_weights)
      .def("transitions", &TagModel::transitions);
}

}  // namespace hinge::python
