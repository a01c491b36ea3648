#include "cli/run.h"

#include <fmt/core.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <new>

#include "hinge/core/error.h"

namespace hinge::cli {

Ending run_guarded(const std::function<void()>& program) {
  try {
    program();
    return {0, ""};
  } catch (const BrokenPipe&) {  // as any program in a pipe
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    return {kBadInput, ""};
  } catch (const Error& error) {
    return {kBadInput, error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    // The message of an Error is a single line of limited length.
    const InputError shown(error.path1().string() + ": " + error.code().message() + "; check the path");
    return {kBadInput, shown.what()};
  } catch (const std::bad_alloc&) {
    return {kBadInput, "out of memory; raise min_count, use hash_bits, or add memory"};
  } catch (const std::exception& error) {
    return {kInternalError,
            fmt::format("internal error: {}; please report it with the command you ran", error.what())};
  }
}

}  // namespace hinge::cli
