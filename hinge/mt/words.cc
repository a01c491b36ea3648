#include "hinge/mt/words.h"

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge::mt {

Words::Words(const SectionFile& file, std::string_view name) {
  const auto section = [&](const char* part) { return std::string(name) + part; };
  viewed_texts_ = file.section(section(".text"));
  viewed_begins_ = file.array<std::uint64_t>(section(".begin"));
  if (viewed_begins_.empty() || viewed_begins_.front() != 0 ||
      viewed_begins_.back() != viewed_texts_.size() || !std::ranges::is_sorted(viewed_begins_))
    file.refuse_damaged("the texts of its words do not fit together");
  index_ = KeyIndex(file.array<Key>(section(".keys")), file.array<std::uint32_t>(section(".nums")));
  if (index_.size() != size()) file.refuse_damaged("it has more or fewer words than their index");
}

Word Words::add(std::string_view text) {
  const Word word = index_.add(hash_text(text));
  if (word == begins_.size() - 1) {
    texts_ += text;
    begins_.push_back(texts_.size());
  }
  return word;
}

void Words::write(SectionWriter& writer, const std::string& name) const {
  writer.add(name + ".text", std::string(texts()));
  writer.add_view(name + ".begin", begins());
  writer.add_view(name + ".keys", index_.slots());
  writer.add_view(name + ".nums", index_.numbers());
}

}  // namespace hinge::mt
