#include "hinge/pipeline/tune_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hinge/core/error.h"
#include "hinge/files/json.h"
#include "hinge/files/output_file.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr std::string_view kHash = "contents ";  // prefix of the identity of files

// What follows "runK" in the name, if it begins so.
std::string_view kind_of(std::string_view name) {
  const std::size_t dot = name.find_first_not_of("0123456789", 3);
  if (!name.starts_with("run") || dot == 3 || dot == std::string::npos) return "";
  return name.substr(dot);
}

bool is_of_a_piece(const std::string& name) {
  constexpr std::string_view kPiece = ".piece";
  const std::string_view kind = kind_of(name);
  if (!kind.starts_with(kPiece)) return false;
  const std::size_t dot = kind.find_first_not_of("0123456789", kPiece.size());
  return dot != kPiece.size() && dot != std::string::npos && kind[dot] == '.';
}

// Only what the loop itself writes: the folder may hold other files.
bool is_of_a_loop(const std::string& name) {
  if (name == "state.json" || name.starts_with("state.json.partial-") || is_of_a_piece(name)) return true;
  constexpr std::string_view kKinds[] = {".weights", ".nbest", ".out", ".log", ".merged"};
  return std::ranges::any_of(kKinds, [kind = kind_of(name)](std::string_view known) {
    return kind == known || kind == ".nbest.gz" || kind.starts_with(fmt::format("{}.partial-", known));
  });
}

bool is_partial(const std::string& name) { return name.find(".partial-") != std::string::npos; }

template <typename Which>
void remove_files(const std::string& folder, const Which& which) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (which(entry.path().filename().string())) fs::remove(entry.path(), ignored);
  }
}

Json to_json(const Iteration& iteration) {
  Json json;
  json.set("new", iteration.fresh).set("hypotheses", iteration.hypotheses).set("decoded", iteration.decoded);
  if (iteration.learned) json.set("learned", *iteration.learned);
  if (iteration.change) json.set("change", *iteration.change);
  if (iteration.oracle) json.set("oracle", *iteration.oracle);
  if (iteration.prediction) json.set("prediction", *iteration.prediction);
  return json;
}

Iteration from_json(const Json& json) {
  for (const char* name : {"new", "hypotheses", "decoded"}) {
    if (!json.has(name)) fail<JsonError>("'{}' is missing", name);
  }
  Iteration iteration{.fresh = static_cast<std::uint64_t>(json.whole("new")),
                      .hypotheses = static_cast<std::uint64_t>(json.whole("hypotheses")),
                      .decoded = json.number("decoded")};
  if (json.has("learned")) {
    iteration.learned = json.number("learned");
    iteration.change = json.number("change");
  }
  if (json.has("oracle")) iteration.oracle = json.number("oracle");
  if (json.has("prediction")) iteration.prediction = json.number("prediction");
  return iteration;
}

std::string difference(std::string_view name, const std::string& before, const std::string& now) {
  if (before.starts_with(kHash) || now.starts_with(kHash)) return fmt::format("other contents of {}", name);
  return fmt::format("{} '{}', not '{}'", name, before, now);
}

}  // namespace

TuneFolder::TuneFolder(const std::string& path) : path_(path) {
  std::error_code error;
  fs::create_directories(path, error);
  lock_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0 || access(path.c_str(), W_OK) != 0) {
    const int reason = errno;
    if (lock_ >= 0) close(lock_);
    fail<OutputError>("{}: cannot be used as the folder of the loop ({}); choose another with --dir", path,
                      std::strerror(reason));
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
    fail<OutputError>("{}: another tuning loop is at work there; wait for it, or choose another --dir", path);
  }
}

TuneFolder::~TuneFolder() { close(lock_); }

std::string TuneFolder::file(std::size_t iteration, std::string_view kind) const {
  return (fs::path(path_) / fmt::format("run{}.{}", iteration, kind)).string();
}

std::string TuneFolder::state() const { return (fs::path(path_) / "state.json").string(); }

void TuneFolder::clear() const { remove_files(path_, is_of_a_loop); }

void TuneFolder::remove_pieces() const { remove_files(path_, is_of_a_piece); }

std::vector<Iteration> TuneFolder::resume(
    const std::vector<std::pair<std::string, std::string>>& identity) const {
  remove_files(path_, [](const std::string& name) { return is_of_a_loop(name) && is_partial(name); });
  remove_pieces();
  if (!fs::exists(state())) return {};
  std::vector<Iteration> history;
  Json settings;
  try {
    const Json json = Json::parse(read_bytes(state()));
    if (json.whole("format") != kFormat)
      fail<InputError>("{}: was written by another version of hinge; use that, or --restart", state());
    settings = json.object("settings");
    for (const Json& iteration : json.objects("iterations")) history.push_back(from_json(iteration));
  } catch (const JsonError&) {
    fail<InputError>("{}: is damaged; begin anew with --restart, or choose another --dir", state());
  }
  for (const auto& [name, value] : identity) {
    const std::string before = settings.text(name);
    if (before == value) continue;
    fail<OptionError>(
        "{}: the loop there was begun with {}; choose another --dir, or begin anew with --restart", path_,
        difference(name, before, value));
  }
  if (settings.size() != identity.size())
    fail<OptionError>("{}: the loop there was begun with other options; choose another --dir, or --restart",
                      path_);
  return history;
}

void TuneFolder::save(const std::vector<std::pair<std::string, std::string>>& identity,
                      const std::vector<Iteration>& history) const {
  Json settings;
  std::vector<Json> iterations;
  for (const auto& [name, value] : identity) settings.set(name, value);
  for (const Iteration& iteration : history) iterations.push_back(to_json(iteration));
  OutputFile out(state());
  out.write(Json()
                .set("format", std::int64_t{kFormat})
                .set("settings", settings)
                .set("iterations", iterations)
                .dump_indented());
  out.write("\n");
  out.commit();
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail<InputError>("{}: cannot be read ({}); check its name", path, std::strerror(errno));
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

std::string content_hash(const std::vector<std::string>& paths) {
  std::uint64_t hash = 0;
  for (const std::string& path : paths) {
    const std::string bytes = read_bytes(path);
    hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash);
  }
  return fmt::format("{}{:016x}", kHash, paths.empty() ? 0 : hash);
}

}  // namespace hinge
