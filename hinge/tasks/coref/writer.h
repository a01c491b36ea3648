// Documents with their predicted clusters.
#pragma once

#include "hinge/core/threads.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/predict_text.h"

namespace hinge::coref {

enum class Page { kText, kHtml };

// In the format of the input, all else unchanged, or as a web page.
void write_resolved(const Resolver& resolver, const Source& source, Page page, Workers& workers,
                    const TakeTexts& take);

}  // namespace hinge::coref
