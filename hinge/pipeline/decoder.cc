#include "hinge/pipeline/decoder.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/text_source.h"
#include "hinge/pipeline/command.h"

namespace hinge {
namespace {

// The last line that is not empty, for messages.
std::string last_line(const std::string& path) try {
  std::string last;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (!trim(line).empty()) last = shown(trim(line));
  }
  return last;
} catch (const Error&) {
  return "";  // not text; messages name the log anyway
}

std::string end_text(const CommandEnd& end) {
  // A shell reports a signal that ended its command as a status above 128.
  const int signal = end.signal != 0 ? end.signal : end.status > 128 ? end.status - 128 : 0;
  if (signal > 0 && signal < NSIG)
    return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  return fmt::format("{} with status {}", end.status == 0 ? "ended" : "failed", end.status);
}

std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

void check_command(const std::string& command, std::size_t pieces) {
  for (const char* name : {"{weights}", "{nbest}", "{source}"}) {
    const bool is_source = std::string_view(name) == "{source}";
    if (command.find(name) != std::string::npos || (is_source && pieces < 2)) continue;
    fail<OptionError>(
        "the decoder's command has no {}{}; write it where the path belongs, as in 'decode -w {{weights}} "
        "-n {{nbest}}{}'",
        name, is_source ? ", which is a piece of the source with --processes" : "",
        is_source ? " {source}" : "");
  }
}

// Throws if the call failed; then done(), whose errors learn which piece they are about.
template <typename Done>
void finish_call(const DecoderCall& call, const std::string& command, const CommandEnd& end,
                 const Done& done) {
  const bool whole = call.piece.empty();
  if (end.status != 0 || end.signal != 0) {
    const std::string last = last_line(call.log);
    fail<InputError>("the decoder{} {}{}{}; its messages are in {}; run the same command again to continue",
                     whole ? "" : fmt::format(" of {}", call.piece), end_text(end),
                     last.empty() ? "" : fmt::format(": {}", last),
                     whole ? "" : fmt::format("; its command is '{}'", on_one_line(command)), call.log);
  }
  try {
    done();
  } catch (const InputError& error) {
    if (whole) throw;
    fail<InputError>("{}; this is {}, and its command '{}' {}", error.what(), call.piece,
                     on_one_line(command), end_text(end));
  }
}

}  // namespace

Decoder shell_decoder(const std::string& command, std::size_t pieces, std::function<bool()> stop) {
  check_command(command, pieces);
  return [command, stop = std::move(stop)](std::span<const DecoderCall> calls,
                                           const std::function<void(std::size_t)>& done) {
    std::vector<ShellCommand> commands;
    for (const DecoderCall& call : calls) {
      const std::string text =
          fill_in(command, {{"weights", call.weights}, {"nbest", call.nbest}, {"source", call.source}});
      commands.push_back({.text = text, .output = call.output, .errors = call.log});
    }
    return run_commands(commands, stop, [&](std::size_t i, const CommandEnd& end) {
      std::error_code ignored;
      if (std::filesystem::is_empty(calls[i].output, ignored))
        std::filesystem::remove(calls[i].output, ignored);
      finish_call(calls[i], command, end, [&] { done(i); });
    });
  };
}

}  // namespace hinge
