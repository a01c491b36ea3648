// hinge: large-margin structured prediction from the command line.
#include "cli/commands.h"
#include "cli/job_flags.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  using namespace hinge::cli;
  secure_streams();
  const Ending ending = run_guarded([&] {
    Program program("hinge",
                    "Large-margin structured prediction for language: train, predict, evaluate, compare.",
                    "hinge " HINGE_VERSION);
    add_train(program);
    add_predict(program);
    add_evaluate(program);
    add_inspect(program);
    add_explain(program);
    add_compare(program);
    add_sample(program);
    add_tune(program);
    add_mt(program);
    add_check(program);
    add_cache(program);
    add_lists(program);
    program.on_unknown_flag(option_hint);
    program.run(argc, argv);
  });
  if (!ending.message.empty()) note("hinge: {}\n", ending.message);
  return ending.status;
}
