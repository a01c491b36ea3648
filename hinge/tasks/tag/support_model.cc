#include "hinge/tasks/tag/support_model.h"

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge::tag {
namespace {

Kernel read_kernel(const ModelFile& file) {
  const auto numbers = file.array<double>("sv.kernel");
  const bool valid = numbers.size() == 4 && (numbers[0] == 1.0 || numbers[0] == 2.0) && numbers[1] >= 1.0 &&
                     numbers[1] <= 4.0 && numbers[3] >= 0.0;
  if (!valid) fail<ModelError>("{}: the kernel is damaged; train it again", file.name());
  return {.kind = static_cast<Kernel::Kind>(numbers[0]),
          .degree = static_cast<int>(numbers[1]),
          .s = numbers[2],
          .r = numbers[3],
          .vectors = true};
}

}  // namespace

void write_support(const SupportTask& task, const Weights& w, std::size_t budget, const Kernel& kernel,
                   const std::vector<Key>& keys, ModelWriter& out) {
  const ChainData& data = task.data();
  const std::size_t labels = task.layout().labels;
  KeyIndex members;
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> ids;
  std::vector<float> values, rows;
  for (const std::uint32_t v : task.largest(w, budget)) {
    for (std::size_t k = data.node_begin[v]; k < data.node_begin[v + 1]; ++k) {
      ids.push_back(members.add(keys[data.node_ids[k]]));
      if (!data.node_values.empty()) values.push_back(data.node_values[k]);
    }
    begin.push_back(ids.size());
    const auto alpha = w.span().subspan(task.layout().node(v, 0), labels);
    rows.insert(rows.end(), alpha.begin(), alpha.end());
  }
  const double numbers[] = {static_cast<double>(kernel.kind), static_cast<double>(kernel.degree), kernel.s,
                            kernel.r};
  out.add_array("sv.kernel", std::span<const double>(numbers));
  out.add_array("sv.begin", std::span<const std::uint64_t>(begin));
  out.add_array("sv.ids", std::span<const std::uint32_t>(ids));
  out.add_array("sv.values", std::span<const float>(values));
  out.add_array("sv.rows", std::span<const float>(rows));
  out.add_array("sv.constant", w.span().subspan(task.layout().node(data.tokens(), 0), labels));
  out.add_array("member.slots", members.slots());
  out.add_array("member.numbers", members.numbers());
}

SupportVectors::SupportVectors(const ModelFile& file, std::size_t labels) : labels_(labels) {
  if (!file.description().flag("kernel_vectors")) return;
  members_ = KeyIndex(file.array<Key>("member.slots"), file.array<std::uint32_t>("member.numbers"));
  const auto begin = file.array<std::uint64_t>("sv.begin");
  const auto ids = file.array<std::uint32_t>("sv.ids");
  const auto values = file.array<float>("sv.values");
  rows_ = file.array<float>("sv.rows");
  constant_ = file.array<float>("sv.constant");
  const std::size_t features = members_.size();
  const auto known = [features](std::uint32_t id) { return id < features; };
  const auto numbers = file.array<std::uint32_t>("member.numbers");
  const bool valid =
      !begin.empty() && begin.front() == 0 && begin.back() == ids.size() && std::ranges::is_sorted(begin) &&
      (values.empty() || values.size() == ids.size()) && rows_.size() == (begin.size() - 1) * labels &&
      constant_.size() == labels && std::ranges::all_of(ids, known) &&
      std::ranges::all_of(numbers, [&](std::uint32_t n) { return n < std::max<std::size_t>(features, 1); });
  if (!valid) fail<ModelError>("{}: the support vectors are damaged; train it again", file.name());
  const std::vector<std::size_t> first(begin.begin(), begin.end());
  index_ = std::make_unique<SupportIndex>(read_kernel(file), features, first, ids, values);
}

void SupportVectors::add_to(std::span<const Key> keys, const float* values, Scratch& scratch,
                            float* sums) const {
  scratch.ids.clear();
  scratch.values.clear();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::uint32_t id = keys[k] == kAbsent ? KeyIndex::kNone : members_.find(keys[k]);
    if (id == KeyIndex::kNone) continue;
    scratch.ids.push_back(id);
    scratch.values.push_back(values == nullptr ? 1.0f : values[k]);
  }
  index_->multiply(scratch.ids, scratch.values.data(), scratch.products);
  for (std::size_t y = 0; y < labels_; ++y) sums[y] += static_cast<float>(index_->constant()) * constant_[y];
  for (std::size_t v = 0; v < scratch.products.size(); ++v) {
    if (scratch.products[v] == 0.0f) continue;
    const float kernel = index_->kernel(scratch.products[v]);
    const float* alpha = rows_.data() + v * labels_;
    for (std::size_t y = 0; y < labels_; ++y) sums[y] += kernel * alpha[y];
  }
}

}  // namespace hinge::tag
