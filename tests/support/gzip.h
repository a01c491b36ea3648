// Compressed files for tests.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "tests/support/data.h"

namespace hinge::test {

// Returns its path. mode: as for gzopen(); "ab" adds a member.
inline std::string write_gzip(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                              const char* mode = "wb") {
  const std::string path = folder.path(name);
  gzFile file = gzopen(path.c_str(), mode);
  EXPECT_NE(file, nullptr);
  EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  return path;
}

}  // namespace hinge::test
