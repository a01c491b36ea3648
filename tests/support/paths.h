// Where the tree and the program under test are.
#pragma once

#include <string>

namespace hinge::test {

std::string source_folder();
std::string hinge_binary();

}  // namespace hinge::test
