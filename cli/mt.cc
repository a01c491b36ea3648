// `hinge mt`: a translation system, from parallel text to translations.
#include "cli/mt.h"

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/job_flags.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/same_file.h"
#include "hinge/mt/model.h"
#include "hinge/mt/train.h"
#include "hinge/mt/translate.h"

namespace hinge::cli {
namespace {

constexpr std::size_t kBlock = 64;  // sentences per thread and round

struct TrainMtFlags : MtFlags {
  mt::TrainInput input;
};

struct DecodeFlags : MtFlags {
  std::string model;
  std::string input = "-";
  std::string weights;
  std::string rescore;
  std::int64_t nbest = 0;
};

void run_train(const TrainMtFlags& flags) {
  std::vector<NamedFile> inputs = {{"SOURCE", flags.input.source}, {"TARGET", flags.input.target}};
  if (!flags.input.alignment.empty()) inputs.push_back({"--alignment", flags.input.alignment});
  if (!flags.input.arpa.empty()) inputs.push_back({"--lm", flags.input.arpa});
  check_outputs(inputs, std::vector<NamedFile>{{"-o", flags.output}});
  const auto options = options_of<mt::TrainOptions>(flags.parameters, "mt train");
  Workers workers(thread_count(flags.threads));
  const MtProgress progress(flags.quiet);
  interruptible([&] {
    OutputFile out(flags.output);
    mt::train(flags.input, options, out, workers, [&](const std::string& line) { progress.say(line); });
    out.commit();
  });
  std::error_code no_file;
  const auto bytes = std::filesystem::file_size(flags.output, no_file);
  if (!flags.quiet && !no_file)
    note("{}: {:.1f} MB; tune it with 'hinge tune {} --source FILE --refs FILE'\n", flags.output,
         static_cast<double>(bytes) / 1e6, flags.output);
}

mt::FeatureWeights weights_for(const mt::Model& model, const std::string& path) {
  if (path.empty() || (std::filesystem::exists(path) && std::filesystem::is_empty(path)))
    return mt::FeatureWeights(model.weights(), model.name());
  return mt::FeatureWeights(read_weights(path), path);
}

// Reads sentences in blocks that a pipe can fill, and calls body(sentences, first line).
template <typename Body>
void each_block(const std::string& input, std::size_t block, const Body& body) {
  TextSource source(input, ChunkEnd::kLine);
  std::vector<std::string> sentences;
  std::size_t first = 1;
  const auto flush = [&] {
    if (sentences.empty()) return;
    body(sentences, first);
    first += sentences.size();
    sentences.clear();
  };
  for (std::string_view chunk; source.next(chunk);) {
    while (!chunk.empty()) {
      const std::size_t end = std::min(chunk.find('\n'), chunk.size());
      sentences.emplace_back(chunk.substr(0, end));
      chunk.remove_prefix(std::min(end + 1, chunk.size()));
      if (sentences.size() == block) flush();
    }
    if (!source.ready()) flush();
  }
  flush();
}

std::string lines_of(const std::vector<mt::NBest>& results, std::size_t first_id, bool as_lists) {
  std::string text;
  if (!as_lists) {
    for (const mt::NBest& best : results)
      text += (best.translations.empty() ? "" : best.translations[0].text) + "\n";
    return text;
  }
  NBestBuilder builder;
  for (std::size_t i = 0; i < results.size(); ++i) mt::add_translations(builder, first_id + i, results[i]);
  const NBestLists lists = builder.finish();
  NBestWriter writer(lists, {});
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h)
      text.append(writer.line(list, h)).append("\n");
  }
  return text;
}

void run_decode(const DecodeFlags& flags) {
  check_nbest(flags.nbest, 0);
  check_outputs(std::vector<NamedFile>{{"MODEL", flags.model}, {"INPUT", flags.input}},
                std::vector<NamedFile>{{"-o", flags.output}});
  const auto options = options_of<mt::SearchOptions>(flags.parameters, "mt decode");
  const mt::Model model = mt::Model::open(flags.model);
  const mt::FeatureWeights weights = weights_for(model, flags.weights);
  std::optional<mt::FeatureWeights> others;
  if (!flags.rescore.empty()) others = weights_for(model, flags.rescore);
  const bool as_lists = flags.nbest > 0;
  mt::NBestRequest request{.count = static_cast<std::size_t>(std::max<std::int64_t>(flags.nbest, 1))};
  if (as_lists) request.sparse = model.sparse();
  const mt::Translator translator(model, weights, options, request, others ? &*others : nullptr);
  Workers workers(thread_count(flags.threads));
  const std::size_t block = kBlock * static_cast<std::size_t>(workers.threads());
  interruptible([&] {
    OutputFile out(flags.output);
    each_block(flags.input, block, [&](const std::vector<std::string>& sentences, std::size_t first) {
      const auto results = translator.translate(sentences, workers, flags.input, first);
      out.write(lines_of(results, first - 1, as_lists));
      if (is_standard_output(flags.output)) out.flush();
    });
    out.commit();
  });
}

void add_train_mt(Program& program) {
  Command command = program.add(kMtGroup, kMtAbout, "train", "make a translation model from parallel text");
  auto flags = std::make_shared<TrainMtFlags>();
  command.add("SOURCE", flags->input.source, "sentences, one per line, words separated by spaces (gzip too)")
      .required();
  command.add("TARGET", flags->input.target, "their translations, line by line").required();
  command.add("-o,--output", flags->output, "the model file").required().type("FILE");
  command
      .add("--alignment", flags->input.alignment,
           "word links, one line per pair as '0-0 1-2' (default: align)")
      .type("FILE");
  command.add("--lm", flags->input.arpa, "a language model in ARPA format (default: estimated from TARGET)")
      .type("FILE");
  add_mt_flags(command, *flags);
  command.run([flags] { run_train(*flags); });
}

void add_decode_mt(Program& program) {
  Command command = program.add(kMtGroup, kMtAbout, "decode", "translate sentences");
  auto flags = std::make_shared<DecodeFlags>();
  command.add("MODEL", flags->model, "from 'hinge mt train' or 'hinge tune'").required();
  command.add("INPUT", flags->input, "sentences, one per line");
  command.add("-o,--output", flags->output, "where to write").type("FILE");
  command.add("--nbest", flags->nbest, "write n-best lists with features, so many translations per sentence");
  command.add("--weights", flags->weights, "a weights file to use instead of the model's").type("FILE");
  command.add("--rescore", flags->rescore, "search with the weights, but list the best by those of this file")
      .type("FILE");
  add_mt_flags(command, *flags);
  command.run([flags] { run_decode(*flags); });
}

}  // namespace

void MtProgress::say(const std::string& line) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  if (!quiet_) note("{:6.1f} s  {}\n", passed.count(), line);
}

void add_mt_flags(Command& command, MtFlags& flags) {
  command.add_pairs("-p", flags.parameters, "options, see docs/options.md: -p a=1 b=2");
  command.add("--threads", flags.threads, kThreadsHelp);
  command.add("-q,--quiet", flags.quiet, "no progress");
}

void check_nbest(std::int64_t nbest, std::int64_t least) {
  constexpr std::int64_t kMost = 10000;
  if (nbest < least || nbest > kMost)
    fail<OptionError>("--nbest is {} but must be from {} to {}", nbest, least, kMost);
}

Decoder translation_decoder(const mt::Model& model, std::size_t nbest,
                            const std::vector<std::string>& parameters, Workers& workers) {
  const auto options = options_of<mt::SearchOptions>(parameters, "--decode");
  const auto decode = [&model, nbest, options, &workers](const DecoderCall& call) {
    const mt::FeatureWeights weights = weights_for(model, call.weights);
    const mt::NBestRequest request{.count = nbest, .sparse = model.sparse()};
    const mt::Translator translator(model, weights, options, request);
    NBestBuilder builder;
    const InterruptScope scope([] {
      if (interrupted()) throw Interrupted();
    });
    try {
      each_block(call.source, kBlock * static_cast<std::size_t>(workers.threads()),
                 [&](const std::vector<std::string>& sentences, std::size_t first) {
                   const auto results = translator.translate(sentences, workers, call.source, first);
                   for (std::size_t i = 0; i < results.size(); ++i)
                     mt::add_translations(builder, first - 1 + i, results[i]);
                 });
    } catch (const Interrupted&) {
      return false;
    }
    write_nbest_cache(builder.finish(), call.nbest);
    return true;
  };
  return [decode](std::span<const DecoderCall> calls, const std::function<void(std::size_t)>& done) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!decode(calls[i])) return false;
      done(i);
    }
    return true;
  };
}

void add_mt(Program& program) {
  add_train_mt(program);
  add_decode_mt(program);
  add_mt_parts(program);
}

}  // namespace hinge::cli
