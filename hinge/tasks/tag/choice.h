// features=auto: templates chosen by what the labels are and which columns there are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/tasks/source.h"
#include "hinge/tasks/tag/options.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

struct Choice {
  std::string templates;             // a preset, a file, or "attributes"
  std::vector<std::size_t> columns;  // beside the words, that templates are added for
  std::string reason;                // one line for people; "" if there was nothing to choose
};

enum class LabelKind { kPhrases, kEntities, kTags };

// What well-known labels say: B-NP is a phrase, B-PER (or any other type) an entity; labels
// without B-, I- and the like are tags.
LabelKind kind_of(std::span<const std::string> labels);

// "ner (words and columns 1, 2)": templates and what they read, the columns without that of words.
std::string features_text(std::string_view templates, std::span<const std::size_t> columns);

// How training files are read, as far as the options tell.
FileLayout reader_layout(const TagOptions& options);

// What O costs in place of a phrase (the option `miss`), with these templates.
double chosen_miss(const TagOptions& options, std::string_view templates);

// By the first sentences if features=auto: np-chunk for phrases with a column of tags, ner for
// other spans, pos for tags. To ner, and to all that auto chooses for entities and tags, the
// columns that look like tags are added.
Choice choose_templates(const TagOptions& options, const Source& source);

}  // namespace hinge::tag
