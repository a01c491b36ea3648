#include "hinge/core/threads.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <exception>
#include <latch>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

thread_local std::size_t current_thread = 0;

// While alive, the calling thread is thread `number` of a loop.
class ThreadScope {
 public:
  explicit ThreadScope(std::size_t number) : before_(std::exchange(current_thread, number)) {}
  ~ThreadScope() { current_thread = before_; }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  std::size_t before_;
};

#ifndef HINGE_PLAIN_THREADS
// TBB never frees all of an arena's memory, so there is one arena per number of
// threads, until the process ends. TBB also complains on stderr about more threads
// than cores, unless a limit allows them; the smallest limit wins, so there is a
// single one, which only grows.
class Arenas {
 public:
  tbb::task_arena& of(int threads) {
    const std::lock_guard lock(mutex_);
    if (threads > allowed_) {
      allowed_ = threads;
      limit_.reset();
      limit_ = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                     static_cast<std::size_t>(threads));
    }
    return arenas_.try_emplace(threads, threads).first->second;
  }

  static Arenas& all() {
    static Arenas* arenas = new Arenas();  // never destroyed: threads may outlive main()
    return *arenas;
  }

 private:
  std::mutex mutex_;
  int allowed_ = usable_cores();
  std::unique_ptr<tbb::global_control> limit_;
  std::map<int, tbb::task_arena> arenas_;
};
#endif

// How many of `threads` threads the system lets us have, the calling one included.
// The thread library ends the process if it cannot make one, so they are tried first.
int possible_threads(int threads) {
  static std::mutex mutex;
  static int known = 1;
  const std::lock_guard lock(mutex);
  if (threads <= known) return threads;
  std::latch all_made(1);
  std::vector<std::thread> made;
  try {
    for (int t = 1; t < threads; ++t) made.emplace_back([&all_made] { all_made.wait(); });
    known = threads;
  } catch (const std::system_error&) {
  }
  all_made.count_down();
  for (std::thread& thread : made) thread.join();
  return 1 + static_cast<int>(made.size());
}

}  // namespace

int usable_cores() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

int thread_count(std::int64_t asked) {
  constexpr std::int64_t kMostThreads = 1024;
  if (asked < 0 || asked > kMostThreads)
    fail<OptionError>("threads is {} but must be from 1 to {} (0: all cores)", asked, kMostThreads);
  return static_cast<int>(asked > 0 ? asked : usable_cores());
}

#ifdef HINGE_PLAIN_THREADS
// For the thread sanitizer, which cannot follow TBB's synchronization: thread t
// takes the indices t, t + threads, ...; threads synchronize only at start and end.
struct Workers::Engine {
  explicit Engine(int) {}
  void run(int threads, std::size_t n, const auto& body, Order) {
    const auto count = std::min(n, static_cast<std::size_t>(threads));
    std::vector<std::exception_ptr> errors(count);
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < count; ++t) {
      all.emplace_back([&, t] {
        try {
          for (std::size_t i = t; i < n; i += count) body(i, t);
        } catch (...) {
          errors[t] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : all) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }
};
#else
struct Workers::Engine {
  explicit Engine(int threads) : arena(Arenas::all().of(threads)) {}

  void run(int, std::size_t n, const auto& body, Order order) {
    const auto on_this_thread = [&body](std::size_t i) {
      body(i, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    };
    arena.execute([&] {
      if (order == Order::kBalanced)
        tbb::parallel_for(std::size_t{0}, n, on_this_thread, tbb::auto_partitioner());
      else
        tbb::parallel_for(std::size_t{0}, n, on_this_thread, tbb::static_partitioner());
    });
  }

  tbb::task_arena& arena;
};
#endif

Workers::Workers(int threads)
    : threads_(possible_threads(threads)), engine_(std::make_unique<Engine>(threads_)) {}
Workers::~Workers() = default;

std::size_t Workers::this_thread() { return current_thread; }

void Workers::run(std::size_t n, AnyBody body, Order order) {
  if (threads_ == 1 || n < 2) {
    const ThreadScope scope(0);
    for (std::size_t i = 0; i < n; ++i) body(i);
    return;
  }
  const auto* check = detail::interrupt_check;
  const auto run_body = [&](std::size_t i, std::size_t thread) {
    const ThreadScope scope(thread);
    const detail::InterruptShare share(check);
    body(i);
  };
  engine_->run(threads_, n, run_body, order);
}

}  // namespace hinge
