#include "hinge/tasks/coref/documents.h"

#include <algorithm>
#include <iterator>

#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/tasks/coref/rounds.h"

namespace hinge::coref {

void each_documents(const Source& source, Workers& workers, const Rereadable<Document>::Use& use) {
  std::vector<Document> documents;
  each_round(source, workers, [&](std::span<DocumentText> texts) {
    documents.clear();
    documents.resize(texts.size());
    each_until_error(workers, texts.size(), [&](std::size_t i) {
      check_interrupt();
      documents[i] = parse_document(std::move(texts[i]));
    }).rethrow();
    std::erase_if(documents, [](const Document& document) { return document.tokens.empty(); });
    use(documents);
  });
}

std::vector<Document> read_documents(const Source& source, Workers& workers) {
  std::vector<Document> all;
  each_documents(source, workers, [&all](std::span<Document> documents) {
    std::ranges::move(documents, std::back_inserter(all));
  });
  return all;
}

}  // namespace hinge::coref
