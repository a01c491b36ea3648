#include "hinge/tasks/coref/columns.h"

#include "hinge/core/error.h"
#include "hinge/core/options.h"

namespace hinge::coref {
namespace {

struct Column {
  std::string_view name;
  bool ColumnMask::*read;
};
constexpr Column kColumns[] = {{"upos", &ColumnMask::upos},
                               {"xpos", &ColumnMask::xpos},
                               {"head", &ColumnMask::tree},
                               {"entities", &ColumnMask::entities}};

}  // namespace

ColumnMask parse_columns(const std::string& names) {
  if (names.empty()) return {};
  ColumnMask mask{.upos = false, .xpos = false, .tree = false, .entities = false};
  for (const std::string& name : split_list(names)) {
    bool known = name == "form";
    for (const Column& column : kColumns) {
      if (column.name != name) continue;
      mask.*column.read = true;
      known = true;
    }
    if (!known) fail<OptionError>("columns has '{}', but knows form, upos, xpos, head and entities", name);
  }
  return mask;
}

std::string column_names(const ColumnMask& mask) {
  std::string names = "form";
  for (const Column& column : kColumns) {
    if (mask.*column.read) names.append(",").append(column.name);
  }
  return names;
}

}  // namespace hinge::coref
