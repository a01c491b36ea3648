#include "hinge/learn/ops.h"

#include <algorithm>

#include "hinge/learn/steps/adagrad.h"
#include "hinge/learn/steps/gradient_bytes.h"
#include "hinge/learn/steps/lazy_learner.h"

namespace hinge {
namespace {

class Ops final : public LazyLearner {
 public:
  Ops(const Task& task, const OpsOptions& options, Workers& workers)
      : LazyLearner(task, options.batch, workers), options_(options), cuts_(most_in_batch()) {
    set_step(make_adagrad(task.dimension(), {.eta = options.eta,
                                             .lambda = regularizer_share(options.C),
                                             .l1 = options.regularizer == "l1",
                                             .lazy = options.lazy,
                                             .average = options.average,
                                             .tolerance = options.tolerance}));
  }

  ObjectiveKind objective() const override {
    const bool l1 = options_.regularizer == "l1";
    return {.loss = Loss::kL1, .C = options_.C, .l2 = l1 ? 0.0 : 1.0, .l1 = l1 ? 1.0 : 0.0};
  }

 protected:
  void ask(std::size_t b, std::size_t example, Scratch& scratch) override {
    task().most_violated(example, current(), /*loss_weight=*/1.0, scratch, cuts_[b]);
  }

  void use(std::size_t b, std::size_t example, Pass& pass) override {
    const Cut& cut = cuts_[b];
    check_cut(cut, example);
    pass.updates += !cut.psi.empty();
    pass.loss += cut.loss;
    pass.violation += std::max(0.0, cut.violation());
    step().add(-1.0, cut.psi);
  }

  void put(std::size_t b, std::size_t example, Bytes& out) override {
    check_cut(cuts_[b], example);
    put_cut(cuts_[b], out);
  }
  void take(std::size_t b, std::span<const std::byte>& in) override { take_cut(in, cuts_[b]); }

 private:
  OpsOptions options_;
  std::vector<Cut> cuts_;  // [most_in_batch()]
};

}  // namespace

std::unique_ptr<Learner> make_ops(const Task& task, const OpsOptions& options, Workers& workers) {
  return std::make_unique<Ops>(task, options, workers);
}

}  // namespace hinge
