// hinge-mpi: `hinge train` on several processes and machines.
//
//   mpirun -n 8 hinge-mpi train tag train.txt -o chunk.model
//
// All ranks run the same program; rank 0 writes the files and speaks.
#include <fcntl.h>
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "cli/commands.h"
#include "cli/job_flags.h"
#include "cli/run.h"
#include "hinge/files/discard.h"
#include "mpi/communicator.h"

namespace {

using hinge::cli::Ending;

// Only rank 0 speaks, except about an error that it does not know of.
class Voice {
 public:
  explicit Voice(int rank) : rank_(rank), real_(dup(STDERR_FILENO)) {
    if (rank == 0) return;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  void say_aloud(const std::string& line) const {
    dup2(real_, STDERR_FILENO);
    hinge::cli::note(line);
  }
  int rank() const { return rank_; }

 private:
  int rank_;
  int real_;
};

// Do all ranks get here within a few seconds? Then they know of the same error.
bool all_end() {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(2);
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  const auto deadline = Clock::now() + kPatience;
  for (int done = 0; Clock::now() < deadline; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
  }
  return false;
}

int end(const Ending& ending, const Voice& voice) {
  const bool together = ending.status == 0 || hinge::has_agreed_error() || all_end();
  if (!ending.message.empty()) {
    if (voice.rank() == 0)
      hinge::cli::note("hinge: {}\n", ending.message);
    else if (!together)
      voice.say_aloud(fmt::format("hinge: rank {}: {}\n", voice.rank(), ending.message));
  }
  if (!together) MPI_Abort(MPI_COMM_WORLD, ending.status);  // the others wait for this rank
  MPI_Finalize();
  return ending.status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hinge::cli;
  secure_streams();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  hinge::MpiCommunicator communicator;
  const Voice voice(communicator.rank());
  if (communicator.rank() != 0) hinge::discard_output_files();
  constexpr std::size_t kShards = 8;  // if --shards is not given
  const hinge::RankScope scope(communicator, kShards);
  const Ending ending = run_guarded([&] {
    Program program("hinge-mpi", "hinge train on many processes; start it with mpirun.",
                    "hinge-mpi " HINGE_VERSION);
    add_train(program);
    program.on_unknown_flag(option_hint);
    program.run(argc, argv);
  });
  return end(ending, voice);
}
