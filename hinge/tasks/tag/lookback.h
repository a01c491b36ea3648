// Slices of a text together with the sentences before them, for models that read earlier
// sentences. So their predictions do not depend on how a text is sliced.
#pragma once

#include <functional>
#include <string>
#include <span>
#include <string_view>

#include "hinge/tasks/predict_text.h"
#include "hinge/tasks/slices.h"

namespace hinge::tag {

struct LookbackSlice {
  Slice slice;
  // Of a text: at least as many sentences before the slice as were asked for, or all; first
  // those of an earlier round.
  std::string_view before[2];
};

// Reads slices with what is before them.
class LookbackPredictor : public SlicePredictor {
 public:
  void predict(const Slice& slice, std::string& out) final { predict(LookbackSlice{slice, {}}, out); }
  virtual void predict(const LookbackSlice& slice, std::string& out) = 0;
};

// Calls body(slices) with one round of slices after another (SliceReader), each of which looks
// back `sentences`.
void each_round_looking_back(const Source& source, ColumnFormat format, std::size_t sentences, Workers& workers,
                             const std::function<void(std::span<const LookbackSlice>)>& body);

}  // namespace hinge::tag
