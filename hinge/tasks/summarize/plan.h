// Everything but the weights: what a training set and a model share.
#pragma once

#include <string>

#include "hinge/model/model_file.h"
#include "hinge/tasks/summarize/data.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/summarize/reader.h"

namespace hinge::summarize {

struct Plan {
  TextOptions text;
  DataOptions data;
  Encoding encoding = Encoding::kUtf8;
  std::string features = "all";
  std::string solver = "auto";
  std::string parser;  // the bytes of a `const` model that makes trees; "": none
  Phrases phrases;
};

// "wrapped" or "sentences".
Lines parse_lines(std::string_view name);

Plan make_plan(const SummarizeOptions& options);

// Writes all of it into a model, and reads it from one. Throws ModelError if it is damaged.
void write_plan(const Plan& plan, ModelWriter& out, Json& meta);
Plan read_plan(const ModelFile& file);

}  // namespace hinge::summarize
