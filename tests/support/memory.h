// Data in memory for tests, from the text of files.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hinge/tasks/dep/memory.h"
#include "hinge/tasks/tag/memory.h"

namespace hinge::test {

// Columns with the label last; without it if not labelled.
tag::Sentences cells_of(const std::string& text, bool labelled);

struct AttributeToken {
  std::string label;
  std::vector<std::pair<std::string, double>> attributes;
};
using AttributeSentences = std::vector<std::vector<AttributeToken>>;

// The sample of `tag` with words and tags as attributes: some with values, some
// names with colons and backslashes, some tokens without attributes.
AttributeSentences attribute_sentences(std::int64_t sentences, std::uint64_t seed);
tag::Sentences attributes_of(const AttributeSentences& sentences, bool labelled);
std::string attribute_text(const AttributeSentences& sentences);  // in CRFsuite's format

// CoNLL-U without comments; without trees if not annotated.
dep::Trees trees_of(const std::string& conllu, bool annotated);

}  // namespace hinge::test
