#include "tests/support/paths.h"

namespace hinge::test {

std::string source_folder() { return HINGE_SOURCE_FOLDER; }
std::string hinge_binary() { return HINGE_BINARY; }

}  // namespace hinge::test
