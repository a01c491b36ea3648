#include "hinge/tasks/coref/writer.h"

#include "hinge/tasks/coref/html.h"
#include "hinge/tasks/coref/rounds.h"

namespace hinge::coref {

void write_resolved(const Resolver& resolver, const Source& source, Page page, Workers& workers,
                    const TakeTexts& take) {
  PerThread<Resolver::Workspace> workspaces(workers, [&] { return Resolver::Workspace(resolver); });
  const auto put = [&take](const std::string& text) { take(std::span(&text, 1)); };
  if (page == Page::kHtml) put(html_begin());
  each_round(source, workers, [&](std::span<DocumentText> texts) {
    predict_each(
        texts.size(), workers,
        [&](std::size_t i, std::string& text) {
          const Document document = parse_document(std::move(texts[i]));
          const std::vector<Mention> mentions = resolver.resolve(document, workspaces.local());
          page == Page::kHtml ? append_html(document, mentions, text)
                              : write_document(document, mentions, {}, text);
        },
        take);
  });
  if (page == Page::kHtml) put(html_end());
}

}  // namespace hinge::coref
