#include "hinge/pipeline/annotate.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/corpus/columns.h"
#include "hinge/corpus/text_source.h"
#include "hinge/pipeline/job.h"
#include "hinge/pipeline/record.h"
#include "hinge/tasks/html.h"
#include "hinge/tasks/predict_text.h"
#include "hinge/tasks/registry.h"

namespace hinge {
namespace {

std::vector<ModelFile> open_models(const std::vector<std::string>& paths) {
  std::vector<ModelFile> models;
  for (const std::string& path : paths) models.push_back(ModelFile::open(path));
  return models;
}

using Steps = std::vector<std::unique_ptr<SlicePredictor>>;

enum class EmptyLines { kAsPredicted, kAsInInput };

// Runs one sentence through all steps; those between the first and the last read
// CoNLL-U.
class SentenceSteps {
 public:
  explicit SentenceSteps(Steps steps) : steps_(std::move(steps)) {}

  // False if a step leaves nothing for the last one to read.
  bool run(Slice sentence, const ColumnLayout& first, const ColumnLayout& last, std::string& out) {
    sentence.layout = first;
    for (std::size_t k = 0; k + 1 < steps_.size(); ++k) {
      std::string& text = texts_[k % 2];
      text.clear();
      steps_[k]->predict(sentence, text);
      if (text.empty()) return false;
      sentence.text = text;
      sentence.layout = conllu_;
    }
    sentence.layout = last;
    steps_.back()->predict(sentence, out);
    return true;
  }
  const ColumnLayout& conllu() const { return conllu_; }

 private:
  Steps steps_;
  ColumnLayout conllu_ = conllu_layout();
  std::string texts_[2];
};

// Runs each sentence through all steps before the next one, so that every step
// knows its line in the file.
class Chain final : public SlicePredictor {
 public:
  Chain(Steps steps, EmptyLines empty_lines) : steps_(std::move(steps)), empty_lines_(empty_lines) {}

  void predict(const Slice& slice, std::string& out) override {
    BlockReader blocks(slice.text, slice.first_line);
    std::size_t line = slice.first_line;  // that `out` has reached
    for (std::string_view block; blocks.next(block);) {
      add_empty(line, blocks.first_line(), out);
      const std::size_t before = out.size();
      Slice sentence = slice;
      sentence.first_line = blocks.first_line();
      sentence.text = block;
      steps_.run(sentence, steps_.conllu(), slice.layout, out);
      line = blocks.first_line() + count_lines(std::string_view(out).substr(before));
    }
    add_empty(line, slice.first_line + count_lines(slice.text), out);
  }

 private:
  void add_empty(std::size_t from, std::size_t to, std::string& out) const {
    if (empty_lines_ == EmptyLines::kAsInInput && from < to) out.append(to - from, '\n');
  }

  SentenceSteps steps_;
  EmptyLines empty_lines_;
};

// The same for a text of lines: the first step turns a line into CoNLL-U, which the
// others read.
class LineChain final : public SlicePredictor {
 public:
  explicit LineChain(Steps steps) : steps_(std::move(steps)) {}

  void predict(const Slice& slice, std::string& out) override {
    if (!lines_) lines_.emplace(slice.input());
    lines_->restart(slice.text, slice.first_line, slice.file);
    for (std::string_view line; lines_->next(line);) {
      Slice sentence = slice;
      sentence.text = line;
      sentence.first_line = lines_->number();
      if (!steps_.run(sentence, slice.layout, steps_.conllu(), out)) out += '\n';
    }
  }

 private:
  SentenceSteps steps_;
  std::optional<LineReader> lines_;  // set by the first slice
};

Steps steps_of(const std::vector<std::unique_ptr<Predictor>>& predictors) {
  Steps steps;
  for (const auto& predictor : predictors) steps.push_back(predictor->slice_predictor({}));
  return steps;
}

// Trains a model like `model` on other data.
ModelFile learn_again(const ModelFile& model, const Source& source, Workers& workers, Observer& observer) {
  const Description& description = model.description();
  Job job({.task = description.task(),
           .learner = description.text("learner"),
           .seed = description.whole("seed", 1),
           .objective = "never"});
  job.train = source;
  restore_values(job.task->options(), description.options("task_options"));
  restore_values(job.learner->options(), description.options("learner_options"));
  QuietJob quiet(observer);
  const RankScope alone(solitary(), 1);  // every rank learns it from all the text
  const JobData data = load(job, workers, quiet);
  return ModelFile::from_bytes(
      write_model(*data.set, learn(job, data, workers, quiet).weights(), description.json()), model.name());
}

// Texts of one file or several, one after another.
class JoinedText {
 public:
  void add(std::string_view text, const std::string& file, std::size_t first_line) {
    // What begins later than a file does goes on with the one before.
    if (parts_.empty() || first_line == 1) parts_.push_back({file, text_.size(), first_line});
    text_ += text;
  }
  void add(const Source& source) {
    for (const TextInput& input : source.inputs()) add(*input.text, input.name, input.first_line);
  }
  Source take(const std::string& name) {
    if (parts_.size() > 1) return Source::of_text(std::move(text_), name, std::move(parts_));
    return Source::of_text(std::move(text_), name, parts_.empty() ? 1 : parts_[0].first_line);
  }

 private:
  std::string text_;
  std::vector<Source::Part> parts_;
};

// A text and the offsets of its sentences: the first is 0, and one more is the end.
struct Sentences {
  explicit Sentences(const Source& source) : all(read_source(source)), files(all.inputs()) {
    ColumnReader reader(all.input(), ColumnFormat::kConllu);
    ColumnSentence sentence;
    while (reader.next(sentence, /*keep_empty=*/true)) {
      begin.push_back(offset(sentence.lines[0].data()));
      line.push_back(sentence.first_line);
    }
    begin.push_back(all.text->size());
    begin[0] = 0;
    if (!line.empty()) line[0] = files[0].first_line;
  }

  std::size_t size() const { return begin.size() - 1; }
  Source part(std::size_t first, std::size_t last) const {
    JoinedText joined;
    for (const TextInput& file : files) {
      const std::string_view inside = cut(file, begin[first], begin[last]);
      const bool whole = inside.data() == file.text->data();
      if (!inside.empty()) joined.add(inside, file.name, whole ? file.first_line : line[first]);
    }
    return joined.take(all.name());
  }
  // The text with a part replaced by empty lines.
  Source without(std::size_t first, std::size_t last) const {
    JoinedText joined;
    for (const TextInput& file : files) {
      std::string rest(cut(file, 0, begin[first]));
      rest.append(count_lines(cut(file, begin[first], begin[last])), '\n')
          .append(cut(file, begin[last], all.text->size()));
      joined.add(rest, file.name, file.first_line);
    }
    return joined.take(all.name());
  }

  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - all.text->data()); }
  // What a file has of the text from `first` to `last`.
  std::string_view cut(const TextInput& file, std::size_t first, std::size_t last) const {
    const std::size_t from = offset(file.text->data()), end = from + file.text->size();
    const std::size_t low = std::clamp(first, from, end), high = std::clamp(last, from, end);
    return std::string_view(*all.text).substr(low, high - low);
  }

  Source all;
  std::vector<TextInput> files;
  std::vector<std::size_t> begin;  // [sentences + 1]
  std::vector<std::size_t> line;   // [sentences]
};

}  // namespace

Annotators::Annotators(const std::vector<std::string>& paths) : Annotators(open_models(paths)) {}

Annotators::Annotators(std::vector<ModelFile> models) : models_(std::move(models)) {
  for (const ModelFile& model : models_) {
    predictors_.push_back(open_predictor(model));
    if (predictors_.back()->fills().empty())
      fail<ModelError>(
          "{}: fills in no column of CoNLL-U; train one that does, for instance with 'hinge train tag TRAIN "
          "--column upos'",
          model.name());
  }
}

std::vector<std::string> Annotators::columns() const {
  std::vector<std::string> names;
  for (const auto& predictor : predictors_) names.push_back(predictor->fills());
  return names;
}

Source Annotators::annotate(const Source& source, Workers& workers) const {
  if (models_.empty()) return source;
  if (source.memory != nullptr)
    fail<OptionError>("{}: is in memory, but only text can be annotated; write it to a file", source.name());
  JoinedText joined;
  for (const TextInput& input : source.inputs()) {
    const Source file =
        input.text ? Source::of_text(std::string(*input.text), input.name, input.first_line) : input.name;
    std::string text;
    predict_text(
        file, ColumnFormat::kConllu, workers,
        [this] { return std::make_unique<Chain>(steps_of(predictors_), EmptyLines::kAsInInput); },
        append_to(text));
    joined.add(text, file.name(), file.first_line);
  }
  return joined.take(source.name());
}

Evaluation Annotators::evaluate(const Predictor& predictor, const Source& gold, Workers& workers) const {
  return predictor.evaluate(models_.empty() ? gold : annotate(predictor.columns_of(gold), workers), workers);
}

void Annotators::predict(const Predictor& predictor, const Source& source, OutputFile& out,
                         PredictSettings settings, Workers& workers) const {
  if (models_.empty()) return predictor.predict(source, out, settings, workers);
  if (predictor.slice_predictor(settings) == nullptr) {
    settings.annotate = [this, &workers](const Source& part) { return *annotate(part, workers).text; };
    return predictor.predict(source, out, settings, workers);
  }
  predictor.check(settings);
  write_page(settings.html ? predictor.page_title() : "", out, [&] {
    predict_slices(
        predictor, [&] { return predictor.slice_predictor(settings); }, source, out, workers);
  });
}

void Annotators::explain(const Predictor& predictor, const Source& source, OutputFile& out,
                         const ExplainSettings& settings, Workers& workers) const {
  if (models_.empty() || predictor.slice_explainer(settings) == nullptr)
    return predictor.explain(annotate(source, workers), out, settings, workers);
  check_explain(settings);
  write_page(settings.html ? kExplainTitle : "", out, [&] {
    predict_slices(
        predictor, [&] { return predictor.slice_explainer(settings); }, source, out, workers);
  });
}

// `last` reads what the models have filled in.
void Annotators::predict_slices(const Predictor& predictor, const MakeSlicePredictor& last,
                                const Source& source, OutputFile& out, Workers& workers) const {
  const auto make = [&]() -> std::unique_ptr<SlicePredictor> {
    Steps steps = steps_of(predictors_);
    steps.push_back(last());
    auto columns = predictor.column_writer();
    if (columns == nullptr) return std::make_unique<Chain>(std::move(steps), EmptyLines::kAsPredicted);
    steps.insert(steps.begin(), std::move(columns));
    return std::make_unique<LineChain>(std::move(steps));
  };
  predict_text(source, predictor.format(), workers, make, write_to(out));
}

Source jackknife(const Annotators& annotators, std::size_t folds, const Source& source, Workers& workers,
                 Observer& observer, const std::function<void(const std::string&)>& say) {
  const Sentences sentences(source);
  if (sentences.size() < folds)
    fail<InputError>("{}: has {} sentences, too few for {} folds; lower --jackknife", source.name(),
                     sentences.size(), folds);
  JoinedText result;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    say(fmt::format("tagging part {} of {}", fold + 1, folds));
    const std::size_t begin = sentences.size() * fold / folds;
    const std::size_t end = sentences.size() * (fold + 1) / folds;
    const Source rest = sentences.without(begin, end);
    std::vector<ModelFile> models;
    for (const ModelFile& model : annotators.models())
      models.push_back(learn_again(model, rest, workers, observer));
    result.add(Annotators(std::move(models)).annotate(sentences.part(begin, end), workers));
  }
  return result.take(source.name());
}

}  // namespace hinge
