// A compiled training set: a description of what it was made from, a record of what is
// small (labels, vocabulary), and columns (features, labels, offsets) that are mapped and
// read in blocks of whole examples.
//
// Layout: files/section_file.h. Sections: "key" (JSON, says what it was compiled from),
// "state" (the record), "columns" (their names and widths), "blocks" ([blocks + 1] rows of:
// first example, then its place in each column), "sums" (XXH3 of the record and of each block) and a
// section per column. Blocks depend on the data alone.
//
// Opening checks all except the columns; a block is checked when its first example is
// used. Blocks used longest ago are given back to the system, so that resident memory
// stays within a window. While blocks are used in the expected order, or one after the other, half the
// window is for those that come next, which the system reads meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/error.h"
#include "hinge/core/state_bytes.h"
#include "hinge/files/column.h"
#include "hinge/files/json.h"
#include "hinge/files/section_file.h"

namespace hinge {

inline constexpr std::uint32_t kBlockCacheFormat = 1;  // the newest this build reads; the one it writes

// A data structure lists its columns once, in
//
//   template <typename Data, typename Body>
//   static void each_column(Data& data, const Body& body) {
//     body("gold", data.gold, [](const Data& d, std::size_t i) { return d.sentence_begin[i]; });
//   }
//
// for compiling and reading. The function says where example i begins in the column, for
// i up to the number of examples; a column without values is not asked.
class BlockCacheWriter {
 public:
  // The cache at `path`, and what it is compiled from.
  BlockCacheWriter(std::string path, const Json& key);

  // What is small.
  template <typename Record>
  void add_state(Record& record) {
    StateToBytes state;
    state(record);
    state_ = state.text();
  }
  // The columns, which must outlive the writer; their disk space is freed as they are
  // written.
  template <typename Data>
  void add_columns(const Data& data, std::size_t examples) {
    examples_ = examples;
    std::remove_const_t<Data>::each_column(
        data, [&]<typename T>(std::string_view name, const Column<T>& column, const auto& place) {
          Place where = [](std::size_t) { return 0; };
          if (!column.empty()) where = [&data, place](std::size_t i) { return place(data, i); };
          add({std::string(name), sizeof(T)},
              {reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T)}, std::move(where),
              column.file());
        });
  }
  void write();

  struct Info {
    std::string name;
    std::uint32_t width;  // bytes of a value
    void visit(State& state) { state(name, width); }
  };

 private:
  using Place = std::function<std::uint64_t(std::size_t)>;
  struct Input {
    Info info;
    std::string_view bytes;
    Place place;
    SpillFile* file;
  };
  void add(Info info, std::string_view bytes, Place place, SpillFile* file);
  void cut();
  std::uint64_t sum(std::size_t block) const;

  std::string path_;
  std::string key_;
  std::string state_;
  std::size_t examples_ = 0;
  std::vector<Input> columns_;
  std::vector<std::uint64_t> blocks_;  // rows
};

class BlockCache {
 public:
  // Throws InputError if the file is not a cache, newer, damaged or cut short.
  static std::shared_ptr<BlockCache> open(const std::string& path, std::uint64_t window);
  static bool is_cache(const std::string& path);  // by the first bytes

  const std::string& path() const { return file_.name(); }
  const Json& key() const { return *key_; }
  const SectionFile& file() const { return file_; }

  std::size_t examples() const { return begins_.back(); }
  std::size_t block_count() const { return begins_.size() - 1; }
  std::uint64_t column_bytes() const;
  // For the driver; empty if all columns fit the window.
  const ExampleBlocks& blocks() const { return examples_in_; }
  std::size_t blocks_read() const;         // different ones, so far
  bool is_asked(std::size_t block) const;  // in memory, or being read

  template <typename Record>
  void read_state(Record& record) const {
    const std::string_view bytes = file_.section("state");
    StateFromBytes state(bytes, [this] { refuse("does not hold what this version expects"); });
    state(record);
    give_up_pages(bytes, file_.bytes());  // the record has it all
  }
  // The columns become views. `cache` is this.
  template <typename Data>
  void read_columns(Data& data, const std::shared_ptr<const BlockCache>& cache) const {
    std::size_t c = 0;
    Data::each_column(data, [&]<typename T>(std::string_view name, Column<T>& column, const auto&) {
      column.view(array<T>(c++, name), cache);
    });
    if (c != columns_.size()) refuse("has other columns than expected");
  }
  // is_sound(first, last) says whether the indices of these examples may be trusted; it is
  // called once for each block.
  void set_check(std::function<bool(std::size_t first, std::size_t last)> is_sound) {
    is_sound_ = std::move(is_sound);
  }

  // Call before an example is read. Throws InputError if its block is damaged. By any
  // thread.
  void use(std::size_t example) const {
    const std::size_t block = block_of(example);
    if (!present_[block].load(std::memory_order_acquire)) fetch(block);
  }

  [[noreturn]] void refuse(std::string_view problem) const;

 private:
  using Info = BlockCacheWriter::Info;
  BlockCache(SectionFile file, std::uint64_t window);
  void expect(std::span<const std::uint32_t> order);
  void read_blocks();
  std::size_t block_of(std::size_t example) const;
  std::string_view part(std::size_t block, std::size_t column) const;
  std::uint64_t sum(std::size_t block) const;
  std::uint64_t block_bytes(std::size_t block) const;
  void fetch(std::size_t block) const;
  void check(std::size_t block) const;
  void ask(std::size_t block) const;
  void read_ahead(std::size_t block, bool asked) const;
  std::size_t after(std::size_t block) const;
  void make_room(std::size_t block) const;
  template <typename T>
  std::span<const T> array(std::size_t column, std::string_view name) const {
    if (column >= columns_.size() || columns_[column].name != name || columns_[column].width != sizeof(T))
      refuse("has other columns than expected");
    return {reinterpret_cast<const T*>(bytes_[column].data()), bytes_[column].size() / sizeof(T)};
  }

  SectionFile file_;
  std::uint64_t window_;
  std::unique_ptr<Json> key_;
  std::vector<Info> columns_;
  std::vector<std::string_view> bytes_;    // [columns]
  std::vector<std::uint64_t> surplus_;     // [columns], values after the place of the last example
  std::span<const std::uint64_t> blocks_;  // rows
  std::span<const std::uint64_t> sums_;    // of the state, then of each block
  std::vector<std::uint32_t> begins_;      // [blocks + 1]
  ExampleBlocks examples_in_;
  std::function<bool(std::size_t, std::size_t)> is_sound_;

  mutable std::mutex mutex_;
  mutable std::unique_ptr<std::atomic<bool>[]> present_;  // [blocks]
  mutable std::vector<bool> checked_;                     // [blocks]
  mutable std::vector<bool> asked_;                       // [blocks], in order_
  mutable std::deque<std::size_t> order_;                 // blocks in memory or soon, the oldest first
  mutable std::uint64_t resident_ = 0;                    // bytes of order_

  // How blocks follow each other.
  enum class Run : std::uint8_t { kNone, kExpected, kRising };
  std::vector<std::uint32_t> next_;  // [blocks], as expected; empty: nothing is expected
  std::size_t first_ = 0;            // the first block expected
  mutable std::size_t last_;         // the block fetched last
  mutable Run run_ = Run::kNone;
};

// Moves all columns of the data to files.
template <typename Data>
void spill_columns(Data& data, SpillSpace& space) {
  Data::each_column(data, [&space](std::string_view, auto& column, const auto&) { column.spill(space); });
}

// For is_sound(): indices never fall and end inside an array of `size`; numbers are below a limit.
bool is_rising(std::span<const std::size_t> begins, std::size_t size);
template <typename T>
std::span<const T> part_of(const Column<T>& column, std::size_t first, std::size_t last) {
  return std::span<const T>(column.data(), column.size()).subspan(first, last - first);
}
template <typename T>
bool are_below(std::span<const T> numbers, std::size_t limit) {
  return std::ranges::all_of(numbers, [limit](T number) { return number < limit; });
}

// Where a task's examples come from, if not from its own arrays: for data structures that
// may view a cache.
class BlockUse {
 public:
  void set(std::shared_ptr<const BlockCache> cache) { cache_ = std::move(cache); }
  void operator()(std::size_t example) const {
    if (cache_ != nullptr) cache_->use(example);
  }
  const ExampleBlocks& blocks() const {
    static const ExampleBlocks none;
    return cache_ == nullptr ? none : cache_->blocks();
  }
  std::size_t blocks_read() const { return cache_ == nullptr ? 0 : cache_->blocks_read(); }

 private:
  std::shared_ptr<const BlockCache> cache_;
};

}  // namespace hinge
