// The table of learners, for the command line, Python and the docs. A new learner
// is one row in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/learn/needs.h"

namespace hinge {

// A chosen and configured learner that is not running yet.
class LearnerChoice {
 public:
  virtual ~LearnerChoice() = default;
  virtual OptionTable& options() = 0;
  virtual std::int64_t epochs() const = 0;
  // Throws OptionError, naming suitable learners, if the task lacks what the
  // learner needs.
  virtual std::unique_ptr<Learner> start(const Task& task, Workers& workers) const = 0;
};

struct LearnerRow {
  std::string_view name;
  std::string_view summary;
  std::string_view loss;                     // loss_name(), or "-" if it has no objective
  enum class Kind { kOnline, kBatch } kind;  // updates after each example, or after a pass
  std::span<const Need> needs;               // besides most_violated; refuses tasks without them
  std::span<const Need> assumes;             // without these its optimality gap is only an estimate
  std::string_view shards;                   // what shards of the data give each other; "" if it needs all in one
  std::unique_ptr<LearnerChoice> (*choose)(std::string_view name);
  bool keeps_constraints = false;  // of every example: memory grows with the data

  bool suits(const Task& task) const;
};

std::string need_names(std::span<const Need> needs);  // "a, b"; "nothing" if there are none
// The same for unmet needs; empty if the task meets all.
std::string unmet_names(std::span<const Need> needs, const Task& task);

std::span<const LearnerRow> learner_table();

// Throws OptionError, with the nearest name, if there is none.
const LearnerRow& find_learner(std::string_view name);
std::unique_ptr<LearnerChoice> choose_learner(std::string_view name);

}  // namespace hinge
