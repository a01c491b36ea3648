#include "hinge/tasks/dep/features.h"

#include "hinge/features/presets.h"

namespace hinge::dep {

FactorTemplateSet choose_factor_templates(const std::string& features) {
  return parse_factor_templates(template_text(features, factor_preset_table()), features);
}

}  // namespace hinge::dep
