// The models that annotate the data of a job, as named in its settings.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hinge/core/threads.h"
#include "hinge/pipeline/annotate.h"
#include "hinge/pipeline/job_settings.h"

namespace hinge {

// Models separated by commas; none if the text is empty. Throws OptionError,
// calling the setting `name`, if the text names no model.
Annotators open_annotators(const std::string& models, std::string_view name);

// Training data for these settings: each part annotated by models learned from the
// others. `say` is told of each part, `observer` watches the training.
Source annotate_training(const Source& source, const JobSettings& settings, Workers& workers,
                         Observer& observer, const std::function<void(const std::string&)>& say);

}  // namespace hinge
