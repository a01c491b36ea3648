// Data and models of the task rerank.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/tasks/rerank/memory.h"
#include "hinge/tasks/rerank/model.h"
#include "hinge/tasks/rerank/reader.h"
#include "python/src/model.h"
#include "python/src/text.h"
#include "python/src/training.h"

namespace hinge::python {
namespace {

// X: lists of hypotheses, each (text, features), (text, features, score) or a
// dict with these keys. costs: None, or a number for each.
class ListReader {
 public:
  ListReader(nb::handle X, nb::handle costs)
      : X_(sequence(X, "X")), costs_(costs.is_none() ? nb::object() : sequence(costs, "y")) {
    if (costs_.is_valid() && length(costs_) != length(X_))
      fail<InputError>("X has {} lists, but y has {}; they must match", length(X_), length(costs_));
  }

  NBestLists read() {
    NBestBuilder builder;
    for (list_ = 0; list_ < length(X_); ++list_) {
      check_interrupt();
      const nb::object hypotheses = sequence(item(X_, list_), fmt::format("list {} of X", list_ + 1));
      const nb::object costs = costs_.is_valid()
                                   ? sequence(item(costs_, list_), fmt::format("list {} of y", list_ + 1))
                                   : nb::object();
      const std::size_t n = length(hypotheses);
      if (n == 0) fail<InputError>("list {} has no hypotheses; leave it out", list_ + 1);
      if (costs.is_valid() && length(costs) != n)
        fail<InputError>("list {}: X has {} hypotheses, but y has {} costs", list_ + 1, n, length(costs));
      for (hypothesis_ = 0; hypothesis_ < n; ++hypothesis_)
        add(item(hypotheses, hypothesis_), costs.is_valid() ? item(costs, hypothesis_) : nb::object(),
            builder);
    }
    return builder.finish();
  }

 private:
  void add(const nb::object& given, const nb::object& cost, NBestBuilder& builder) {
    nb::object text, features, score;
    if (PyDict_Check(given.ptr())) {
      text = field(given, "text");
      features = field(given, "features");
      score = field(given, "score");
    } else if ((PyTuple_Check(given.ptr()) || PyList_Check(given.ptr())) &&
               (length(given) == 2 || length(given) == 3)) {
      text = item(given, 0);
      features = item(given, 1);
      if (length(given) == 3) score = item(given, 2);
    } else {
      refuse("a hypothesis is (text, features), (text, features, score) or a dict with these names");
    }
    Hypothesis hypothesis{.id = list_};
    if (text.is_valid()) {
      if (!PyUnicode_Check(text.ptr()))
        refuse(fmt::format("the text must be a str, not {}", class_name(text)));
      hypothesis.text = utf8(text);
    }
    add_features(features, builder, hypothesis);
    if (score.is_valid()) hypothesis.score = number(score, "the score");
    if (cost.is_valid()) hypothesis.cost = number(cost, "the cost");
    builder.add(hypothesis, {.file = where_ = where()});
  }

  void add_features(const nb::object& features, NBestBuilder& builder, Hypothesis& hypothesis) {
    if (!features.is_valid() || !PyDict_Check(features.ptr()))
      refuse("features must be a dict of names and numbers");
    each_item(features, [&](const nb::object& name, const nb::object& value) {
      if (!PyUnicode_Check(name.ptr())) refuse("the name of a feature must be a str");
      hypothesis.entries.push_back({builder.feature(utf8(name)), number(value, utf8(name))});
    });
  }

  static nb::object field(const nb::object& hypothesis, const char* name) {
    PyObject* value = PyDict_GetItemString(hypothesis.ptr(), name);
    return value == nullptr || value == Py_None ? nb::object() : nb::borrow(value);
  }

  float number(const nb::object& value, std::string_view what) const {
    const double result = PyFloat_AsDouble(value.ptr());
    if (result == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(fmt::format("{} must be a number, not {}", what, class_name(value)));
    }
    if (!std::isfinite(static_cast<float>(result)))
      fail<InputError>("{}: {} is {}; values must be finite", where(), what, result);
    return static_cast<float>(result);
  }

  std::string where() const { return fmt::format("list {}, hypothesis {}", list_ + 1, hypothesis_ + 1); }
  [[noreturn]] void refuse(const std::string& message) const {
    throw nb::type_error(fmt::format("{}: {}", where(), message).c_str());
  }

  nb::object X_, costs_;
  std::size_t list_ = 0;
  std::size_t hypothesis_ = 0;
  std::string where_;
};

// A list of references for each sentence, all of the same length.
References references_from(nb::handle given, std::size_t sentences) {
  const nb::object rows = sequence(given, "y");
  if (length(rows) != sentences)
    fail<InputError>("X has {} lists, but y has references for {}", sentences, length(rows));
  std::vector<std::vector<std::string>> files;
  for (std::size_t s = 0; s < sentences; ++s) {
    check_interrupt();
    const nb::object texts = sequence(item(rows, s), fmt::format("item {} of y", s + 1));
    if (s == 0) files.resize(length(texts));
    if (length(texts) != files.size() || files.empty())
      fail<InputError>(
          "sentence {} has {} references, the first has {}; give all the same number, at least one", s + 1,
          length(texts), files.size());
    for (std::size_t r = 0; r < files.size(); ++r) {
      const nb::object text = item(texts, r);
      if (!PyUnicode_Check(text.ptr()))
        throw nb::type_error(
            fmt::format("sentence {}: a reference is a str, not {}", s + 1, class_name(text)).c_str());
      files[r].emplace_back(utf8(text));
    }
  }
  return references_of(files);
}

Data rerank_data(nb::handle X, nb::handle references, nb::handle costs, std::string what) {
  const SignalScope signals;
  NBestLists lists = ListReader(X, costs).read();
  References texts = references.is_none() ? References() : references_from(references, lists.lists());
  return {Source(std::make_shared<rerank::Lists>(std::move(lists), std::move(texts)), std::move(what))};
}

class RerankModel final : public Model {
 public:
  explicit RerankModel(ModelFile file) : Model(std::move(file)), reranker_(this->file()) {}

  // One list of scores per n-best list.
  std::vector<std::vector<double>> scores(nb::handle X, int threads) const {
    const SignalScope signals;
    return scores_of(ListReader(X, nb::none()).read(), threads);
  }

  // For lists in a file; `cost` names the feature that holds the cost, "" for none.
  std::vector<std::vector<double>> file_scores(const std::string& path, const std::string& cost,
                                               int threads) const {
    const SignalScope signals;
    const Source source = existing_files(path);
    return scores_of(rerank::read_lists(source, {.cost_feature = cost, .cost_optional = true}), threads);
  }

  // (feature, its contribution to the score difference of two hypotheses of the list x).
  nb::list contributions(nb::handle x, std::int64_t chosen, std::int64_t rival) const {
    nb::list one;
    one.append(x);
    const NBestLists lists = reranker_.under_model(ListReader(one, nb::none()).read());
    const auto n = static_cast<std::int64_t>(lists.hypotheses());
    if (chosen < 0 || chosen >= n || rival < 0 || rival >= n)
      fail<InputError>("the list has {} hypotheses, from 0 on; {} or {} is not among them", n, chosen, rival);
    std::map<std::uint32_t, double> parts;
    const auto add = [&](std::int64_t hypothesis, double sign) {
      const FeatureRow row = lists.row(static_cast<std::size_t>(hypothesis));
      for (std::size_t k = 0; k < row.features.size(); ++k)
        parts[row.features[k]] += sign * double{row.values[k]} * double{reranker_.weights()[row.features[k]]};
    };
    add(chosen, 1.0);
    add(rival, -1.0);
    nb::list result;
    for (const auto& [feature, part] : parts) {
      if (part != 0.0) result.append(nb::make_tuple(reranker_.names()[feature], part));
    }
    return result;
  }

 private:
  std::vector<std::vector<double>> scores_of(const NBestLists& lists, int threads) const {
    const nb::gil_scoped_release release;
    Workers workers(thread_count(threads));
    const std::vector<double> all = reranker_.scores(lists, workers);
    std::vector<std::vector<double>> result;
    for (std::size_t l = 0; l < lists.lists(); ++l)
      result.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(lists.begin(l)),
                          all.begin() + static_cast<std::ptrdiff_t>(lists.end(l)));
    return result;
  }

  rerank::Reranker reranker_;
};

}  // namespace

void bind_rerank(nb::module_& m) {
  m.def("rerank_data", &rerank_data, nb::arg("X").none(), nb::arg("references").none(),
        nb::arg("costs").none(), nb::arg("what"), "N-best lists in memory.");
  auto model = nb::class_<RerankModel, Model>(m, "RerankModel");
  bind_opening(model, "rerank");
  model.def("scores", &RerankModel::scores, nb::arg("X").none(), nb::arg("threads"))
      .def("file_scores", &RerankModel::file_scores, nb::arg("path"), nb::arg("cost"), nb::arg("threads"))
      .def("contributions", &RerankModel::contributions, nb::arg("x").none(), nb::arg("chosen"),
           nb::arg("rival"));
}

}  // namespace hinge::python
