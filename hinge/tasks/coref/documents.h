// Documents of a source, parsed on all threads, some at a time.
#pragma once

#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/documents.h"
#include "hinge/tasks/rereadable.h"
#include "hinge/tasks/source.h"

namespace hinge::coref {

// Calls use(documents) for all documents with words, in order.
void each_documents(const Source& source, Workers& workers, const Rereadable<Document>::Use& use);
std::vector<Document> read_documents(const Source& source, Workers& workers);

}  // namespace hinge::coref
