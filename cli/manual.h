// The manual page, for `man hinge`.
#pragma once

#include <string>

#include "cli/outline.h"

namespace hinge::cli {

std::string manual_page(const CommandOutline& program);

}  // namespace hinge::cli
