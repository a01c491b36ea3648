#include "hinge/tasks/coref/rounds.h"

#include <exception>

#include "hinge/core/error.h"

namespace hinge::coref {

void each_round(const Source& source, const Workers& workers,
                const std::function<void(std::span<DocumentText>)>& use) {
  DocumentSplitter splitter(source.input());
  const std::size_t most = 4 * static_cast<std::size_t>(workers.threads());
  std::vector<DocumentText> texts;
  for (DocumentText text; splitter.next(text);) {
    texts.clear();
    texts.push_back(std::move(text));
    std::exception_ptr error;  // what is wrong with the next document
    try {
      while (texts.size() < most && splitter.next_arrived(text)) texts.push_back(std::move(text));
    } catch (const InputError&) {
      error = std::current_exception();
    }
    use(texts);
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace hinge::coref
