// Data and models of the task summarize.
#include <nanobind/stl/string.h>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/tasks/summarize/explain.h"
#include "hinge/tasks/summarize/model.h"
#include "hinge/tasks/summarize/reader.h"
#include "python/src/brackets.h"
#include "python/src/model.h"
#include "python/src/predict_each.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

using summarize::Summarizer;
using summarize::Summary;
using summarize::SummarySentence;
using summarize::Topic;

// X: a list of topics, each a list of documents, each a str or a list of sentences, which may
// be trees.
// y: None, or for each topic a list of references.
class TopicListReader {
 public:
  TopicListReader(nb::handle X, nb::handle y)
      : X_(sequence(X, "X")), y_(y.is_none() ? nb::object() : sequence(y, "y")) {
    if (y_.is_valid() && length(y_) != length(X_))
      fail<InputError>("X has {} topics, but y has references for {}; they must match", length(X_),
                       length(y_));
  }

  std::vector<Topic> read() {
    std::vector<Topic> topics;
    for (std::size_t t = 0; t < length(X_); ++t) {
      Topic& topic = topics.emplace_back();
      const std::string where = fmt::format("topic {}", t + 1);
      const nb::object documents = sequence(item(X_, t), where + " of X");
      for (std::size_t d = 0; d < length(documents); ++d) {
        check_interrupt();
        topic.documents.push_back(
            document_of(item(documents, d), fmt::format("{}, document {}", where, d + 1)));
      }
      if (y_.is_valid()) topic.references = strings(item(y_, t), where + " of y", "a reference");
    }
    return topics;
  }

 private:
  summarize::Document document_of(const nb::object& given, const std::string& where) {
    if (PyUnicode_Check(given.ptr())) return {"", std::string(utf8(given)), {}};
    if (PyBytes_Check(given.ptr()) || !nb::hasattr(given, "__len__"))
      throw nb::type_error(
          fmt::format("{}: must be a str or a list of sentences, not {}", where, class_name(given)).c_str());
    if (is_tree(given) && !PyTuple_Check(given.ptr()))
      throw nb::type_error(fmt::format("{}: is a tree; a document is a list of them", where).c_str());
    const nb::object list = sequence(given, where);
    summarize::Document document;
    for (std::size_t i = 0; i < length(list); ++i) {
      const nb::object sentence = item(list, i);
      if (is_tree(sentence)) {
        trees_.append_tree(sentence, fmt::format("{}, sentence {}", where, i + 1),
                           document.trees.emplace_back());
      } else {
        document.sentences.push_back(string_of(sentence, where, "a sentence", "a str or a tree"));
      }
    }
    if (!document.trees.empty() && !document.sentences.empty())
      fail<InputError>("{}: some of its sentences are trees; give all of them trees", where);
    return document;
  }

  static std::vector<std::string> strings(const nb::object& given, const std::string& where,
                                          std::string_view what) {
    const nb::object list = sequence(given, where);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < length(list); ++i) {
      result.push_back(string_of(item(list, i), where, what, "a str"));
    }
    return result;
  }

  static std::string string_of(const nb::object& text, const std::string& where, std::string_view what,
                               std::string_view expected) {
    if (!PyUnicode_Check(text.ptr()))
      throw nb::type_error(
          fmt::format("{}: {} must be {}, not {}", where, what, expected, class_name(text)).c_str());
    return std::string(utf8(text));
  }

  nb::object X_, y_;
  BracketObjects trees_;
};

Data summarize_data(nb::handle X, nb::handle y, std::string what) {
  const SignalScope signals;
  return {Source(std::make_shared<summarize::Topics>(TopicListReader(X, y).read()), std::move(what))};
}

// (document, sentence, text, whether parts were cut); numbers from 0.
nb::tuple to_python(const SummarySentence& sentence) {
  return nb::make_tuple(sentence.document, sentence.position, sentence.text, sentence.cut);
}

class SummarizeModel final : public Model {
 public:
  explicit SummarizeModel(ModelFile file) : Model(std::move(file)), summarizer_(this->file()) {}

  // Per topic (sentences, words, score, bound, exact).
  nb::list predict(const Data& data, int threads) const {
    const std::vector<Topic> topics = read(data);
    return predict_each<Summary>(
        topics.size(), threads, [this] { return Summarizer::Workspace(summarizer_); },
        [](std::size_t begin, std::size_t) { return begin; },
        [&](std::size_t begin, std::size_t i, Summarizer::Workspace& workspace, Summary& summary) {
          summary = summarizer_.summarize(topics[begin + i], workspace);
        },
        [](const Summary& summary) {
          nb::list sentences;
          for (const SummarySentence& sentence : summary.sentences) sentences.append(to_python(sentence));
          return nb::make_tuple(sentences, summary.words, summary.score, summary.bound, summary.exact);
        });
  }

  // Per sentence of the only topic's summary (sentence, own, loss, [(bigram, amount, shared)]).
  nb::list explain(const Data& data) const {
    const std::vector<Topic> topics = read(data);
    if (topics.size() != 1)
      fail<InputError>("{} topics were given, but one is explained at a time", topics.size());
    std::vector<summarize::SentenceExplanation> explanations;
    {
      const nb::gil_scoped_release release;
      const SignalScope signals;
      Summarizer::Workspace workspace(summarizer_);
      explanations = summarize::explain(summarizer_, topics[0], workspace);
    }
    nb::list result;
    for (const summarize::SentenceExplanation& why : explanations) {
      nb::list parts;
      for (const summarize::Contribution& part : why.contributions)
        parts.append(nb::make_tuple(part.bigram, part.amount, part.shared));
      result.append(nb::make_tuple(to_python(why.sentence), why.own, why.loss, parts));
    }
    return result;
  }

 private:
  std::vector<Topic> read(const Data& data) const {
    const nb::gil_scoped_release release;
    const SignalScope signals;
    summarize::TopicReader reader(data.source, summarizer_.plan().encoding);
    std::vector<Topic> topics;
    for (Topic topic; reader.next(topic);) topics.push_back(std::move(topic));
    return topics;
  }

  Summarizer summarizer_;
};

}  // namespace

void bind_summarize(nb::module_& m) {
  m.def("summarize_data", &summarize_data, nb::arg("X"), nb::arg("y").none(), nb::arg("what"),
        "Topics in memory.");
  auto model = nb::class_<SummarizeModel, Model>(m, "SummarizeModel");
  bind_opening(model, "summarize");
  model.def("predict", &SummarizeModel::predict, nb::arg("data"), nb::arg("threads"))
      .def("explain", &SummarizeModel::explain, nb::arg("data"));
}

}  // namespace hinge::python
