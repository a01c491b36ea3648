// The sub-commands, one file each. Every function registers its own command
// with its flags; parsing then runs it.
#pragma once

#include <CLI/CLI.hpp>

namespace hinge::cli {

void add_train(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_compare(CLI::App& app);
void add_sample(CLI::App& app);
void add_tune(CLI::App& app);
void add_cache(CLI::App& app);
void add_lists(CLI::App& app);  // tasks, learners, docs

}  // namespace hinge::cli
