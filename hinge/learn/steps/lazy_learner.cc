#include "hinge/learn/steps/lazy_learner.h"

#include <algorithm>

namespace hinge {

LazyLearner::LazyLearner(const Task& task, std::int64_t batch, Workers& workers)
    : task_(task),
      workers_(workers),
      scratches_(task, workers),
      batch_(std::min(static_cast<std::size_t>(batch), std::max<std::size_t>(task.size(), 1))) {}

double LazyLearner::regularizer_share(double C) const {
  return share_of_regularizer(C, std::max<std::size_t>(1, (task_.size() + batch_ - 1) / batch_));
}

void LazyLearner::run_pass(Pass& pass) {
  for (std::size_t begin = 0; begin < pass.order.size() && !pass.cancelled(); begin += batch_) {
    const auto examples = pass.order.subspan(begin, std::min(batch_, pass.order.size() - begin));
    pass.updating.start();
    blocks_.clear();
    for (const std::uint32_t i : examples) task_.support(i, scratches_.local(), blocks_);
    step_->catch_up(blocks_);
    pass.updating.stop();
    pass.decoding.start();
    workers_.each(examples.size(),
                  [&](std::size_t b) { ask(b, examples[b], step_->current(), scratches_.local()); });
    pass.decoding.stop();
    pass.updating.start();
    for (std::size_t b = 0; b < examples.size(); ++b) {
      ++pass.examples;
      use(b, examples[b], pass, *step_);
    }
    step_->step();
    pass.updating.stop();
  }
}

}  // namespace hinge
