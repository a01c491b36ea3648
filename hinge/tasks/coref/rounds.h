// Documents of a source, some at a time, for all threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/documents.h"
#include "hinge/tasks/source.h"

namespace hinge::coref {

// Calls use(texts) for rounds of documents, not parsed yet, in order. A round ends when more
// input would have to be waited for, so a pipe is answered document by document.
void each_round(const Source& source, const Workers& workers,
                const std::function<void(std::span<DocumentText>)>& use);

}  // namespace hinge::coref
