// Checkpoints: training interrupted and resumed later gives the same bytes.
//
//   magic "HINGECKP" · u32 format · description · u64 fingerprint of the data ·
//   contents as listed by visit() · u64 XXH3 of all the above
//
// The file is replaced only by one that is complete and on disk: the last good
// checkpoint always survives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hinge/core/state.h"

namespace hinge {

inline constexpr std::uint32_t kCheckpointFormat = 5;

struct CheckpointHeader {
  std::string description;        // how the training was set up; the caller's own format
  std::uint64_t fingerprint = 0;  // of the training data
};

using StateVisitor = std::function<void(State&)>;

// Throws OutputError if it cannot be written.
void write_checkpoint(const std::string& path, const CheckpointHeader& header, const StateVisitor& contents);

class CheckpointFile {
 public:
  // Throws ModelError if the file is not a checkpoint, is newer, damaged or cut
  // short.
  explicit CheckpointFile(const std::string& path);

  const std::string& path() const { return path_; }
  const CheckpointHeader& header() const { return header_; }
  // Throws ModelError if the contents are shorter or longer than the visitor
  // expects.
  void read(const StateVisitor& contents) const;

 private:
  std::string path_;
  std::string bytes_;
  std::size_t contents_ = 0;  // where they begin
  CheckpointHeader header_;
};

}  // namespace hinge
