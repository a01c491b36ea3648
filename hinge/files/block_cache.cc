#include "hinge/files/block_cache.h"

#include <xxhash.h>

#include <algorithm>
#include <limits>

#include "hinge/files/section_stream.h"

namespace hinge {
namespace {

constexpr SectionKind kCache = {
    .magic = std::string_view("HTRNC\r\n\x1a", 8),
    .format = kBlockCacheFormat,
    .what = "a cache of training data",
    .make = "give --cache another name",
    .redo = "delete it, so that it is compiled again",
    .refuse = [](const std::string& message) { throw InputError(message); },
    .copied = 0,
};

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;
constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();  // no block follows
constexpr std::uint32_t kNotUsed = kEnd - 1;                               // nor does this block

std::uint64_t chain(std::uint64_t before, std::string_view bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
}

std::string_view view_of(const std::vector<std::uint64_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::uint64_t)};
}

struct Infos {
  std::vector<BlockCacheWriter::Info>& all;
  void visit(State& state) { state(all); }
};

}  // namespace

BlockCacheWriter::BlockCacheWriter(std::string path, const Json& key)
    : path_(std::move(path)), key_(key.dump_sorted()) {}

void BlockCacheWriter::add(Info info, std::string_view bytes, Place place, SpillFile* file) {
  columns_.push_back({std::move(info), bytes, std::move(place), file});
}

// A block ends when it has enough bytes.
void BlockCacheWriter::cut() {
  const std::size_t width = columns_.size() + 1;
  std::vector<std::uint64_t> row(width);
  for (std::size_t i = 0; i <= examples_; ++i) {
    row[0] = i;
    std::uint64_t bytes = 0;
    const std::uint64_t* before = blocks_.empty() ? nullptr : blocks_.data() + blocks_.size() - width;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      row[c + 1] = columns_[c].place(i);
      if (before != nullptr) bytes += (row[c + 1] - before[c + 1]) * columns_[c].info.width;
    }
    if (before == nullptr || bytes >= kBlockBytes || i == examples_)
      blocks_.insert(blocks_.end(), row.begin(), row.end());
  }
}

std::uint64_t BlockCacheWriter::sum(std::size_t block) const {
  const std::size_t width = columns_.size() + 1;
  const std::uint64_t* begin = blocks_.data() + block * width;
  const std::uint64_t* last = blocks_.data() + blocks_.size() - width;
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::uint64_t bytes = columns_[c].info.width;
    const std::uint64_t surplus = columns_[c].bytes.size() / bytes - last[c + 1];
    const std::uint64_t first = begin[c + 1], end = begin[width + c + 1] + surplus;
    sum = chain(sum, columns_[c].bytes.substr(first * bytes, (end - first) * bytes));
  }
  return sum;
}

void BlockCacheWriter::write() {
  cut();
  std::vector<std::uint64_t> sums = {chain(0, state_)};
  const std::size_t blocks = blocks_.size() / (columns_.size() + 1) - 1;
  for (std::size_t b = 0; b < blocks; ++b) sums.push_back(sum(b));
  std::vector<Info> infos;
  for (const Input& column : columns_) infos.push_back(column.info);
  Infos all{infos};
  StateToBytes names;
  names(all);
  const std::string columns = names.text();
  std::vector<SectionInput> sections = {{"key", key_},
                                        {"state", state_},
                                        {"columns", columns},
                                        {"blocks", view_of(blocks_)},
                                        {"sums", view_of(sums)}};
  for (const Input& column : columns_) {
    sections.push_back({column.info.name, column.bytes, [file = column.file](std::uint64_t bytes) {
                          if (file != nullptr) file->discard(bytes);
                        }});
  }
  OutputFile out(path_);
  write_sections(kCache, sections, out);
  out.commit();
}

bool BlockCache::is_cache(const std::string& path) { return SectionFile::is_of(path, kCache); }

std::shared_ptr<BlockCache> BlockCache::open(const std::string& path, std::uint64_t window) {
  return std::shared_ptr<BlockCache>(new BlockCache(SectionFile::open(path, kCache), window));
}

BlockCache::BlockCache(SectionFile file, std::uint64_t window) : file_(std::move(file)), window_(window) {
  try {
    key_ = std::make_unique<Json>(Json::parse(file_.section("key")));
  } catch (const JsonError&) {
    refuse("does not say what it was compiled from");
  }
  StateFromBytes names(file_.section("columns"), [this] { refuse("does not name its columns"); });
  Infos all{columns_};
  names(all);
  for (const Info& column : columns_) {
    bytes_.push_back(file_.section(column.name));
    if (column.width == 0 || bytes_.back().size() % column.width != 0)
      refuse("has a column with half a value");
  }
  read_blocks();
  if (sums_[0] != chain(0, file_.section("state")))
    file_.refuse_damaged("section 'state' is damaged (checksum)");
  if (column_bytes() > window_) {
    examples_in_ = {.begin = begins_, .bytes = {}, .window = window_, .expect = {}};
    for (std::size_t b = 0; b < block_count(); ++b) examples_in_.bytes.push_back(block_bytes(b));
    examples_in_.expect = [this](std::span<const std::uint32_t> order) { expect(order); };
    for (const std::string_view column : bytes_) read_only_what_is_used(column, file_.bytes());
  }
  give_up_pages(file_.bytes(), file_.bytes());
}

// The table may hold anything: every block must lie inside its columns.
void BlockCache::read_blocks() {
  blocks_ = file_.array<std::uint64_t>("blocks");
  sums_ = file_.array<std::uint64_t>("sums");
  const std::size_t width = columns_.size() + 1;
  const auto require = [this](bool fits) {
    if (!fits) refuse("has blocks that do not fit its columns");
  };
  require(blocks_.size() % width == 0 && blocks_.size() / width == sums_.size() && sums_.size() > 1);
  const std::size_t blocks = sums_.size() - 1;
  const std::uint64_t* last = blocks_.data() + blocks_.size() - width;
  for (std::size_t c = 0; c < width; ++c) {
    require(c > 0 || (blocks_[0] == 0 && last[0] <= std::numeric_limits<std::uint32_t>::max()));
    for (std::size_t b = 0; b < blocks; ++b)
      require(blocks_[b * width + c] + (c == 0) <= blocks_[(b + 1) * width + c]);
    if (c == 0) continue;
    const std::uint64_t values = bytes_[c - 1].size() / columns_[c - 1].width;
    require(last[c] <= values);
    surplus_.push_back(values - last[c]);
  }
  for (std::size_t b = 0; b <= blocks; ++b) begins_.push_back(static_cast<std::uint32_t>(blocks_[b * width]));
  present_ = std::make_unique<std::atomic<bool>[]>(blocks);
  checked_.resize(blocks);
  asked_.resize(blocks);
  last_ = kEnd;
}

std::size_t BlockCache::block_of(std::size_t example) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(begins_, example) - begins_.begin()) - 1;
}

std::string_view BlockCache::part(std::size_t block, std::size_t column) const {
  const std::size_t width = columns_.size() + 1;
  const std::uint64_t bytes = columns_[column].width;
  const std::uint64_t first = blocks_[block * width + column + 1];
  const std::uint64_t end = blocks_[(block + 1) * width + column + 1] + surplus_[column];
  return bytes_[column].substr(first * bytes, (end - first) * bytes);
}

std::uint64_t BlockCache::block_bytes(std::size_t block) const {
  std::uint64_t bytes = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) bytes += part(block, c).size();
  return bytes;
}

std::uint64_t BlockCache::column_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::string_view column : bytes_) bytes += column.size();
  return bytes;
}

std::uint64_t BlockCache::sum(std::size_t block) const {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) sum = chain(sum, part(block, c));
  return sum;
}

std::size_t BlockCache::blocks_read() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count(checked_, true));
}

bool BlockCache::is_asked(std::size_t block) const {
  const std::lock_guard lock(mutex_);
  return asked_[block];
}

void BlockCache::expect(std::span<const std::uint32_t> order) {
  const std::lock_guard lock(mutex_);
  next_.assign(block_count(), kNotUsed);
  for (std::size_t k = 0; k < order.size(); ++k) next_[order[k]] = k + 1 < order.size() ? order[k + 1] : kEnd;
  first_ = order.empty() ? kEnd : order.front();
  last_ = kEnd;
  run_ = Run::kNone;
}

void BlockCache::fetch(std::size_t block) const {
  const std::lock_guard lock(mutex_);
  if (present_[block].load(std::memory_order_relaxed)) return;
  const bool asked = asked_[block];
  if (!asked) ask(block);
  if (!checked_[block]) check(block);
  read_ahead(block, asked);
  make_room(block);
  present_[block].store(true, std::memory_order_release);
}

void BlockCache::check(std::size_t block) const {
  if (sum(block) != sums_[block + 1] || (is_sound_ && !is_sound_(begins_[block], begins_[block + 1])))
    refuse(fmt::format("block {} of {} is damaged (checksum)", block + 1, block_count()));
  checked_[block] = true;
}

void BlockCache::ask(std::size_t block) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) ask_for_pages(part(block, c), file_.bytes());
  asked_[block] = true;
  order_.push_back(block);
  resident_ += block_bytes(block);
}

// The system reads what is asked for while the blocks before it are used.
void BlockCache::read_ahead(std::size_t block, bool asked) const {
  if (!asked) {
    const bool is_expected = !next_.empty() && block == (last_ == kEnd ? first_ : next_[last_]);
    run_ = is_expected ? Run::kExpected : block == last_ + 1 ? Run::kRising : Run::kNone;
  }
  last_ = block;
  if (run_ == Run::kNone) return;
  std::uint64_t ahead = 0;
  for (std::size_t b = after(block); b != kEnd; b = after(b)) {
    if (present_[b].load(std::memory_order_relaxed)) continue;
    ahead += block_bytes(b);
    if (ahead > window_ / 2) return;
    if (!asked_[b]) ask(b);
  }
}

std::size_t BlockCache::after(std::size_t block) const {
  if (run_ == Run::kExpected) return next_[block];
  const bool is_used = block + 1 < block_count() && (next_.empty() || next_[block + 1] != kNotUsed);
  return is_used ? block + 1 : kEnd;
}

void BlockCache::make_room(std::size_t block) const {
  while (resident_ > window_ && order_.size() > 1) {
    const std::size_t oldest = order_.front();
    order_.pop_front();
    if (oldest == block) {
      order_.push_back(block);
      continue;
    }
    resident_ -= block_bytes(oldest);
    asked_[oldest] = false;
    present_[oldest].store(false, std::memory_order_release);
    for (std::size_t c = 0; c < columns_.size(); ++c) give_up_pages(part(oldest, c), file_.bytes());
  }
}

bool is_rising(std::span<const std::size_t> begins, std::size_t size) {
  return std::ranges::is_sorted(begins) && (begins.empty() || begins.back() <= size);
}

void BlockCache::refuse(std::string_view problem) const { file_.refuse(problem, kCache.redo); }

}  // namespace hinge
