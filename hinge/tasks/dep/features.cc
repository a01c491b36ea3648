#include "hinge/tasks/dep/features.h"

#include "hinge/features/presets.h"
#include "hinge/tasks/dep/columns.h"

namespace hinge::dep {

FactorTemplateSet choose_factor_templates(const std::string& features, const std::string& columns) {
  FactorTemplateSet set = parse_factor_templates(template_text(features, factor_preset_table()), features);
  set.cells = both(parse_columns(columns), columns_of(set));
  return set;
}

}  // namespace hinge::dep
