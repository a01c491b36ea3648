#include "hinge/tasks/coref/rounds.h"

namespace hinge::coref {

void each_round(const Source& source, const Workers& workers,
                const std::function<void(std::span<DocumentText>)>& use) {
  DocumentSplitter splitter(source.input());
  // One thread answers a pipe document by document.
  const std::size_t most = workers.threads() == 1 ? 1 : 4 * static_cast<std::size_t>(workers.threads());
  std::vector<DocumentText> texts;
  for (bool more = true; more;) {
    texts.clear();
    while (more && texts.size() < most) {
      DocumentText text;
      more = splitter.next(text);
      if (more) texts.push_back(std::move(text));
    }
    if (!texts.empty()) use(texts);
  }
}

}  // namespace hinge::coref
