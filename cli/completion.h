// Completion of command lines: `hinge complete` answers, a short script per shell asks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/outline.h"

namespace hinge::cli {

struct Candidate {
  std::string word;
  std::string help;
};

struct Candidates {
  std::vector<Candidate> words;
  bool files = false;  // names of files fit as well
};

// What may stand in place of the last of these words, the arguments of the program so far.
// As bash splits words at "=", a "=" by itself joins its neighbours.
Candidates complete(const CommandOutline& program, const std::vector<std::string>& words);

std::vector<std::string> completion_shells();
// The script that a shell reads. Throws OptionError for a shell that has none.
std::string completion_script(std::string_view shell);

}  // namespace hinge::cli
