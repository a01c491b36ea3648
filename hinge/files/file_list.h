// Several files under one name: "a.txt,b.txt" or "part-*.gz".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hinge {

// The files that `text` names, in the order in which they are read. Parts are separated by
// commas; each is a file or a pattern ('*': any characters, '?': one, '[ab]': one of these),
// whose files come in the order of their bytes. What is the name of a file, commas and
// other special characters included, is that file. Throws InputError if a pattern
// matches nothing, or standard input is to be one of several.
std::vector<std::string> list_files(std::string_view text);

}  // namespace hinge
