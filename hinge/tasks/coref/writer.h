// Documents with their predicted clusters.
#pragma once

#include <functional>
#include <string>

#include "hinge/core/threads.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/predict_text.h"

namespace hinge::coref {

enum class Page { kText, kHtml, kJson };

// The words of a document from `begin` to before `end`, separated by spaces.
std::string words_of(const Document& document, std::size_t begin, std::size_t end);

// In the format of the input, all else unchanged; as what is in a web page; or as a line of JSON per
// document. `annotate` is that of PredictSettings.
void write_resolved(const Resolver& resolver, const Source& source, Page page, Workers& workers,
                    const TakeTexts& take,
                    const std::function<std::string(const Source&)>& annotate = nullptr);

}  // namespace hinge::coref
