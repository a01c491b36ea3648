#include "tests/support/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "tests/support/data.h"

namespace hinge::test {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& input) {
  const TemporaryFolder folder;
  std::string line;
  for (const std::string& argument : arguments) line += quoted(argument) + " ";
  line += "<" + quoted(folder.write("in", input)) + " >" + quoted(folder.path("out")) + " 2>" +
          quoted(folder.path("err"));
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          TemporaryFolder::read(folder.path("out")), TemporaryFolder::read(folder.path("err"))};
}

Conversation::Conversation(const std::vector<std::string>& arguments) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

Conversation::~Conversation() {
  if (to_ >= 0) close(to_);
  close(from_);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Conversation::say(const std::string& text) const {
  if (write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("the command does not listen");
}

bool Conversation::read_more(int milliseconds) {
  pollfd waiting{from_, POLLIN, 0};
  char bytes[4096];
  if (poll(&waiting, 1, milliseconds) <= 0) return false;
  const ssize_t got = read(from_, bytes, sizeof bytes);
  if (got > 0) heard_.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

std::string Conversation::hear(const std::string& end) {
  constexpr int kPatience = 60000;  // long, since the machine may be busy
  std::size_t found;
  while ((found = heard_.find(end)) == std::string::npos) {
    if (!read_more(kPatience)) return std::exchange(heard_, "");
  }
  std::string text = heard_.substr(0, found + end.size());
  heard_.erase(0, text.size());
  return text;
}

std::string Conversation::finish() {
  close(std::exchange(to_, -1));
  while (read_more(/*milliseconds=*/60000)) {
  }
  return std::exchange(heard_, "");
}

}  // namespace hinge::test
