// The sub-commands, one file each. Every function registers its own command
// with its flags; parsing then runs it.
#pragma once

#include "cli/arguments.h"

namespace hinge::cli {

void add_train(Program& program);
void add_predict(Program& program);
void add_evaluate(Program& program);
void add_inspect(Program& program);
void add_explain(Program& program);
void add_compare(Program& program);
void add_sample(Program& program);
void add_tune(Program& program);
void add_mt(Program& program);
void add_check(Program& program);
void add_cache(Program& program);
void add_lists(Program& program);  // tasks, learners, docs

}  // namespace hinge::cli
