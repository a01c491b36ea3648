#include "hinge/learn/registry.h"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/learn/dcd.h"
#include "hinge/learn/mira.h"
#include "hinge/learn/ops.h"
#include "hinge/learn/perceptron.h"

namespace hinge {
namespace {

template <typename Options, auto Make>
class Choice final : public LearnerChoice {
 public:
  explicit Choice(std::string_view name) : table_(std::string(name)) { options_.describe(table_); }

  OptionTable& options() override { return table_; }
  std::int64_t epochs() const override { return options_.epochs; }
  std::unique_ptr<Learner> start(const Task& task, Workers& workers) const override {
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

constexpr LearnerRow kTable[] = {
    {"perceptron", "averaged structured perceptron: no settings, very fast", "-",
     choose<PerceptronOptions, make_perceptron>},
    {"mira", "margin-infused relaxed algorithm: smallest step that restores the margin", "-",
     choose<MiraOptions, make_mira>},
    {"ops", "online primal subgradient with AdaGrad, L1 or L2 regularizer", "L1",
     choose<OpsOptions, make_ops>},
    {"dcd", "dual coordinate descent (DCD-SSVM) with a duality gap", "L2", choose<DcdOptions, make_dcd>},
};

}  // namespace

std::span<const LearnerRow> learner_table() { return kTable; }

const LearnerRow& find_learner(std::string_view name) {
  std::vector<std::string_view> names;
  for (const LearnerRow& row : kTable) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  const std::string_view near = nearest_name(name, names);
  fail<OptionError>("there is no learner '{}'{}; there are: {}", name,
                    near.empty() ? "" : fmt::format(", did you mean '{}'", near), fmt::join(names, ", "));
}

std::unique_ptr<LearnerChoice> choose_learner(std::string_view name) {
  const LearnerRow& row = find_learner(name);
  return row.choose(row.name);
}

}  // namespace hinge
