#include "hinge/core/communicator.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

class Solitary final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::uint64_t bytes_sent() const override { return 0; }
  std::vector<Bytes> exchange(std::vector<Bytes> to_each) override { return to_each; }
  std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    return {Bytes(mine.begin(), mine.end())};
  }
  void broadcast(std::span<std::byte>, int) override {}
};

// What ranks tell each other of an exception: its type, which decides the exit code
// and who catches it, and its message.
enum class Kind : char { kNone, kInput, kOption, kModel, kOutput, kOther, kMemory, kInterrupted, kBug };

std::pair<Kind, std::string> kind_of(const std::exception_ptr& error) {
  if (!error) return {Kind::kNone, ""};
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    return {Kind::kInput, e.what()};
  } catch (const OptionError& e) {
    return {Kind::kOption, e.what()};
  } catch (const ModelError& e) {
    return {Kind::kModel, e.what()};
  } catch (const OutputError& e) {
    return {Kind::kOutput, e.what()};
  } catch (const Error& e) {
    return {Kind::kOther, e.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::kMemory, ""};
  } catch (const Interrupted&) {
    return {Kind::kInterrupted, ""};
  } catch (const std::exception& e) {
    return {Kind::kBug, e.what()};
  } catch (...) {
    return {Kind::kBug, "an unknown exception"};
  }
}

[[noreturn]] void raise(Kind kind, const std::string& message) {
  switch (kind) {
    case Kind::kInput:
      throw InputError(message);
    case Kind::kOption:
      throw OptionError(message);
    case Kind::kModel:
      throw ModelError(message);
    case Kind::kOutput:
      throw OutputError(message);
    case Kind::kMemory:
      throw std::bad_alloc();
    case Kind::kInterrupted:
      throw Interrupted();
    case Kind::kBug:
      throw std::runtime_error(message);
    default:
      throw Error(message);
  }
}

thread_local bool agreed = false;
thread_local Communicator* current = nullptr;
thread_local std::size_t current_shards = 1;

}  // namespace

RankScope::RankScope(Communicator& communicator, std::size_t shards)
    : communicator_before_(std::exchange(current, &communicator)),
      shards_before_(std::exchange(current_shards, shards)) {}

RankScope::~RankScope() {
  current = communicator_before_;
  current_shards = shards_before_;
}

Communicator& this_communicator() { return current != nullptr ? *current : solitary(); }
std::size_t this_shard_count() { return current_shards; }

Communicator& solitary() {
  static Solitary communicator;
  return communicator;
}

void agree(Communicator& communicator, const std::exception_ptr& mine) {
  if (communicator.size() == 1) {
    if (mine) std::rethrow_exception(mine);
    return;
  }
  auto [kind, message] = kind_of(mine);
  std::string told(1, static_cast<char>(kind));
  told += message;
  for (const Bytes& bytes : communicator.gather(std::as_bytes(std::span(told)))) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (static_cast<Kind>(text[0]) == Kind::kNone) continue;
    agreed = static_cast<Kind>(text[0]) != Kind::kInterrupted;
    raise(static_cast<Kind>(text[0]), text.substr(1));
  }
}

std::vector<Bytes> give_to_first(Communicator& communicator, Bytes mine) {
  std::vector<Bytes> to_each(static_cast<std::size_t>(communicator.size()));
  to_each[0] = std::move(mine);
  std::vector<Bytes> received = communicator.exchange(std::move(to_each));
  if (communicator.rank() > 0) received.clear();
  return received;
}

void require_same(Communicator& communicator, std::uint64_t mine, std::string_view what) {
  const auto all = gather_values(communicator, std::span<const std::uint64_t>(&mine, 1));
  const auto other = std::ranges::find_if(all, [&](std::uint64_t value) { return value != all[0]; });
  if (other == all.end()) return;
  agreed = true;
  fail<InputError>("process {} has other {} than process 0; give all machines the same files and flags",
                   other - all.begin(), what);
}

bool has_agreed_error() { return agreed; }

}  // namespace hinge
