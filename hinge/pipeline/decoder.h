// A decoder, as the tuning loop sees it: files in, files out.
#pragma once

#include <functional>
#include <string>

namespace hinge {

struct DecoderCall {
  std::string source;   // sentences, one per line
  std::string weights;  // to decode with; perhaps empty
  std::string nbest;    // to write; with .gz behind it where the decoder packs it
  std::string output;   // what it prints besides
  std::string log;      // its messages
};

// False where it was stopped because somebody asked for it. Throws Error where
// it failed.
using Decoder = std::function<bool(const DecoderCall&)>;

// A command of the shell in which {weights}, {nbest} and {source} stand for the
// paths. Throws OptionError where one of the first two is missing. `stop` is
// asked while the command runs.
Decoder shell_decoder(const std::string& command, std::function<bool()> stop);

}  // namespace hinge
