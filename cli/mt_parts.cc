// `hinge mt align`, `lm`, `sample`: single parts of a translation system.
#include <fmt/core.h>

#include <memory>

#include "cli/mt.h"
#include "cli/streams.h"
#include "hinge/files/same_file.h"
#include "hinge/mt/aligner.h"
#include "hinge/mt/arpa.h"
#include "hinge/mt/ngram_estimate.h"
#include "hinge/mt/perplexity.h"
#include "hinge/mt/sample.h"
#include "hinge/mt/train.h"

namespace hinge::cli {
namespace {

struct AlignFlags : MtFlags {
  std::string source, target;
};

struct AlignSettings {
  mt::BitextOptions text;
  mt::AlignOptions align;

  void describe(OptionTable& table) {
    text.describe(table);
    align.describe(table);
  }
};

void run_align(const AlignFlags& flags) {
  check_outputs(std::vector<NamedFile>{{"SOURCE", flags.source}, {"TARGET", flags.target}},
                std::vector<NamedFile>{{"-o", flags.output}});
  const auto settings = options_of<AlignSettings>(flags.parameters, "mt align");
  Workers workers(thread_count(flags.threads));
  const MtProgress progress(flags.quiet);
  interruptible([&] {
    const mt::Bitext text = mt::read_bitext(flags.source, flags.target, settings.text);
    mt::write_alignment(flags.output,
                        mt::align(text, settings.align, workers,
                                  [&](const mt::AlignStep& step) { progress.say(mt::text_of(step)); }),
                        text);
  });
}

void add_align(Program& program) {
  Command command = program.add(kMtGroup, kMtAbout, "align", "find which words translate each other");
  auto flags = std::make_shared<AlignFlags>();
  command.add("SOURCE", flags->source, "sentences, one per line, words separated by spaces (gzip too)")
      .required();
  command.add("TARGET", flags->target, "their translations, line by line").required();
  command.add("-o,--output", flags->output, "links as '0-0 1-2', a line per pair (default: standard output)");
  add_mt_flags(command, *flags);
  command.run([flags] { run_align(*flags); });
}

struct LanguageFlags : MtFlags {
  std::string text;
  std::string evaluate;
};

void run_language(const LanguageFlags& flags) {
  check_outputs(std::vector<NamedFile>{{"TEXT", flags.text}, {"--evaluate", flags.evaluate}},
                std::vector<NamedFile>{{"-o", flags.output}});
  const auto options = options_of<mt::NgramOptions>(flags.parameters, "mt lm");
  Workers workers(thread_count(flags.threads));
  interruptible([&] {
    const mt::Side text = mt::read_side(flags.text);
    const mt::NgramModel model = mt::estimate_ngrams(text, options, workers);
    if (flags.evaluate.empty()) return mt::write_arpa(model, text.words, flags.output);
    const mt::Perplexity found = mt::perplexity(model, text.words, mt::read_side(flags.evaluate), workers);
    print("{}: perplexity {:.3f} of {} words and {} sentence ends; without the {} unknown words {:.3f}\n",
          flags.evaluate, found.all(), found.words, found.sentences, found.unknown, found.known());
  });
}

void add_language(Program& program) {
  Command command =
      program.add(kMtGroup, kMtAbout, "lm", "estimate a language model, or how well it predicts");
  auto flags = std::make_shared<LanguageFlags>();
  command.add("TEXT", flags->text, "sentences, one per line, words separated by spaces (gzip too)")
      .required();
  command.add("-o,--output", flags->output, "the model in ARPA format (default: standard output)");
  command.add("--evaluate", flags->evaluate, "print the perplexity of this text instead");
  add_mt_flags(command, *flags);
  command.run([flags] { run_language(*flags); });
}

struct SampleMtFlags {
  std::string source, target;
  std::int64_t sentences = 1000;
  std::uint64_t seed = 1;
};

void run_sample(const SampleMtFlags& flags) {
  if (flags.sentences < 1) fail<OptionError>("--sentences is {} but must be at least 1", flags.sentences);
  check_outputs({}, std::vector<NamedFile>{{"SOURCE", flags.source}, {"TARGET", flags.target}});
  OutputFile source(flags.source), target(flags.target);
  mt::sample_parallel(flags.sentences, flags.seed, source, target);
  source.commit();
  target.commit();
}

void add_sample_mt(Program& program) {
  Command command = program.add(kMtGroup, kMtAbout, "sample", "generate parallel text of made-up languages");
  auto flags = std::make_shared<SampleMtFlags>();
  command.add("SOURCE", flags->source, "where to write the foreign sentences").required();
  command.add("TARGET", flags->target, "where to write their translations").required();
  command.add("--sentences", flags->sentences, "how many (default 1000)");
  command.add("--seed", flags->seed, "same seed, same sentences (default 1)");
  command.run([flags] { run_sample(*flags); });
}

}  // namespace

void add_mt_parts(Program& program) {
  add_align(program);
  add_language(program);
  add_sample_mt(program);
}

}  // namespace hinge::cli
