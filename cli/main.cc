// hinge: large-margin structured prediction from the command line.
#include <fmt/core.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <new>

#include "cli/commands.h"
#include "cli/streams.h"
#include "hinge/core/error.h"

namespace {

constexpr int kBadInput = 1;
constexpr int kInternalError = 2;

int run(int argc, char** argv) {
  hinge::cli::Program program(
      "hinge", "Large-margin structured prediction for language: train, predict, evaluate, compare.",
      "hinge " HINGE_VERSION);
  hinge::cli::add_train(program);
  hinge::cli::add_predict(program);
  hinge::cli::add_evaluate(program);
  hinge::cli::add_inspect(program);
  hinge::cli::add_compare(program);
  hinge::cli::add_sample(program);
  hinge::cli::add_tune(program);
  hinge::cli::add_mt(program);
  hinge::cli::add_cache(program);
  hinge::cli::add_lists(program);
  return program.run(argc, argv) ? 0 : kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  using hinge::cli::note;
  hinge::cli::secure_streams();
  try {
    return run(argc, argv);
  } catch (const hinge::BrokenPipe&) {  // as any program in a pipe
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    return kBadInput;
  } catch (const hinge::Error& error) {
    note("hinge: {}\n", error.what());
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    // The message of an Error is a single line of limited length.
    const hinge::InputError shown(error.path1().string() + ": " + error.code().message() +
                                  "; check the path");
    note("hinge: {}\n", shown.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    note("hinge: out of memory; raise min_count, use hash_bits, or add memory\n");
    return kBadInput;
  } catch (const std::exception& error) {
    note("hinge: internal error: {}; please report it with the command you ran\n", error.what());
    return kInternalError;
  }
}
