// Data and models of the task classify.
#include <nanobind/stl/string.h>

#include "hinge/core/error.h"
#include "hinge/tasks/classify/decoder.h"
#include "hinge/tasks/classify/model.h"
#include "python/src/model.h"
#include "python/src/predict_each.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

// X: a list of str. y: None, or a list with a str for each.
class TextListReader {
 public:
  TextListReader(nb::handle X, nb::handle y)
      : X_(sequence(X, "X")), y_(y.is_none() ? nb::object() : sequence(y, "y")) {
    if (y_.is_valid() && length(y_) != length(X_))
      fail<InputError>("X has {} texts, but y has {} labels; they must match", length(X_), length(y_));
  }

  std::size_t size() const { return length(X_); }

  // Texts [begin, end). Needs the GIL.
  classify::Texts read(std::size_t begin, std::size_t end) const {
    classify::Texts texts(y_.is_valid());
    for (std::size_t i = begin; i < end; ++i) {
      const nb::object text = string(X_, i, "text");
      if (y_.is_valid()) {
        const nb::object label = string(y_, i, "label");
        texts.add(utf8(text), utf8(label));
      } else {
        texts.add(utf8(text));
      }
    }
    return texts;
  }

 private:
  static nb::object string(const nb::object& list, std::size_t i, const char* what) {
    nb::object given = item(list, i);
    if (!PyUnicode_Check(given.ptr()))
      throw nb::type_error(
          fmt::format("text {}: a {} must be a str, not {}", i + 1, what, class_name(given)).c_str());
    return given;
  }

  nb::object X_, y_;
};

Data classify_data(nb::handle X, nb::handle y, std::string what) {
  const SignalScope signals;
  const TextListReader reader(X, y);
  return {Source(std::make_shared<classify::Texts>(reader.read(0, reader.size())), std::move(what))};
}

class ClassifyModel final : public Model {
 public:
  explicit ClassifyModel(ModelFile file) : Model(std::move(file)), classifier_(this->file()) {
    for (const std::string& name : classifier_.labels().names())
      names_.push_back(nb::str(name.data(), name.size()));
  }

  nb::list labels() const {
    nb::list result;
    for (const nb::str& name : names_) result.append(name);
    return result;
  }

  // The texts of a file in the format of the training data, without labels.
  nb::list read(const std::string& path) const {
    const SignalScope signals;
    const Source source = existing_files(path);
    classify::TextReader reader(source, classifier_.format(), /*labelled=*/false);
    nb::list result;
    while (reader.next()) result.append(nb::str(reader.text().data(), reader.text().size()));
    return result;
  }

  nb::list predict(nb::handle X, int threads) const {
    return each<std::size_t>(
        X, threads, [](std::span<float> scores, std::size_t& best) { best = classify::best_of(scores); },
        [this](std::size_t best) { return names_[best]; });
  }

  // [texts, labels]: scores, or probabilities.
  nb::object scores(nb::handle X, int threads, bool marginals) const {
    std::vector<float> all;
    const nb::list rows = each<std::vector<float>>(
        X, threads,
        [marginals](std::span<float> scores, std::vector<float>& row) {
          if (marginals) classify::softmax(scores);
          row.assign(scores.begin(), scores.end());
        },
        [&all](const std::vector<float>& row) {
          all.insert(all.end(), row.begin(), row.end());
          return nb::none();
        });
    return to_array(std::move(all), rows.size(), names_.size());
  }

  // Why `label` ("" for the best) and not `rival` ("" for the best other):
  // (label, rival, margin, [(feature, value, amount)]).
  nb::tuple explain(const std::string& text, const std::string& label, const std::string& rival) const {
    if (find_bad_byte(text) != std::string_view::npos) fail<InputError>("the text has a NUL byte; remove it");
    classify::Classifier::Workspace workspace(classifier_);
    std::vector<std::size_t> best;
    classify::k_best(classifier_.scores(text, workspace), 2, best);
    const std::size_t chosen = label.empty() ? best[0] : id_of(label);
    const std::size_t other = !rival.empty() ? id_of(rival) : best[0] != chosen ? best[0] : best.back();
    const classify::Explanation why = classifier_.explain(text, chosen, other, workspace);
    nb::list parts;
    for (const classify::Contribution& part : why.contributions)
      parts.append(nb::make_tuple(part.feature, part.value, part.amount));
    return nb::make_tuple(names_[chosen], names_[other], why.margin, parts);
  }

 private:
  std::size_t id_of(const std::string& label) const {
    const std::size_t id = classifier_.labels().find(label);
    if (id == names_.size()) fail<InputError>("the model has no label '{}'", label);
    return id;
  }

  // Calls decide(scores, answer), then give(answer), for every text.
  template <typename Answer, typename Decide, typename Give>
  nb::list each(nb::handle X, int threads, const Decide& decide, const Give& give) const {
    const TextListReader reader(X, nb::none());
    return predict_each<Answer>(
        reader.size(), threads, [this] { return classify::Classifier::Workspace(classifier_); },
        [&reader](std::size_t begin, std::size_t end) { return reader.read(begin, end); },
        [&](const classify::Texts& texts, std::size_t i, classify::Classifier::Workspace& workspace,
            Answer& answer) { decide(classifier_.scores(texts.text(i), workspace), answer); },
        give);
  }

  classify::Classifier classifier_;
  std::vector<nb::str> names_;
};

}  // namespace

void bind_classify(nb::module_& m) {
  m.def("classify_data", &classify_data, nb::arg("X").none(), nb::arg("y").none(), nb::arg("what"),
        "Texts in memory.");
  auto model = nb::class_<ClassifyModel, Model>(m, "ClassifyModel");
  bind_opening(model, "classify");
  model.def_prop_ro("labels", &ClassifyModel::labels)
      .def("read", &ClassifyModel::read, nb::arg("path"))
      .def("predict", &ClassifyModel::predict, nb::arg("X").none(), nb::arg("threads"))
      .def("scores", &ClassifyModel::scores, nb::arg("X").none(), nb::arg("threads"), nb::arg("marginals"))
      .def("explain", &ClassifyModel::explain, nb::arg("text"), nb::arg("label"), nb::arg("rival"));
}

}  // namespace hinge::python
