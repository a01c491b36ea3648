// A decoder, as the tuning loop sees it: files in, files out.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace hinge {

// One run of a decoder, on the whole source or on a piece of it.
struct DecoderCall {
  std::string source;   // sentences, one per line
  std::string weights;  // to decode with; perhaps empty
  std::string nbest;    // to write; .gz is appended if the decoder compresses it
  std::string output;   // its standard output
  std::string log;      // its messages
  std::string piece;    // "piece 2 of 4 (lines 26 to 50 of dev.txt)", for messages; "": the whole source
};

// Makes all calls, and calls done(i) after the i-th has written its lists; done() may throw.
// False if it was stopped on request. Throws Error if a call failed. No call goes on afterwards.
using Decoder =
    std::function<bool(std::span<const DecoderCall> calls, const std::function<void(std::size_t)>& done)>;

// A shell command in which {weights}, {nbest} and {source} stand for the paths. Calls are
// made at once, each in a process of its own. Throws OptionError if one of the first two is
// missing, or the third although the source is cut into `pieces`. `stop` is polled while
// commands run.
Decoder shell_decoder(const std::string& command, std::size_t pieces, std::function<bool()> stop);

}  // namespace hinge
