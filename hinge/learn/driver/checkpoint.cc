#include "hinge/learn/driver/checkpoint.h"

#include <xxhash.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>

#include "hinge/core/state_bytes.h"
#include "hinge/files/output_file.h"

namespace hinge {
namespace {

constexpr std::string_view kMagic = "HINGECKP";

class StateWriter final : public State {
 public:
  explicit StateWriter(OutputFile& out) : out_(out), hash_(XXH3_createState()) {
    XXH3_64bits_reset(hash_.get());
  }

  void transfer(void* bytes, std::size_t count) override {
    XXH3_64bits_update(hash_.get(), bytes, count);
    out_.write({static_cast<const char*>(bytes), count});
  }
  std::uint64_t checksum() const { return XXH3_64bits_digest(hash_.get()); }

 protected:
  bool loading() const override { return false; }
  std::uint64_t left() const override { return 0; }
  [[noreturn]] void refuse() const override {
    throw std::logic_error("a checkpoint being written was refused");
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  OutputFile& out_;
  std::unique_ptr<XXH3_state_t, Free> hash_;
};

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  if (file) bytes << file.rdbuf();
  if (!file) {
    fail<ModelError>("{}: cannot be read ({}); check the path", path,
                     std::generic_category().message(errno == 0 ? EIO : errno));
  }
  return std::move(bytes).str();
}

StateFromBytes reader_of(std::string_view bytes, const std::string& path) {
  return {bytes,
          [path] { fail<ModelError>("{}: does not fit the training being resumed; train anew", path); }};
}

void visit_header(State& state, CheckpointHeader& header) { state(header.description, header.fingerprint); }

}  // namespace

void write_checkpoint(const std::string& path, const CheckpointHeader& header, const StateVisitor& contents) {
  OutputFile out(path);
  StateWriter writer(out);
  std::string magic(kMagic);
  writer.transfer(magic.data(), magic.size());
  std::uint32_t format = kCheckpointFormat;
  writer(format);
  CheckpointHeader copy = header;
  visit_header(writer, copy);
  contents(writer);
  const std::uint64_t checksum = writer.checksum();
  out.write({reinterpret_cast<const char*>(&checksum), sizeof checksum});
  out.commit();
}

CheckpointFile::CheckpointFile(const std::string& path) : path_(path), bytes_(read_all(path)) {
  constexpr std::size_t kFrame = kMagic.size() + sizeof(std::uint32_t);
  std::uint64_t checksum = 0;
  if (bytes_.size() < kFrame + sizeof checksum || !bytes_.starts_with(kMagic))
    fail<ModelError>("{}: is not a checkpoint; give the file that --checkpoint wrote", path);
  std::uint32_t format = 0;
  std::memcpy(&format, bytes_.data() + kMagic.size(), sizeof format);
  if (format != kCheckpointFormat) {
    fail<ModelError>("{}: has checkpoint format {}, but this build reads {}; use the build that wrote it",
                     path, format, kCheckpointFormat);
  }
  const std::size_t size = bytes_.size() - sizeof checksum;
  std::memcpy(&checksum, bytes_.data() + size, sizeof checksum);
  if (XXH3_64bits(bytes_.data(), size) != checksum)
    fail<ModelError>("{}: is damaged or cut short; resume from another checkpoint or train anew", path);
  bytes_.resize(size);
  StateFromBytes reader = reader_of(std::string_view(bytes_).substr(kFrame), path_);
  visit_header(reader, header_);
  contents_ = size - reader.left();
}

void CheckpointFile::read(const StateVisitor& contents) const {
  StateFromBytes reader = reader_of(std::string_view(bytes_).substr(contents_), path_);
  contents(reader);
  if (reader.left() != 0) reader.refuse();
}

}  // namespace hinge
