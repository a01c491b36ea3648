#include "hinge/tasks/coref/documents.h"

#include <algorithm>
#include <iterator>

#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/tasks/coref/rounds.h"

namespace hinge::coref {

void each_documents(const Source& source, Workers& workers,
                    const std::function<void(std::span<Document>)>& use) {
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

TrainingDocuments::TrainingDocuments(const Source& source, Workers& workers, bool keep)
    : source_(source), workers_(workers), keep_(keep) {
  if (keep) kept_ = read_documents(source, workers);
}

void TrainingDocuments::each(const std::function<void(std::span<const Document>)>& use) const {
  if (!keep_) return each_documents(source_, workers_, use);
  const std::size_t most = 16 * static_cast<std::size_t>(workers_.threads());
  for (std::size_t begin = 0; begin < kept_.size(); begin += most)
    use(std::span(kept_).subspan(begin, std::min(most, kept_.size() - begin)));
}

}  // namespace hinge::coref
