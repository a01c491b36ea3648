// A decoder, as the tuning loop sees it: files in, files out.
#pragma once

#include <functional>
#include <string>

namespace hinge {

struct DecoderCall {
  std::string source;   // sentences, one per line
  std::string weights;  // to decode with; perhaps empty
  std::string nbest;    // to write; .gz is appended if the decoder compresses it
  std::string output;   // its standard output
  std::string log;      // its messages
};

// False if it was stopped on request. Throws Error if it failed.
using Decoder = std::function<bool(const DecoderCall&)>;

// A shell command in which {weights}, {nbest} and {source} stand for the paths.
// Throws OptionError if one of the first two is missing. `stop` is polled while the
// command runs.
Decoder shell_decoder(const std::string& command, std::function<bool()> stop);

}  // namespace hinge
