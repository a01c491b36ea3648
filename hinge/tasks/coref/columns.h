// Which columns a resolver reads. One that is right in the training data but missing or
// predicted later would mislead it.
#pragma once

#include <string>

#include "hinge/tasks/coref/tokens.h"

namespace hinge::coref {

// "upos,head" names the columns besides words and speakers; "" is all. Throws
// OptionError.
ColumnMask parse_columns(const std::string& names);
// "form,upos,head".
std::string column_names(const ColumnMask& mask);

}  // namespace hinge::coref
