// Training interrupted and resumed later, to the same bytes.
//
//   magic "HINGECKP" · u32 format · description · u64 fingerprint of the data ·
//   contents as their visit() names them · u64 XXH3 of all the above
//
// The file is replaced as a whole, and only by one that is complete and on
// disk: whatever happens, the last good checkpoint stays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "hinge/core/state.h"

namespace hinge {

inline constexpr std::uint32_t kCheckpointFormat = 2;

struct CheckpointHeader {
  std::string description;        // how the training was set up; the caller's own format
  std::uint64_t fingerprint = 0;  // of the training data
};

using StateVisitor = std::function<void(State&)>;

// Throws OutputError where it cannot be written.
void write_checkpoint(const std::string& path, const CheckpointHeader& header, const StateVisitor& contents);

class CheckpointFile {
 public:
  // Throws ModelError where the file is no checkpoint, newer, damaged or cut short.
  explicit CheckpointFile(const std::string& path);

  const std::string& path() const { return path_; }
  const CheckpointHeader& header() const { return header_; }
  // Throws ModelError where the contents are not those that were written: too
  // short for the visitor, or more than it takes.
  void read(const StateVisitor& contents) const;

 private:
  std::string path_;
  std::string bytes_;
  std::size_t contents_ = 0;  // where they begin
  CheckpointHeader header_;
};

}  // namespace hinge
