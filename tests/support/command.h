// Runs the hinge binary as a user would.
#pragma once

#include <string>
#include <vector>

namespace hinge::test {

struct CommandResult {
  int code = 0;
  std::string out;
  std::string err;
};

// `input` goes to its standard input.
CommandResult run_command(const std::vector<std::string>& arguments, const std::string& input = "");

// Exchanges input and output with a running command through pipes.
class Conversation {
 public:
  explicit Conversation(const std::vector<std::string>& arguments);
  ~Conversation();  // ends the command
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void say(const std::string& text) const;
  // The output up to and including `end`; on a timeout, the output so far.
  std::string hear(const std::string& end);
  // Closes the input and returns the rest of the output.
  std::string finish();

 private:
  bool read_more(int milliseconds);

  int process_ = 0;
  int to_ = -1, from_ = -1;
  std::string heard_;
};

}  // namespace hinge::test
