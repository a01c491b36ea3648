// What the commands of `hinge mt` share, and the translation decoder as the tuning
// loop sees it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/job_flags.h"
#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/mt/model.h"
#include "hinge/pipeline/decoder.h"

namespace hinge::cli {

inline constexpr const char* kMtGroup = "mt";
inline constexpr const char* kMtAbout = "translate: train a system on parallel text, decode with it";

struct MtFlags {
  std::vector<std::string> parameters;
  std::string output = "-";
  std::int64_t threads = 0;
  bool quiet = false;
};

// -p, --threads, -q.
void add_mt_flags(Command& command, MtFlags& flags);

// Throws OptionError for an unknown name or a value out of range.
template <typename Options>
Options options_of(const std::vector<std::string>& parameters, const std::string& owner) {
  Options options;
  OptionTable table(owner);
  options.describe(table);
  GivenOnce().add_pairs(parameters, owner.starts_with('-') ? owner : "-p");
  for (const std::string& parameter : parameters) {
    const auto [name, value] = split_parameter(parameter);
    table.set(name, value);
  }
  return options;
}

// Work that Ctrl-C ends; what it had begun to write is not left behind.
template <typename Body>
void interruptible(const Body& body) {
  catch_interrupts();
  const InterruptScope scope([] {
    if (interrupted()) throw Interrupted();
  });
  try {
    body();
  } catch (const Interrupted&) {
    fail<InputError>("interrupted before it was done; run the same command again");
  }
}

// Progress with the seconds since the beginning; nothing if quiet.
class MtProgress {
 public:
  explicit MtProgress(bool quiet) : quiet_(quiet) {}
  void say(const std::string& line) const;

 private:
  bool quiet_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Throws OptionError if a list cannot have so many translations.
void check_nbest(std::int64_t nbest, std::int64_t least);

// Decodes in this process. `parameters` are options of the search as name=value. The
// model and the workers must outlive it. Throws OptionError.
Decoder translation_decoder(const mt::Model& model, std::size_t nbest,
                            const std::vector<std::string>& parameters, Workers& workers);

// The commands for single parts of a system: align, lm, sample.
void add_mt_parts(Program& program);

}  // namespace hinge::cli
