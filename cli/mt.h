// The translation decoder as the tuning loop sees it.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/mt/model.h"
#include "hinge/pipeline/decoder.h"

namespace hinge::cli {

// Decodes in this process. `parameters` are options of the search as name=value. The
// model and the workers must outlive it. Throws OptionError.
Decoder translation_decoder(const mt::Model& model, std::size_t nbest,
                            const std::vector<std::string>& parameters, Workers& workers);

}  // namespace hinge::cli
