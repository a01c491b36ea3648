// Any text is either a template set that extracts features, or refused with an
// error; likewise templates of tree parts.
#include <string_view>

#include "hinge/core/error.h"
#include "hinge/features/extractor.h"
#include "hinge/features/factor_keys.h"

namespace {

void try_parts(std::string_view text) {
  try {
    const hinge::FactorTemplateSet set = hinge::parse_factor_templates(text, "fuzz");
    hinge::FieldHasher hasher(set);
    std::vector<hinge::Key> keys;
    hasher.add_root(keys);
    hasher.add_word({"b\xc3\xa9", "be", "NOUN", "_", "Case=Nom"}, keys);
    if (set.fields.empty()) return;
    for (const auto& templates : set.kinds) {
      std::vector<const hinge::FactorTemplate*> chosen;
      for (const hinge::FactorTemplate& t : templates) chosen.push_back(&t);
      std::vector<hinge::Key> shares;
      hinge::RoleKeys(chosen, hinge::Role::kHead).fill({keys, set.fields.size()}, shares);
    }
  } catch (const hinge::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_parts(text);
  if (text.find("gazetteer") != std::string_view::npos) return 0;  // would open files
  try {
    hinge::FeatureModel model(hinge::parse_templates(text, "fuzz"));
    hinge::check_columns(model.templates(), "fuzz", 2, "data");
    const std::string_view cells[] = {"The", "1.5", "b\xc3\xa9", "-2"};
    const std::size_t columns[] = {0, 1};
    const hinge::Cells sentence{cells, 2, columns};
    model.count(sentence);
    model.finish_counting();
    hinge::Extractor extractor(model);
    hinge::FeatureKeys keys;
    extractor.extract(sentence, keys);
  } catch (const hinge::Error&) {
    return 0;
  } catch (const hinge::NotANumber&) {
    return 0;
  }
  return 0;
}
