// The support vectors of a model file: writing and using them.
#pragma once

#include <memory>
#include <vector>

#include "hinge/features/key_index.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/tag/support_task.h"

namespace hinge::tag {

// At most `budget` vectors, if it is not 0: those with the longest alpha kappa(x, .). Zero
// ones are never saved. `keys` of the features.
void write_support(const SupportTask& task, const Weights& w, std::size_t budget, const Kernel& kernel,
                   const std::vector<Key>& keys, ModelWriter& out);

class SupportVectors {
 public:
  // Views the file, which must outlive it. Throws ModelError if it is damaged.
  SupportVectors(const ModelFile& file, std::size_t labels);

  // One per thread.
  struct Scratch {
    std::vector<std::uint32_t> ids;
    std::vector<float> values;
    std::vector<float> products;
  };

  bool empty() const { return index_ == nullptr; }  // the model has none
  std::size_t size() const { return empty() ? 0 : index_->size(); }
  // Adds a token's scores to `sums`. Absent keys are skipped; values null means all ones.
  void add_to(std::span<const Key> keys, const float* values, Scratch& scratch, float* sums) const;

 private:
  std::size_t labels_;
  KeyIndex members_;
  std::unique_ptr<SupportIndex> index_;
  std::span<const float> rows_;      // [vectors][labels]
  std::span<const float> constant_;  // [labels]
};

}  // namespace hinge::tag
