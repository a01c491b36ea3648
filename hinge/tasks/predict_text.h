// Prediction on all threads: one reads the text, all split, decode and format
// its slices, and the output keeps the order of the input. Neither output nor
// errors depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hinge/files/output_file.h"
#include "hinge/tasks/slices.h"

namespace hinge {

// Writes a model's predictions; one per thread. Sentences are independent, so
// the output does not depend on how the text is sliced.
class SlicePredictor {
 public:
  virtual ~SlicePredictor() = default;
  // Appends to `out` sentence by sentence: if it throws, the sentences before the
  // bad one are already there.
  virtual void predict(const Slice& slice, std::string& out) = 0;
};

using MakeSlicePredictor = std::function<std::unique_ptr<SlicePredictor>()>;

// Receives the outputs of one round, in order. For a pipe it is called as soon
// as sentences have arrived.
using TakeTexts = std::function<void(std::span<const std::string>)>;

// Throws the first error in input order, once all output before it was taken.
void predict_text(const Source& source, ColumnFormat format, Workers& workers, const MakeSlicePredictor& make,
                  const TakeTexts& take);

// The same for n inputs in memory: predict(i, out) appends to `out`.
void predict_each(std::size_t n, Workers& workers,
                  const std::function<void(std::size_t, std::string&)>& predict, const TakeTexts& take);

// Writes to a file or pipe, flushed after every round.
TakeTexts write_to(OutputFile& out);
// Appends to a text, which must outlive the result.
TakeTexts append_to(std::string& text);

}  // namespace hinge
