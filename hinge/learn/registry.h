// The table of learners: what the command line, Python and the docs know of
// them. A new learner is one row here.
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

// A learner chosen and configured, but not yet at work.
class LearnerChoice {
 public:
  virtual ~LearnerChoice() = default;
  virtual OptionTable& options() = 0;
  virtual std::int64_t epochs() const = 0;
  // Throws OptionError where the task lacks what the learner needs, with the
  // names of those that suit it.
  virtual std::unique_ptr<Learner> start(const Task& task, Workers& workers) const = 0;
};

struct LearnerRow {
  std::string_view name;
  std::string_view summary;
  std::string_view loss;                     // as loss_name() says it, or "-": no objective
  enum class Kind { kOnline, kBatch } kind;  // whether it learns from each example at once
  std::span<const Need> needs;               // of a task, beside most_violated; refused without
  std::span<const Need> assumes;  // without, it runs, and what it says of optimality is an estimate
  std::unique_ptr<LearnerChoice> (*choose)(std::string_view name);

  bool suits(const Task& task) const;
};

std::string need_names(std::span<const Need> needs);  // "a, b"; "nothing" if there are none
// The same for those that this task does not meet; empty if it meets all.
std::string unmet_names(std::span<const Need> needs, const Task& task);

std::span<const LearnerRow> learner_table();

// Throws OptionError, with the nearest name, where there is none.
const LearnerRow& find_learner(std::string_view name);
std::unique_ptr<LearnerChoice> choose_learner(std::string_view name);

}  // namespace hinge
