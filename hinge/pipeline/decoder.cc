#include "hinge/pipeline/decoder.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

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
  return fmt::format("failed with status {}", end.status);
}

}  // namespace

Decoder shell_decoder(const std::string& command, std::function<bool()> stop) {
  for (const char* name : {"{weights}", "{nbest}"}) {
    if (command.find(name) == std::string::npos)
      fail<OptionError>(
          "the decoder's command has no {}; write it where the path belongs, as in 'decode -w {{weights}} "
          "-n {{nbest}}'",
          name);
  }
  return [command, stop = std::move(stop)](const DecoderCall& call) {
    const std::string line =
        fill_in(command, {{"weights", call.weights}, {"nbest", call.nbest}, {"source", call.source}});
    const CommandEnd end = run_command(line, call.output, call.log, stop);
    if (end.stopped) return false;
    std::error_code ignored;
    if (std::filesystem::is_empty(call.output, ignored)) std::filesystem::remove(call.output, ignored);
    if (end.status == 0 && end.signal == 0) return true;
    const std::string last = last_line(call.log);
    fail<InputError>("the decoder {}{}; its messages are in {}; run the same command again to continue",
                     end_text(end), last.empty() ? "" : fmt::format(": {}", last), call.log);
  };
}

}  // namespace hinge
