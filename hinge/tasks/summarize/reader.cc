#include "hinge/tasks/summarize/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/sentences.h"
#include "hinge/files/json.h"

namespace hinge::summarize {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTopicEnd = ".txt.data";  // of Opinosis

// Files, or folders, in order of their names; hidden ones are left out.
std::vector<std::string> entries(const fs::path& folder, bool folders) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory() == folders && !entry.path().filename().string().starts_with('.'))
      paths.push_back(entry.path().string());
  }
  if (error) fail<InputError>("{}: cannot be read ({}); expected a folder", folder.string(), error.message());
  std::ranges::sort(paths);
  return paths;
}

Document read_document(const Json& json) {
  Document document{json.text("name"), json.text("text"), json.texts("trees"), json.texts("sentences")};
  const int forms = !document.text.empty() + !document.trees.empty() + !document.sentences.empty();
  if (forms > 1) throw JsonError("a document has two of text, sentences and trees; give one of them");
  return document;
}

}  // namespace

Encoding parse_encoding(std::string_view name) {
  return name == "latin-1" ? Encoding::kLatin1 : Encoding::kUtf8;
}

Topic parse_topic(std::string_view line, const std::string& where) {
  Topic topic{.where = where};
  try {
    const Json json = Json::parse(line);
    topic.id = json.has("id") ? json.shown("id") : "";
    for (std::string& text : json.texts("docs")) topic.documents.push_back({"", std::move(text), {}});
    for (const Json& document : json.objects("documents")) topic.documents.push_back(read_document(document));
    topic.references = json.texts("refs");
    if (!json.has("docs") && !json.has("documents")) throw JsonError("has no documents");
  } catch (const JsonError& error) {
    fail<InputError>("{}: {}; expected {{\"id\": ..., \"docs\": [text, ...], \"refs\": [text, ...]}}", where,
                     error.what());
  }
  return topic;
}

TopicReader::TopicReader(const Source& source, Encoding encoding)
    : name_(source.name()), encoding_(encoding), memory_(memory_of<Topics>(source, "topics to summarize")) {
  if (memory_ != nullptr) return;
  std::error_code ignored;
  if (!source.in_memory() && !source.read_once() && fs::is_directory(source.path, ignored)) {
    list_folder(source.path);
  } else {
    lines_.emplace(source.input());
  }
}

void TopicReader::list_folder(const std::string& path) {
  std::error_code ignored;
  opinosis_ = fs::is_directory(fs::path(path) / "topics", ignored) &&
              !fs::is_directory(fs::path(path) / "topics" / "docs", ignored);
  paths_ =
      opinosis_ ? entries(fs::path(path) / "topics", /*folders=*/false) : entries(path, /*folders=*/true);
  if (paths_.empty())
    fail<InputError>(
        "{}: has no topics; expected a folder per topic with docs/ and refs/, or topics/ and summaries-gold/",
        path);
}

std::string TopicReader::text_of(const std::string& path) const {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) fail<InputError>("{}: cannot be read; check its permissions", path);
  if (encoding_ == Encoding::kLatin1) bytes = latin1_to_utf8(bytes);
  const std::size_t bad = find_bad_byte(bytes);
  if (bad != std::string::npos)
    fail<InputError>(
        "{}:{}: is not UTF-8 or has a NUL byte; convert it (iconv -f latin1 -t utf-8), or train with "
        "encoding=latin-1",
        path, 1 + count_lines(std::string_view(bytes).substr(0, bad)));
  return bytes;
}

Topic TopicReader::read_folder(const std::string& folder) const {
  Topic topic{.id = fs::path(folder).filename().string()};
  std::error_code ignored;
  const fs::path documents = fs::path(folder) / "docs", references = fs::path(folder) / "refs";
  if (!fs::is_directory(documents, ignored))
    fail<InputError>("{}: has no folder docs; put the topic's documents there, a file each", folder);
  for (const std::string& path : entries(documents, /*folders=*/false))
    topic.documents.push_back({fs::path(path).filename().string(), text_of(path), {}});
  if (!fs::is_directory(references, ignored)) return topic;
  for (const std::string& path : entries(references, /*folders=*/false))
    topic.references.push_back(text_of(path));
  return topic;
}

// A topic's lines come from different reviews.
Topic TopicReader::read_opinosis(const std::string& file) const {
  Topic topic{.id = fs::path(file).filename().string()};
  if (topic.id.ends_with(kTopicEnd)) topic.id.resize(topic.id.size() - kTopicEnd.size());
  const std::string text = text_of(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trim(line);
    if (!line.empty()) topic.documents.push_back({"", std::string(line), {}});
    at = end + 1;
  }
  const fs::path gold = fs::path(file).parent_path().parent_path() / "summaries-gold" / topic.id;
  std::error_code ignored;
  if (!fs::is_directory(gold, ignored)) return topic;
  for (const std::string& path : entries(gold, /*folders=*/false)) topic.references.push_back(text_of(path));
  return topic;
}

bool TopicReader::next(Topic& topic) {
  check_interrupt();
  if (!read(topic)) return false;
  topic.where = where();
  return true;
}

bool TopicReader::read(Topic& topic) {
  if (memory_ != nullptr) {
    if (next_ == memory_->topics.size()) return false;
    topic = memory_->topics[next_++];
    return true;
  }
  if (!lines_) {
    if (next_ == paths_.size()) return false;
    const std::string& path = paths_[next_++];
    topic = opinosis_ ? read_opinosis(path) : read_folder(path);
    return true;
  }
  std::string_view line;
  do {
    if (!lines_->next(line)) return false;
  } while (trim(line).empty());
  topic = parse_topic(line, where());
  return true;
}

std::string TopicReader::where() const {
  if (memory_ != nullptr) return fmt::format("{}: topic {}", name_, next_);
  return lines_ ? fmt::format("{}:{}", lines_->name(), lines_->number()) : paths_[next_ - 1];
}

void each_topics(const Source& source, Encoding encoding, bool need_references,
                 const Rereadable<Topic>::Use& use) {
  constexpr std::size_t kSome = 64;
  TopicReader reader(source, encoding);
  std::vector<Topic> topics;
  bool has_topics = false;
  for (Topic topic; reader.next(topic);) {
    if (need_references && topic.references.empty())
      fail<InputError>("{}: has no references; training and evaluation need at least one per topic",
                       topic.where);
    topics.push_back(std::move(topic));
    has_topics = true;
    if (topics.size() < kSome) continue;
    use(topics);
    topics.clear();
  }
  if (!has_topics)
    fail<InputError>("{}: has no topics; expected JSON lines with docs and refs, or a folder per topic",
                     reader.name());
  if (!topics.empty()) use(topics);
}

std::vector<Topic> read_topics(const Source& source, Encoding encoding, bool need_references) {
  std::vector<Topic> all;
  each_topics(source, encoding, need_references,
              [&all](std::span<Topic> topics) { std::ranges::move(topics, std::back_inserter(all)); });
  return all;
}

}  // namespace hinge::summarize
