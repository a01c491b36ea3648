#include "hinge/tasks/summarize/writer.h"

#include "hinge/files/json.h"

namespace hinge::summarize {

void append_summary(const Topic& topic, const Summary& summary, bool scores, std::string& out) {
  std::string text;
  std::vector<Json> sentences;
  for (const SummarySentence& sentence : summary.sentences) {
    if (!text.empty()) text += '\n';
    text += sentence.text;
    Json& json = sentences.emplace_back();
    json.set("document", std::int64_t{sentence.document} + 1);
    const std::string& name = topic.documents[sentence.document].name;
    if (!name.empty()) json.set("name", name);
    json.set("sentence", std::int64_t{sentence.position} + 1);
    json.set("text", sentence.text);
    if (sentence.cut) json.set("cut", true);
  }
  Json json;
  json.set("id", topic.id);
  json.set("summary", text);
  json.set("words", static_cast<std::int64_t>(summary.words));
  if (scores) json.set("score", summary.score).set("bound", summary.bound);
  if (scores || !summary.exact) json.set("exact", summary.exact);
  json.set("sentences", sentences);
  out += json.dump() + '\n';
}

}  // namespace hinge::summarize
