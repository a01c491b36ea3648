// The settings of a training run, for any task and learner, in one table. Flags,
// config file keys, checkpoint records, what may change on resume, Python
// parameters and docs/options.md are derived from it. A new setting is a field, a
// row in describe() and the code that uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hinge/core/options.h"
#include "hinge/learn/driver/train.h"

namespace hinge {

struct JobSettings {
  std::string task;
  std::string learner;  // empty: the task's
  // Files; empty: none.
  std::string train, dev;
  std::string init;
  std::string tagger;  // models, separated by commas
  std::optional<std::int64_t> jackknife;
  std::string cache;
  std::int64_t cache_window = 256;  // MB

  std::int64_t seed = 1;
  std::optional<std::int64_t> threads;  // 0 or absent: all cores
  std::int64_t shards = 1;
  std::string objective = "end";
  std::optional<double> stop_gap, time_budget;
  std::optional<std::int64_t> early_stop;

  std::string output, log;
  std::string checkpoint;
  std::int64_t checkpoint_every = 1;

  Spelling spelling = Spelling::kPlain;  // of settings in messages

  void describe(OptionTable& table);
  OptionTable table();                               // bound to this object
  std::string spelled(std::string_view name) const;  // as in messages

  int thread_count() const;
  // The settings that the driver needs.
  TrainSettings train_settings(std::int64_t epochs) const;
};

}  // namespace hinge
