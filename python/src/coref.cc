// Data and models of the task coref.
#include <nanobind/stl/string.h>

#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/tasks/coref/explain.h"
#include "hinge/tasks/coref/html.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/coref/writer.h"
#include "hinge/tasks/html.h"
#include "python/src/model.h"
#include "python/src/predict_each.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

using coref::Resolver;
using coref::Span;

std::string text_of(const nb::object& document, std::size_t i) {
  if (!PyUnicode_Check(document.ptr()))
    throw nb::type_error(
        fmt::format("document {} must be a str in CoNLL-U or CoNLL-2012, not {}", i + 1, class_name(document))
            .c_str());
  std::string text(utf8(document));
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

// Documents as one text.
Data coref_data(nb::handle X, std::string what) {
  const SignalScope signals;
  const nb::object documents = sequence(X, "X");
  std::string text;
  for (std::size_t i = 0; i < length(documents); ++i) {
    check_interrupt();
    text += text_of(item(documents, i), i);
    if (!text.empty() && !text.ends_with("\n\n")) text += '\n';
  }
  return {Source::of_text(std::move(text), std::move(what))};
}

std::optional<Span> span_of(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  const nb::object pair = sequence(object, "a mention");
  if (length(pair) != 2) throw nb::type_error("a mention is (begin, end), two numbers of words");
  return Span{nb::cast<std::uint32_t>(item(pair, 0)), nb::cast<std::uint32_t>(item(pair, 1))};
}

nb::object to_python(const std::optional<Span>& span) {
  if (!span) return nb::none();
  return nb::make_tuple(span->begin, span->end);
}

class CorefModel final : public Model {
 public:
  explicit CorefModel(ModelFile file) : Model(std::move(file)), resolver_(this->file()) {}

  // Per document its clusters, each a list of (begin, end).
  nb::list predict(const Data& data, int threads) const {
    const std::vector<Document> documents = read(data);
    return predict_each<std::vector<Mention>>(
        documents.size(), threads, [this] { return Resolver::Workspace(resolver_); },
        [](std::size_t begin, std::size_t) { return begin; },
        [&](std::size_t begin, std::size_t i, Resolver::Workspace& workspace,
            std::vector<Mention>& mentions) {
          mentions = resolver_.resolve(documents[begin + i], workspace);
        },
        [](const std::vector<Mention>& mentions) {
          nb::list clusters;
          for (const Mention& mention : mentions) {
            while (nb::len(clusters) <= mention.cluster) clusters.append(nb::list());
            nb::cast<nb::list>(clusters[mention.cluster]).append(nb::make_tuple(mention.begin, mention.end));
          }
          return clusters;
        });
  }

  // The documents as `hinge predict` writes them.
  nb::str text(const Data& data, int threads, bool html) const {
    std::string result = html ? html_begin(coref::kPageTitle) : "";
    {
      const nb::gil_scoped_release release;
      const SignalScope signals;
      Workers workers(thread_count(threads));
      coref::write_resolved(resolver_, data.source, html ? coref::Page::kHtml : coref::Page::kText, workers,
                            append_to(result));
    }
    if (html) result += html_end();
    return nb::str(result.data(), result.size());
  }

  // (chosen, rival, margin, [(feature, contribution)]) for a mention of the first document.
  nb::tuple explain(const Data& data, nb::handle mention, nb::handle antecedent) const {
    const std::vector<Document> documents = read(data);
    if (documents.size() != 1)
      fail<InputError>("{} documents were given, but one is explained at a time", documents.size());
    const auto span = span_of(mention);
    if (!span) throw nb::type_error("a mention is (begin, end), two numbers of words");
    const coref::Explanation why = coref::explain(resolver_, documents[0], *span, span_of(antecedent));
    nb::list parts;
    for (const coref::Contribution& part : why.contributions)
      parts.append(nb::make_tuple(part.feature, part.amount));
    return nb::make_tuple(to_python(why.chosen), to_python(why.rival), why.margin, parts);
  }

 private:
  static std::vector<Document> read(const Data& data) {
    const nb::gil_scoped_release release;
    const SignalScope signals;
    DocumentReader reader(data.source.input());
    std::vector<Document> documents;
    for (Document document; reader.next(document);) {
      check_interrupt();
      documents.push_back(std::move(document));
    }
    return documents;
  }

  Resolver resolver_;
};

}  // namespace

void bind_coref(nb::module_& m) {
  m.def("coref_data", &coref_data, nb::arg("X"), nb::arg("what"), "Documents in memory.");
  auto model = nb::class_<CorefModel, Model>(m, "CorefModel");
  bind_opening(model, "coref");
  model.def("predict", &CorefModel::predict, nb::arg("data"), nb::arg("threads"))
      .def("text", &CorefModel::text, nb::arg("data"), nb::arg("threads"), nb::arg("html"))
      .def("explain", &CorefModel::explain, nb::arg("data"), nb::arg("mention"),
           nb::arg("antecedent").none());
}

}  // namespace hinge::python
