#include "hinge/core/weights.h"

#include <sys/mman.h>

#include <cstdint>

namespace hinge {

#ifdef MADV_HUGEPAGE  // Linux
void prefer_large_pages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (address + bytes) / kPage * kPage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}
#else
void prefer_large_pages(void*, std::size_t) {}
#endif

}  // namespace hinge
