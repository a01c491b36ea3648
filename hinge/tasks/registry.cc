#include "hinge/tasks/registry.h"

#include <fmt/core.h>

#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/tasks/classify/options.h"
#include "hinge/tasks/constituents/options.h"
#include "hinge/tasks/coref/options.h"
#include "hinge/tasks/coref/templates.h"
#include "hinge/tasks/dep/options.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/tag/options.h"

namespace hinge {
namespace {

// Tuned on halves of the Multi30k development lists: docs/learners.md.
constexpr TaskRow::Setting kRerankSettings[] = {{"mira", "C", "0.001"}, {"mira", "epochs", "20"}};

// Tuned on held-out texts: docs/classify.md.
constexpr TaskRow::Setting kClassifySettings[] = {
    {"mira", "C", "0.1"}, {"dcd", "C", "0.3"}, {"crf", "C", "10"}};

// Tuned on the development part of the Penn sample: docs/const.md.
constexpr TaskRow::Setting kConstSettings[] = {{"mira", "C", "0.01"}, {"mira", "epochs", "15"}};

// Tuned on the development part of OntoGUM: docs/coref.md.
constexpr TaskRow::Setting kCorefSettings[] = {{"ops", "average", "true"},
                                               {"ops", "eta", "0.02"},
                                               {"ops", "epochs", "6"},
                                               {"mira", "epochs", "6"},
                                               {"perceptron", "epochs", "8"}};

// Tuned on the development topics of FewSum: docs/summarize.md.
constexpr TaskRow::Setting kSummarizeSettings[] = {{"mira", "C", "0.01"}};

constexpr TaskRow kTable[] = {
    {"tag", "label every token of a sentence: chunks, entities, parts of speech", tag::choose, tag::open,
     token_preset_table, "dcd"},
    {"dep", "dependency trees over the words of a sentence, projective or not, with labels", dep::choose,
     dep::open, factor_preset_table, "dcd"},
    {"rerank", "choose from n-best lists of any decoder, by a metric against references or by given costs",
     rerank::choose, rerank::open, nullptr, "mira", kRerankSettings},
    {"classify", "one label per line of text: topics, languages, sentiment", classify::choose, classify::open,
     nullptr, "mira", kClassifySettings},
    {"const", "phrase-structure trees over the words of a sentence", constituents::choose, constituents::open,
     nullptr, "mira", kConstSettings},
    {"coref", "clusters of the mentions in a document that mean the same", coref::choose, coref::open,
     coref::preset_table, "perceptron", kCorefSettings},
    {"summarize", "sentences of several documents that summarize them within a word limit", summarize::choose,
     summarize::open, nullptr, "mira", kSummarizeSettings},
};

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const TaskRow& row : kTable) result.push_back(row.name);
  return result;
}

}  // namespace

std::span<const TaskRow> task_table() { return kTable; }

std::vector<Preset> all_presets() {
  std::vector<Preset> all;
  for (const TaskRow& row : kTable) {
    if (row.presets == nullptr) continue;
    const std::span<const Preset> own = row.presets();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

const TaskRow& find_task(std::string_view name) {
  for (const TaskRow& row : kTable) {
    if (row.name == name) return row;
  }
  const std::string_view near = nearest_name(name, names());
  fail<OptionError>("there is no task '{}'{}; there are: {}", name,
                    near.empty() ? "" : fmt::format(", did you mean '{}'", near), join(names(), ", "));
}

std::unique_ptr<Predictor> open_predictor(const ModelFile& file) {
  const std::string task = file.description().task();
  for (const TaskRow& row : kTable) {
    if (row.name == task) return row.open(file);
  }
  fail<ModelError>(
      "{}: is a model of task '{}', which this build does not know (it knows: {}); upgrade hinge",
      file.name(), task, join(names(), ", "));
}

}  // namespace hinge
