// Arrays of numbers that may be longer than memory.
//
// A Column is used like a std::vector. It lies in memory; or, while a cache is
// compiled, in an unnamed file, which the system pages; or it views a mapped file.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace hinge {

class SpillFile;

// Where columns lie while they are longer than memory: unnamed files in the folder of
// `path`, so that nothing is left behind however the program ends. A thread gives pages
// back to the system when more than `window` bytes of files are resident.
class SpillSpace {
 public:
  SpillSpace(std::string path, std::uint64_t window);
  ~SpillSpace();
  SpillSpace(const SpillSpace&) = delete;
  SpillSpace& operator=(const SpillSpace&) = delete;

 private:
  friend class SpillFile;
  void sweep();

  std::string path_;
  std::uint64_t window_;
  std::mutex mutex_;  // of the mappings
  std::vector<SpillFile*> files_;
  bool stop_ = false;
  std::thread sweeper_;
};

// One growing array in a SpillSpace, which must outlive it.
class SpillFile {
 public:
  // Throws OutputError if the folder cannot be written.
  explicit SpillFile(SpillSpace& space);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  // Makes room; returns where the bytes are now. Throws OutputError if the disk is full.
  void* grow(std::uint64_t bytes);
  // Frees the disk space of the first bytes, which are then zero.
  void discard(std::uint64_t bytes);

 private:
  friend class SpillSpace;
  SpillSpace& space_;
  int fd_ = -1;
  void* address_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t discarded_ = 0;
};

// Tells the system that this part of a mapped file is not needed for now. Reading it
// again is safe.
void give_up_pages(std::string_view part, std::string_view file);
// Tells the system that it will be read soon.
void ask_for_pages(std::string_view part, std::string_view file);
// Tells the system to read only what is asked for or touched. By default it also reads what lies around a touched
// page, on some machines 8 MB: many times a block of a cache.
void read_only_what_is_used(std::string_view part, std::string_view file);

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  Column() = default;
  Column(std::initializer_list<T> values) { append(values.begin(), values.end()); }
  Column(const Column& other) { append(other.begin(), other.end()); }  // in memory
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() {
    if (owner_ == nullptr && file_ == nullptr) std::free(data_);
  }

  // Moves the values to a file, where they stay.
  void spill(SpillSpace& space) {
    auto file = std::make_unique<SpillFile>(space);
    T* values = static_cast<T*>(file->grow(std::max<std::uint64_t>(size_, 1) * sizeof(T)));
    if (size_ > 0) std::memcpy(values, data_, size_ * sizeof(T));
    if (file_ == nullptr) std::free(data_);
    data_ = values;
    capacity_ = std::max<std::size_t>(size_, 1);
    file_ = std::move(file);
  }
  SpillFile* file() const { return file_.get(); }  // or null
  // The values of a mapped file, which are not to be changed.
  void view(std::span<const T> values, std::shared_ptr<const void> owner) {
    *this = Column();
    data_ = const_cast<T*>(values.data());
    size_ = capacity_ = values.size();
    owner_ = std::move(owner);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  T* data() { return data_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  T& front() { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  friend bool operator==(const Column& a, const Column& b) { return std::ranges::equal(a, b); }

  void push_back(T value) {
    if (size_ == capacity_) reserve(std::max<std::size_t>(16, capacity_ + capacity_ / 2));
    data_[size_++] = value;
  }
  template <std::input_iterator Iterator>
  void append(Iterator first, Iterator last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    if (size_ + count > capacity_) reserve(std::max(size_ + count, capacity_ + capacity_ / 2));
    std::copy(first, last, data_ + size_);
    size_ += count;
  }
  template <typename Range>
  void append(const Range& values) {
    append(std::begin(values), std::end(values));
  }
  void resize(std::size_t size, T value = T{}) {
    if (size > capacity_) reserve(size);
    if (size > size_) std::fill(data_ + size_, data_ + size, value);
    size_ = size;
  }
  void clear() { size_ = 0; }
  template <std::input_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  void assign(std::size_t count, T value) {
    clear();
    resize(count, value);
  }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    assert(owner_ == nullptr);
    void* larger = file_ != nullptr ? file_->grow(count * sizeof(T)) : std::realloc(data_, count * sizeof(T));
    if (larger == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(larger);
    capacity_ = count;
  }
  void shrink_to_fit() {
    if (owner_ != nullptr || file_ != nullptr || size_ == 0) return;
    if (void* smaller = std::realloc(data_, size_ * sizeof(T)); smaller != nullptr) {
      data_ = static_cast<T*>(smaller);
      capacity_ = size_;
    }
  }

  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(file_, other.file_);
    std::swap(owner_, other.owner_);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::unique_ptr<SpillFile> file_;
  std::shared_ptr<const void> owner_;
};

}  // namespace hinge
