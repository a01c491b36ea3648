#include "hinge/pipeline/tagging.h"

#include <fmt/core.h>
#include <unistd.h>

#include "hinge/core/error.h"
#include "hinge/corpus/columns.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/job.h"
#include "hinge/pipeline/record.h"
#include "hinge/tasks/registry.h"

namespace hinge {
namespace {

ModelFile open_tagger(const std::string& path) {
  ModelFile file = ModelFile::open(path);
  const Description& description = file.description();
  if (description.task() != "tag" || description.text("format") != "conllu") {
    fail<ModelError>(
        "{}: is no tagger of a CoNLL-U column; train one with 'hinge train tag TRAIN --column upos'", path);
  }
  return file;
}

// Sentences as they stand in a file.
std::vector<std::string> read_sentences(const std::string& path) {
  std::vector<std::string> sentences;
  ColumnReader reader(path, ColumnFormat::kConllu);
  ColumnSentence sentence;
  while (reader.next(sentence, /*keep_empty=*/true)) {
    std::string text;
    for (const std::string_view line : sentence.lines) text.append(line).append("\n");
    sentences.push_back(text + "\n");
  }
  return sentences;
}

// Learns what `tagger` is a model of anew, from other data.
std::string learn_again(const ModelFile& tagger, const std::string& train_path, Workers& workers,
                        Observer& observer) {
  const Description& description = tagger.description();
  Job job({.task = "tag",
           .learner = description.text("learner"),
           .train = train_path,
           .seed = description.whole("seed", 1),
           .objective = "never"});
  restore_values(job.task->options(), description.options("task_options"));
  restore_values(job.learner->options(), description.options("learner_options"));
  QuietJob quiet(observer);
  const JobData data = load(job, workers, quiet);
  return write_model(*data.set, learn(job, data, workers, quiet).weights(), description.json());
}

void write_sentences(const std::vector<std::string>& sentences, std::size_t begin, std::size_t end,
                     OutputFile& out) {
  for (std::size_t s = begin; s < end; ++s) out.write(sentences[s]);
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& like) {
  std::string folder = (std::filesystem::temp_directory_path() / "hinge-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    fail<InputError>("{}: cannot be created; set TMPDIR to a folder that can be written", folder);
  path_ = folder / std::filesystem::path(like == "-" ? "stdin" : like).filename();
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_.parent_path(), ignored);
}

TemporaryFile tag_file(const std::vector<std::string>& taggers, const std::string& input) {
  std::vector<TemporaryFile> steps;
  for (const std::string& path : taggers) {
    const ModelFile model = open_tagger(path);
    TemporaryFile tagged(input);
    OutputFile out(tagged.path());
    open_predictor(model)->predict(steps.empty() ? input : steps.back().path(), out, {});
    out.commit();
    steps.push_back(std::move(tagged));
  }
  return std::move(steps.back());
}

TemporaryFile jackknife(const Jackknife& how, const std::string& path, Workers& workers, Observer& observer,
                        const std::function<void(const std::string&)>& say) {
  const std::vector<std::string> sentences = read_sentences(path);
  const auto folds = static_cast<std::size_t>(how.folds);
  if (sentences.size() < folds)
    fail<InputError>("{}: has {} sentences, too few for {} folds; lower --jackknife", path, sentences.size(),
                     folds);
  TemporaryFile result(path);
  OutputFile out(result.path());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    say(fmt::format("tagging part {} of {}", fold + 1, folds));
    const std::size_t begin = sentences.size() * fold / folds;
    const std::size_t end = sentences.size() * (fold + 1) / folds;
    TemporaryFile rest(path), part(path);
    {
      OutputFile rest_out(rest.path());
      write_sentences(sentences, 0, begin, rest_out);
      write_sentences(sentences, end, sentences.size(), rest_out);
      rest_out.commit();
      OutputFile part_out(part.path());
      write_sentences(sentences, begin, end, part_out);
      part_out.commit();
    }
    std::vector<TemporaryFile> models;
    std::vector<std::string> names;
    for (const std::string& tagger : how.taggers) {
      TemporaryFile model(tagger);
      OutputFile model_out(model.path());
      model_out.write(learn_again(open_tagger(tagger), rest.path(), workers, observer));
      model_out.commit();
      names.push_back(model.path());
      models.push_back(std::move(model));
    }
    for (const std::string& sentence : read_sentences(tag_file(names, part.path()).path()))
      out.write(sentence);
  }
  out.commit();
  return result;
}

}  // namespace hinge
