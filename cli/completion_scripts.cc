// The scripts that shells read. They only ask `hinge complete`, whose answer has a line per
// candidate, the word, a tab and its meaning; ":files" says that names of files fit as well.
#include <array>

#include "cli/completion.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"

namespace hinge::cli {
namespace {

// bash takes "name=value" for three words and replaces only the last.
constexpr std::string_view kBash = R"(# Completion of hinge for bash: source this file, or install it as bash-completion/completions/hinge.
_hinge() {
  local word=${COMP_WORDS[COMP_CWORD]} line candidate
  local part=
  [[ $word == = || ( COMP_CWORD -gt 1 && ${COMP_WORDS[COMP_CWORD-1]} == = ) ]] && part=yes
  [[ $word == = ]] && word=
  COMPREPLY=()
  while IFS= read -r line; do
    candidate=${line%%$'\t'*}
    if [[ $candidate == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$word")
    else
      [[ -n $part ]] && candidate=${candidate#*=}
      [[ $candidate == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("$candidate")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _hinge hinge
)";

constexpr std::string_view kZsh = R"(#compdef hinge
# Completion of hinge for zsh: install this file as _hinge in a folder of $fpath, or source it.
_hinge() {
  local line word files=
  local -a plain plain_shown open open_shown
  for line in "${(@f)$(${~words[1]} complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*}
    if [[ $word == :files ]]; then
      files=yes
    elif [[ $word == *= ]]; then
      open+=("$word"); open_shown+=("$word  ${line#*$'\t'}")
    elif [[ -n $word ]]; then
      plain+=("$word"); plain_shown+=("$word  ${line#*$'\t'}")
    fi
  done
  (( $#plain )) && compadd -l -d plain_shown -a plain
  (( $#open )) && compadd -l -S '' -d open_shown -a open
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _hinge ]]; then
  _hinge "$@"
else
  compdef _hinge hinge
fi
)";

constexpr std::string_view kFish = R"(# Completion of hinge for fish: source this file, or install it as vendor_completions.d/hinge.fish.
function __hinge_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..] "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c hinge -f -a '(__hinge_complete)'
)";

struct Shell {
  std::string_view name;
  std::string_view script;
};
constexpr std::array kShells{Shell{"bash", kBash}, Shell{"zsh", kZsh}, Shell{"fish", kFish}};

}  // namespace

std::vector<std::string> completion_shells() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

std::string completion_script(std::string_view shell) {
  for (const Shell& row : kShells) {
    if (row.name == shell) return std::string(row.script);
  }
  fail<OptionError>("there is no completion for '{}'; there is for: {}", shell, join(completion_shells(), ", "));
}

}  // namespace hinge::cli
