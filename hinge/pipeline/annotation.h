// Data as taggers annotate it: parsers read tags that taggers wrote.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hinge/core/threads.h"
#include "hinge/pipeline/job_settings.h"
#include "hinge/pipeline/tagging.h"
#include "hinge/tasks/source.h"

namespace hinge {

// A source, and what it needs to live.
class Annotated {
 public:
  explicit Annotated(Source source) : source_(std::move(source)) {}
  explicit Annotated(TemporaryFile file) : file_(std::move(file)), source_(file_->path()) {}
  const Source& source() const { return source_; }

 private:
  std::optional<TemporaryFile> file_;
  Source source_;
};

// `source` with the columns of `taggers` filled in: models of task `tag`,
// separated by commas; without any, as it is. Throws OptionError, naming the
// setting as `name`, if the text names no model.
Annotated annotate(const Source& source, const std::string& taggers, std::string_view name);

// Training data as the settings ask for it: each part is tagged by taggers
// learned from the others. `say` hears of each part, `observer` watches them learn.
Annotated annotate_training(const Source& source, const JobSettings& settings, Workers& workers,
                            Observer& observer, const std::function<void(const std::string&)>& say);

}  // namespace hinge
