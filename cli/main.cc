// hinge: large-margin structured prediction from the command line.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "hinge/core/error.h"

namespace {

constexpr int kBadInput = 1;
constexpr int kInternalError = 2;

int run(int argc, char** argv) {
  CLI::App app("Large-margin structured prediction for language: train, predict, evaluate, compare.",
               "hinge");
  app.set_version_flag("--version", "hinge " HINGE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  hinge::cli::add_train(app);
  hinge::cli::add_predict(app);
  hinge::cli::add_evaluate(app);
  hinge::cli::add_inspect(app);
  hinge::cli::add_compare(app);
  hinge::cli::add_sample(app);
  hinge::cli::add_tune(app);
  hinge::cli::add_cache(app);
  hinge::cli::add_lists(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hinge: {}; see 'hinge --help' or 'hinge COMMAND --help'\n", error.what());
    return kBadInput;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const hinge::Error& error) {
    fmt::print(stderr, "hinge: {}\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "hinge: out of memory; raise min_count, use hash_bits or a machine with more\n");
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "hinge: internal error: {}; please report it with the command you ran\n",
               error.what());
    return kInternalError;
  }
}
