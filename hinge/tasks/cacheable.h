// What a task implements, besides TaskChoice, if its training data can be compiled into a
// cache (files/block_cache.h).
#pragma once

#include <memory>

#include "hinge/core/threads.h"
#include "hinge/files/block_cache.h"
#include "hinge/tasks/system.h"

namespace hinge {

class Cacheable {
 public:
  virtual ~Cacheable() = default;
  // Throws OptionError if these options need the data in memory.
  virtual void check_cache() const {}
  // Reads the training data into columns in `space`, and writes them.
  virtual void compile(const Source& source, Workers& workers, SpillSpace& space,
                       BlockCacheWriter& out) const = 0;
  // The same training set as load() gives, over the columns of the cache.
  virtual std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const = 0;
};

}  // namespace hinge
