// From parallel text to a translation model: alignment, rules, language model.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/files/json.h"
#include "hinge/files/output_file.h"
#include "hinge/mt/aligner.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/extract.h"
#include "hinge/mt/ngram_estimate.h"

namespace hinge::mt {

struct TrainOptions {
  BitextOptions text;
  AlignOptions align;
  ExtractOptions extract;
  NgramOptions language_model;
  std::string sparse;
  std::int64_t frequent = 0;

  void describe(OptionTable& table);
};

struct TrainInput {
  std::string source, target;  // files
  std::string alignment;       // a file with the links; "": align
  std::string arpa;            // a language model; "": estimate one from the target side
};

// Called with a line about each step that is done.
using Say = std::function<void(const std::string&)>;

// Throws InputError, OptionError. The same bytes at any number of threads.
void train(const TrainInput& input, const TrainOptions& options, OutputFile& out, Workers& workers,
           const Say& say);

}  // namespace hinge::mt
