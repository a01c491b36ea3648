// Prediction on all threads: one reads the text, all split, decode and format
// its slices, and what they write comes out in the order of the input. Neither
// bytes nor errors depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hinge/files/output_file.h"
#include "hinge/tasks/slices.h"

namespace hinge {

// What a model writes for sentences; one for each thread. Every sentence is by
// itself, so that any slices give the same bytes.
class SlicePredictor {
 public:
  virtual ~SlicePredictor() = default;
  // Appends to `out`, sentence by sentence: of a slice that throws, those before
  // the wrong one are there.
  virtual void predict(const Slice& slice, std::string& out) = 0;
};

using MakeSlicePredictor = std::function<std::unique_ptr<SlicePredictor>()>;

// Takes what belongs together, in order. From a pipe it is called as soon as
// sentences are there.
using TakeTexts = std::function<void(std::span<const std::string>)>;

// Throws the first error in the order of the input, after all before it was taken.
void predict_text(const Source& source, ColumnFormat format, Workers& workers, const MakeSlicePredictor& make,
                  const TakeTexts& take);

// The same for n inputs that are in memory: predict(i, out) appends to `out`.
void predict_each(std::size_t n, Workers& workers,
                  const std::function<void(std::size_t, std::string&)>& predict, const TakeTexts& take);

// To a file or pipe, which gets every answer as soon as it is there.
TakeTexts write_to(OutputFile& out);
// To the end of a text, which must stay.
TakeTexts append_to(std::string& text);

}  // namespace hinge
