#include "hinge/tasks/coref/writer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/json.h"
#include "hinge/tasks/coref/html.h"
#include "hinge/tasks/coref/rounds.h"

namespace hinge::coref {

namespace {

// Annotates the documents of a round at once: they follow each other in the text, and every line
// stays in its place.
void fill_in(std::span<DocumentText> texts, const std::function<std::string(const Source&)>& annotate) {
  std::string all;
  for (const DocumentText& document : texts) all += document.text;
  if (all.empty()) return;
  all = annotate(Source::of_text(std::move(all), texts[0].source, texts[0].first_line));
  std::string_view rest = all;
  for (DocumentText& document : texts) {
    std::size_t end = 0;
    for (std::size_t lines = count_lines(document.text); lines > 0 && end < rest.size(); --lines)
      end = std::min(rest.find('\n', end), rest.size() - 1) + 1;
    document.text = rest.substr(0, end);
    rest.remove_prefix(end);
  }
  texts.back().text += rest;
}

// {"document": ..., "clusters": [{"mentions": [{"text": ..., "begin": ..., "end": ..., "line": ...}]}]}:
// words of the document from 0, the end excluded.
void append_json(const Document& document, std::span<const Mention> mentions, std::string& out) {
  if (document.tokens.empty()) return;
  std::vector<std::vector<Json>> clusters;
  for (const Mention& mention : mentions) {
    if (clusters.size() <= mention.cluster) clusters.resize(mention.cluster + 1);
    clusters[mention.cluster].push_back(Json()
                                            .set("text", words_of(document, mention.begin, mention.end))
                                            .set("begin", std::int64_t{mention.begin})
                                            .set("end", std::int64_t{mention.end})
                                            .set("line", std::int64_t{document.tokens[mention.begin].line}));
  }
  std::vector<Json> all;
  for (const std::vector<Json>& cluster : clusters) {
    if (!cluster.empty()) all.push_back(Json().set("mentions", cluster));
  }
  Json json;
  json.set("document", document.name);
  if (!document.part.empty()) json.set("part", document.part);
  out += json.set("clusters", all).dump() + '\n';
}

}  // namespace

std::string words_of(const Document& document, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t t = begin; t < end; ++t)
    text.append(text.empty() ? "" : " ").append(document.tokens[t].word);
  return text;
}

void write_resolved(const Resolver& resolver, const Source& source, Page page, Workers& workers,
                    const TakeTexts& take, const std::function<std::string(const Source&)>& annotate) {
  PerThread<Resolver::Workspace> workspaces(workers, [&] { return Resolver::Workspace(resolver); });
  const auto resolve = [&](std::span<DocumentText> texts) {
    predict_each(
        texts.size(), workers,
        [&](std::size_t i, std::string& text) {
          const Document document = parse_document(std::move(texts[i]));
          const std::vector<Mention> mentions = resolver.resolve(document, workspaces.local());
          switch (page) {
            case Page::kText:
              return write_document(document, mentions, {}, text);
            case Page::kHtml:
              return append_html(document, mentions, text);
            case Page::kJson:
              return append_json(document, mentions, text);
          }
        },
        take);
  };
  each_round(source, workers, [&](std::span<DocumentText> texts) {
    if (!annotate) return resolve(texts);
    try {
      fill_in(texts, annotate);
    } catch (const InputError&) {
      if (texts.size() == 1) throw;
      for (DocumentText& one : texts) {  // those before the bad one are written
        fill_in(std::span(&one, 1), annotate);
        resolve(std::span(&one, 1));
      }
      return;
    }
    resolve(texts);
  });
}

}  // namespace hinge::coref
