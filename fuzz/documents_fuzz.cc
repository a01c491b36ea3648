// Any bytes are either read as documents whose layers fit together and that are the same
// when written and read again, or refused with an InputError.
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/corpus/documents.h"

namespace {

using hinge::Document;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

template <typename Range>
void check_range(const Document& document, const Range& range) {
  require(range.begin < range.end && range.end <= document.tokens.size());
}

void check(const Document& document) {
  std::uint32_t at = 0;
  for (const hinge::TokenRange& sentence : document.sentences) {
    check_range(document, sentence);
    require(sentence.begin == at);
    at = sentence.end;
    for (std::uint32_t token = sentence.begin; token < sentence.end; ++token) {
      std::uint32_t steps = 0;
      for (std::uint32_t up = token; up != hinge::kNoToken; up = document.tokens[up].head) {
        require(sentence.begin <= up && up < sentence.end);
        if (++steps > 64) break;  // long walks are for the reader
      }
    }
  }
  require(at == document.tokens.size());
  for (const hinge::LabelledRange& range : document.constituents) check_range(document, range);
  for (const hinge::LabelledRange& range : document.entities) check_range(document, range);
  for (const hinge::Mention& mention : document.mentions) {
    check_range(document, mention);
    require(mention.cluster < document.cluster_names.size());
    require(mention.head == hinge::kNoToken || mention.head < document.tokens.size());
  }
}

// Name of the cluster, begin, end.
using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;

std::vector<Key> keys(const Document& document) {
  std::vector<Key> result;
  for (const hinge::Mention& mention : document.mentions) {
    result.emplace_back(std::string(document.cluster_names[mention.cluster]), mention.begin, mention.end);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<Document> read_all(const hinge::TextInput& input, hinge::DocumentFormat format) {
  hinge::DocumentReader reader(input, format);
  std::vector<Document> documents(1);
  while (reader.next(documents.back(), /*keep_empty=*/true)) {
    check(documents.back());
    documents.emplace_back();
  }
  documents.pop_back();
  return documents;
}

std::string written(const std::vector<Document>& documents, bool empty) {
  std::string text;
  for (const Document& document : documents) {
    if (empty) {
      hinge::write_document(document, {}, {}, text);
    } else {
      hinge::write_document(document, document.mentions, document.cluster_names, text);
    }
  }
  return text;
}

void check_written(const std::vector<Document>& documents, hinge::DocumentFormat format) {
  const std::string text = written(documents, /*empty=*/false);
  const std::vector<Document> again = read_all(hinge::TextInput(text, "written"), format);
  require(again.size() == documents.size());
  for (std::size_t k = 0; k < again.size(); ++k) {
    require(again[k].tokens.size() == documents[k].tokens.size());
    // Parts of discontinuous mentions may cross others of their cluster.
    if (documents[k].text->find('[') == std::string::npos) require(keys(again[k]) == keys(documents[k]));
  }
  require(written(again, /*empty=*/false) == text);
  const std::string bare = written(documents, /*empty=*/true);
  for (const Document& document : read_all(hinge::TextInput(bare, "written"), format)) {
    require(document.mentions.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr hinge::DocumentFormat kFormats[] = {hinge::DocumentFormat::kAuto,
                                                hinge::DocumentFormat::kConll2012,
                                                hinge::DocumentFormat::kConllu, hinge::DocumentFormat::kAuto};
  const hinge::DocumentFormat format = kFormats[data[0] & 3];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<Document> documents;
  try {
    if ((data[0] & 12) != 12) {
      documents = read_all(hinge::TextInput(text, "text"), format);
    } else {  // slower, so less often
      const hinge::fuzz::MemoryFile file(data + 1, size - 1);
      documents = read_all(hinge::TextInput(file.path()), format);
    }
  } catch (const hinge::InputError&) {
    return 0;
  }
  check_written(documents, format);  // must not be refused
  return 0;
}
