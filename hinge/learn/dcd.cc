#include "hinge/learn/dcd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hinge/learn/working_set.h"

namespace hinge {
namespace {

class Dcd final : public Learner {
 public:
  Dcd(const Task& task, const DcdOptions& options)
      : task_(task),
        options_(options),
        scratch_(task.make_scratch()),
        w_(task.dimension()),
        sets_(task.size()),
        order_(task.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  void run_pass(Pass& pass) override {
    pass.updating.start();
    constexpr std::int64_t kRefreshEvery = 16;  // passes; rounding makes w drift away from sum alpha psi
    if (++passes_ % kRefreshEvery == 0) w_ = model();
    if (!std::ranges::all_of(sets_, [](const WorkingSet& set) { return set.members().empty(); })) {
      for (std::int64_t r = 0; r < options_.inner_passes && !pass.cancelled(); ++r) sweep_all(pass.random);
    }
    pass.updating.stop();
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      visit(i, pass);
    }
  }

  // Computed from alpha: the residues of step-by-step updates are gone.
  Weights model() const override {
    Weights w(task_.dimension());
    add_weights(sets_, w);
    return w;
  }
  Weights take_model() override {
    w_ = Weights();
    Weights w = model();
    sets_ = {};
    return w;
  }

  ObjectiveKind objective() const override { return {.loss = Loss::kL2, .C = options_.C}; }

  std::optional<double> dual() const override {
    return dual_value(sets_, squared_norm(model()), Loss::kL2, options_.C);
  }

 private:
  void visit(std::size_t i, Pass& pass) {  // lines 11 to 15 of Algorithm 3
    WorkingSet& set = sets_[i];
    pass.decoding.start();
    task_.most_violated(i, w_, /*loss_weight=*/1.0, *scratch_, cut_);
    pass.decoding.stop();
    check_cut(cut_, i);
    pass.updating.start();
    ++pass.examples;
    pass.loss += cut_.loss;
    const double violation = cut_.violation();
    pass.violation += std::max(0.0, violation) * std::max(0.0, violation);
    if (violation - set.mass() / (2.0 * options_.C) >= options_.tolerance) {
      cut_.psi.merge();
      set.join(cut_);
      ++pass.updates;
    }
    sweep(set, pass.random);
    pass.updating.stop();
  }

  void sweep_all(Random& random) {  // lines 4 to 7 of Algorithm 3
    random.shuffle(std::span(order_));
    for (const std::uint32_t i : order_) sweep(sets_[i], random);
  }

  void sweep(WorkingSet& set, Random& random) {  // Algorithm 1
    std::vector<Member>& members = set.members();
    if (members.empty()) return;
    random.shuffle(std::span(members).subspan(1));
    const double ridge = 1.0 / (2.0 * options_.C);
    double mass = set.mass();
    bool idle = false;
    for (Member& member : members) {
      const double d = (member.loss - dot(w_, member.psi) - ridge * mass) / (member.curvature + ridge);
      const double change = std::max(member.alpha + d, 0.0) - member.alpha;
      if (change != 0.0) axpy(change, member.psi, w_);
      member.alpha = std::max(member.alpha + d, 0.0);
      mass += change;
      idle = idle || member.alpha == 0.0;
    }
    if (idle) set.drop_idle();
  }

  const Task& task_;
  DcdOptions options_;
  std::unique_ptr<Scratch> scratch_;
  Weights w_;
  std::vector<WorkingSet> sets_;
  std::vector<std::uint32_t> order_;
  std::int64_t passes_ = 0;
  Cut cut_;
};

}  // namespace

std::unique_ptr<Learner> make_dcd(const Task& task, const DcdOptions& options) {
  return std::make_unique<Dcd>(task, options);
}

}  // namespace hinge
