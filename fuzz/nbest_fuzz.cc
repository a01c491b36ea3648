// Any bytes are either refused with an InputError or read as n-best lists whose
// arrays are consistent and that stay the same when written and read again. The
// first byte chooses: text, merged or not; a cache whose sections are the rest, cut
// at random, under valid checksums; or a weights file.
#include <algorithm>
#include <cmath>

#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/lists.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/files/section_file.h"

namespace {

constexpr hinge::SectionKind kForged = {
    .magic = std::string_view("HNBST\r\n\x1a", 8),
    .format = hinge::kNBestCacheFormat,
};

void use(const hinge::NBestLists& lists) {
  std::size_t seen = 0;
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    if (lists.begin(list) >= lists.end(list)) __builtin_trap();
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h, ++seen) {
      (void)std::count(lists.text(h).begin(), lists.text(h).end(), ' ');
      const hinge::FeatureRow row = lists.row(h);
      for (std::size_t i = 0; i < row.features.size(); ++i) {
        if (lists.name(row.features[i]).empty() || !std::isfinite(row.values[i])) __builtin_trap();
      }
    }
  }
  if (seen != lists.hypotheses()) __builtin_trap();
}

std::string text_of(const hinge::NBestLists& lists) {
  std::string text;
  const hinge::NBestLayout layout;
  hinge::NBestWriter writer(lists, layout);
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
      text += writer.line(list, h);
      text += '\n';
    }
  }
  return text;
}

hinge::NBestLists read(std::string_view bytes, const hinge::NBestOptions& options) {
  const hinge::fuzz::MemoryFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return hinge::read_nbest(file.path(), options);
}

void read_text(std::string_view bytes, const hinge::NBestOptions& options) {
  const hinge::NBestLists lists = read(bytes, options);
  use(lists);
  const std::string text = text_of(lists);
  try {
    if (text_of(read(text, {})) != text) __builtin_trap();
  } catch (const hinge::InputError&) {
    __builtin_trap();
  }
}

void read_sections(std::string_view bytes) {
  hinge::SectionWriter writer(kForged);
  for (const char* name : {"list_begin", "text_begin", "row_begin", "name_begin", "ids", "features", "parts",
                           "texts", "names", "values", "scores", "costs"}) {
    const std::size_t size =
        bytes.empty() ? 0 : std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), bytes.size() - 1);
    if (!bytes.empty()) bytes.remove_prefix(1);
    writer.add(name, std::string(bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
  use(read(writer.bytes(), {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
        read_text(bytes, {});
        break;
      case 1:
        read_text(bytes, {.merge = true, .cost_feature = "c"});
        break;
      case 2:
        read_sections(bytes);
        break;
      case 3: {
        const hinge::fuzz::MemoryFile file(data + 1, size - 1);
        (void)hinge::read_weights(file.path());
      }
    }
  } catch (const hinge::InputError&) {
    return 0;
  }
  return 0;
}
