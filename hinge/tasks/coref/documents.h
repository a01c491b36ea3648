// Documents of a source, parsed on all threads, some at a time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/documents.h"
#include "hinge/tasks/source.h"

namespace hinge::coref {

// Calls use(documents) for all documents with words, in order.
void each_documents(const Source& source, Workers& workers,
                    const std::function<void(std::span<Document>)>& use);
std::vector<Document> read_documents(const Source& source, Workers& workers);

// Documents that are needed more than once.
class TrainingDocuments {
 public:
  // Kept in memory, or else read anew each time; the source must outlive it.
  TrainingDocuments(const Source& source, Workers& workers, bool keep);
  void each(const std::function<void(std::span<const Document>)>& use) const;
  const Source& source() const { return source_; }

 private:
  const Source& source_;
  Workers& workers_;
  bool keep_;
  std::vector<Document> kept_;
};

}  // namespace hinge::coref
