#include "hinge/learn/registry.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/factored_task.h"
#include "hinge/core/join.h"
#include "hinge/core/line_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/shards.h"
#include "hinge/learn/arow.h"
#include "hinge/learn/bcfw.h"
#include "hinge/learn/cpd.h"
#include "hinge/learn/crf.h"
#include "hinge/learn/cutting_plane.h"
#include "hinge/learn/dcd.h"
#include "hinge/learn/egd.h"
#include "hinge/learn/extragradient.h"
#include "hinge/learn/mert.h"
#include "hinge/learn/mira.h"
#include "hinge/learn/one_slack.h"
#include "hinge/learn/online_dual.h"
#include "hinge/learn/ops.h"
#include "hinge/learn/perceptron.h"
#include "hinge/learn/sgd.h"
#include "hinge/learn/smd.h"
#include "hinge/learn/smo.h"
#include "hinge/learn/softmax_margin.h"

namespace hinge {

std::string need_names(std::span<const Need> needs) {
  std::vector<std::string_view> names;
  for (const Need& need : needs) names.push_back(need.name);
  return names.empty() ? "nothing" : join(names, ", ");
}

std::string unmet_names(std::span<const Need> needs, const Task& task) {
  std::vector<std::string_view> names;
  for (const Need& need : needs) {
    if (!need.is_met(task)) names.push_back(need.name);
  }
  return join(names, " and ");
}

namespace {

// Refuses a task in several shards if the learner needs all examples in one.
void check_shards(const LearnerRow& wanted, const Task& task) {
  const std::size_t shards = shards_of(task).count();
  if (shards == 1 || !wanted.shards.empty()) return;
  std::vector<std::string_view> others;
  for (const LearnerRow& row : learner_table()) {
    if (!row.shards.empty() && row.suits(task)) others.push_back(row.name);
  }
  fail<OptionError>("{} cannot learn from data in {} shards; use one shard, or a learner that can: {}",
                    wanted.name, shards, join(others, ", "));
}

void check_suits(std::string_view name, const Task& task) {
  const LearnerRow& wanted = find_learner(name);
  if (wanted.suits(task)) return;
  std::vector<std::string_view> others;
  for (const LearnerRow& row : learner_table()) {
    if (row.suits(task)) others.push_back(row.name);
  }
  fail<OptionError>("{} needs {}, which this task lacks; learners that suit it: {}", name,
                    unmet_names(wanted.needs, task), join(others, ", "));
}

template <typename Options, auto Make>
class Choice final : public LearnerChoice {
 public:
  explicit Choice(std::string_view name) : table_(std::string(name)) { options_.describe(table_); }

  OptionTable& options() override { return table_; }
  std::int64_t epochs() const override { return options_.epochs; }
  std::unique_ptr<Learner> start(const Task& task, Workers& workers) const override {
    check_suits(table_.owner(), task);
    check_shards(find_learner(table_.owner()), task);
    if constexpr (std::is_invocable_v<decltype(Make), const Task&, const Options&, Workers&>) {
      return Make(task, options_, workers);
    } else {
      return Make(task, options_);
    }
  }

 private:
  Options options_;
  OptionTable table_;  // points into options_
};

template <typename Options, auto Make>
std::unique_ptr<LearnerChoice> choose(std::string_view name) {
  return std::make_unique<Choice<Options, Make>>(name);
}

constexpr auto kOnline = LearnerRow::Kind::kOnline;
constexpr auto kBatch = LearnerRow::Kind::kBatch;

constexpr std::span<const Need> kNone;
constexpr Need kAnyModel[] = {kEuclidean};
constexpr Need kLinearModel[] = {kLinear, kEuclidean};
constexpr Need kLinearFunction[] = {kLinear};  // in any norm
constexpr Need kSums[] = {kHas<MarginalTask>, kEuclidean};
constexpr Need kLinearSums[] = {kHas<MarginalTask>, kLinear, kEuclidean};
constexpr Need kLists[] = {kHas<LineTask>, kLinear};
constexpr Need kParts[] = {kHas<FactoredTask>, kLinear, kFixedGold};
// Assumptions of a duality gap.
constexpr Need kOneProblem[] = {kExact, kFixedGold, kFixedLosses};
// What shards give each other (core/shards.h).
constexpr std::string_view kMeans = "weights, averaged after every pass";
constexpr std::string_view kGradients = "sums of gradients";
constexpr std::string_view kCuts = "new constraints";
constexpr std::string_view kDirections = "changes of the weights, several times a pass";
constexpr std::string_view kAlone = "";

constexpr LearnerRow kTable[] = {
    {"perceptron", "averaged structured perceptron: no settings, very fast", "-", kOnline, kNone, kNone,
     kMeans, choose<PerceptronOptions, make_perceptron>},
    {"mira", "margin-infused relaxed algorithm: smallest step that restores the margin", "-", kOnline,
     kAnyModel, kNone, kMeans, choose<MiraOptions, make_mira>},
    {"arow", "adaptive regularization of weights: sure weights move little", "-", kOnline, kAnyModel, kNone,
     kAlone, choose<ArowOptions, make_arow>},
    {"ops", "online primal subgradient with AdaGrad, L1 or L2 regularizer", "L1", kOnline, kAnyModel, kNone,
     kGradients, choose<OpsOptions, make_ops>},
    {"sgd", "stochastic gradient descent on the hinge, Bottou's schedule", "L1", kOnline, kLinearFunction,
     kNone, kGradients, choose<SgdOptions, make_sgd>},
    {"smd", "stochastic gradient with meta-descent: a step size per weight", "L1", kOnline, kNone, kNone,
     kAlone, choose<SmdOptions, make_smd>},
    {"dcd", "dual coordinate descent (DCD-SSVM) with a duality gap", "L2", kOnline, kLinearModel, kOneProblem,
     kDirections, choose<DcdOptions, make_dcd>,
     /*keeps_constraints=*/true},
    {"dcd-light", "dual coordinate descent without passes over the working sets", "L2", kOnline, kLinearModel,
     kOneProblem, kDirections, choose<DcdLightOptions, make_dcd_light>,
     /*keeps_constraints=*/true},
    {"ocp", "online cutting plane: dual steps on one example at a time", "L1", kOnline, kLinearModel,
     kOneProblem, kDirections, choose<OcpOptions, make_ocp>,
     /*keeps_constraints=*/true},
    {"bcfw", "block-coordinate Frank-Wolfe: no step size, little memory", "L1", kOnline, kLinearModel,
     kOneProblem, kDirections, choose<BcfwOptions, make_bcfw>,
     /*keeps_constraints=*/true},
    {"cpd", "decode all, then dual coordinate descent to a tolerance", "L2", kBatch, kLinearModel,
     kOneProblem, kCuts, choose<CpdOptions, make_cpd>,
     /*keeps_constraints=*/true},
    {"cutting-plane", "n-slack cutting planes, solved by SMO", "L1", kBatch, kLinearModel, kOneProblem,
     kCuts, choose<CuttingPlaneOptions, make_cutting_plane>,
     /*keeps_constraints=*/true},
    {"one-slack", "1-slack cutting planes, as in SVM-struct", "L1", kBatch, kLinearModel, kOneProblem,
     kGradients, choose<OneSlackOptions, make_one_slack>},
    {"smo", "structured SMO: the dual in terms of parts of outputs", "L1", kOnline, kParts, kOneProblem,
     kAlone, choose<SmoOptions, make_smo>,
     /*keeps_constraints=*/true},
    {"crf", "log-likelihood by L-BFGS (L2) or OWL-QN (L1, or both)", "log", kBatch, kSums, kNone,
     kGradients, choose<CrfOptions, make_crf>},
    {"softmax-margin", "log-likelihood with costs by AdaGrad or AdaDelta", "log+cost", kOnline, kSums, kNone,
     kGradients, choose<SoftmaxMarginOptions, make_softmax_margin>},
    {"egd", "exponentiated gradient on the dual", "L1", kOnline, kLinearSums, kOneProblem,
     kGradients, choose<EgdOptions, make_egd>,
     /*keeps_constraints=*/true},
    {"extragradient", "dual extragradient on the saddle point: two gradients per step", "L1", kBatch,
     kLinearSums, kOneProblem, kGradients, choose<ExtragradientOptions, make_extragradient>},
    {"mert", "minimum error rate training: the metric itself by line search; for few features", "-", kBatch,
     kLists, kNone, kAlone, choose<MertOptions, make_mert>},
};

}  // namespace

bool LearnerRow::suits(const Task& task) const { return unmet_names(needs, task).empty(); }

std::span<const LearnerRow> learner_table() { return kTable; }

const LearnerRow& find_learner(std::string_view name) {
  std::vector<std::string_view> names;
  for (const LearnerRow& row : kTable) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  const std::string_view near = nearest_name(name, names);
  fail<OptionError>("there is no learner '{}'{}; there are: {}", name,
                    near.empty() ? "" : fmt::format(", did you mean '{}'", near), join(names, ", "));
}

std::unique_ptr<LearnerChoice> choose_learner(std::string_view name) {
  const LearnerRow& row = find_learner(name);
  return row.choose(row.name);
}

}  // namespace hinge
