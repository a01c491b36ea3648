#include "hinge/corpus/text_shards.h"

#include <algorithm>
#include <utility>

#include "hinge/core/shards.h"

namespace hinge {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// One of the texts.
struct Extent {
  std::size_t bytes = 0;
  bool compressed = false;  // so there is no way into its middle
  std::size_t begin = 0;    // of it, in all texts one after another
};

// Those of files as every rank sees them.
std::vector<Extent> look_at(const std::vector<TextInput>& texts, Communicator& ranks) {
  std::vector<Extent> extents;
  std::uint64_t print = 0;
  agree_on(ranks, [&] {
    for (const TextInput& text : texts) {
      const TextExtent file =
          text.text ? TextExtent{text.text->size(), /*compressed=*/false} : extent_of_text(text.name);
      extents.push_back({.bytes = file.bytes, .compressed = file.compressed});
      constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
      print = (print + file.bytes + 1) * kOdd;
    }
  });
  require_same(ranks, print, "training data");
  return extents;
}

// Ranks have runs of the compressed files, so the first error is that of the lowest rank.
void inflate(const std::vector<TextInput>& texts, std::vector<Extent>& extents, Communicator& ranks) {
  std::vector<std::size_t> files;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (extents[k].compressed) files.push_back(k);
  }
  const auto begin_of = [&](int rank) {
    return share_begin(files.size(), static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks.size()));
  };
  std::vector<std::size_t> sizes;
  agree_on(ranks, [&] {
    for (std::size_t f = begin_of(ranks.rank()); f < begin_of(ranks.rank() + 1); ++f)
      sizes.push_back(inflated_size(texts[files[f]].name));
  });
  sizes = gather_values(ranks, std::span<const std::size_t>(sizes));
  for (std::size_t f = 0; f < files.size(); ++f) extents[files[f]].bytes = sizes[f];
}

// A range of one text that is in one shard.
struct Piece {
  std::size_t text;
  std::size_t shard;
  ByteRange range;
};

void add_pieces(const std::vector<Extent>& extents, std::size_t shard, std::size_t begin, std::size_t end,
                std::vector<Piece>& pieces) {
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const Extent& text = extents[k];
    const std::size_t first = std::max(begin, text.begin), last = std::min(end, text.begin + text.bytes);
    if (first >= last) continue;
    pieces.push_back({k, shard, {.begin = first - text.begin, .end = last - text.begin}});
  }
}

std::size_t lines_in(const TextInput& text, std::size_t begin, std::size_t end) {
  if (text.text) return count_lines(text.text->substr(begin, end - begin));
  return count_lines(text.name, begin, end);
}

// Every rank counts the lines of its pieces of the last text it has a part of, so that the
// next rank knows on which line it begins. Ranks read compressed files from their beginnings,
// and count then.
void number_lines(const std::vector<TextInput>& texts, const std::vector<Extent>& extents,
                  std::vector<Piece>& pieces, Communicator& ranks) {
  struct Count {
    std::size_t text = kNone;
    std::size_t lines = 0;
  } mine;
  agree_on(ranks, [&] {
    if (ranks.size() == 1 || pieces.empty()) return;
    mine.text = pieces.back().text;
    if (extents[mine.text].compressed) return;
    const auto first = std::ranges::find(pieces, mine.text, &Piece::text);
    mine.lines = lines_in(texts[mine.text], first->range.begin, pieces.back().range.end);
  });
  const std::vector<Count> counts = gather_values(ranks, std::span<const Count>(&mine, 1));
  if (pieces.empty() || extents[pieces[0].text].compressed) return;
  std::size_t line = texts[pieces[0].text].first_line;
  for (int rank = 0; rank < ranks.rank(); ++rank) {
    const Count& count = counts[static_cast<std::size_t>(rank)];
    if (count.text == pieces[0].text) line += count.lines;
  }
  pieces[0].range.line = line;
  for (std::size_t k = 1; k < pieces.size(); ++k) {  // files are read on, texts in memory begin anew
    const TextInput& text = texts[pieces[k].text];
    if (!text.text) continue;
    const ByteRange before = pieces[k - 1].range;
    pieces[k].range.line = pieces[k].range.begin == 0
                               ? text.first_line
                               : before.line + lines_in(text, before.begin, before.end);
  }
}

}  // namespace

ShardText cut_text(const std::vector<TextInput>& texts, std::size_t shards, Communicator& ranks) {
  std::vector<Extent> extents = look_at(texts, ranks);
  inflate(texts, extents, ranks);
  std::size_t total = 0;
  for (Extent& text : extents) {
    text.begin = total;
    total += text.bytes;
  }
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto count = static_cast<std::size_t>(ranks.size());
  std::vector<Piece> pieces;
  for (std::size_t s = share_begin(shards, rank, count); s < share_begin(shards, rank + 1, count); ++s)
    add_pieces(extents, s, share_begin(total, s, shards), share_begin(total, s + 1, shards), pieces);
  number_lines(texts, extents, pieces, ranks);
  ShardText own{.input = TextInput(std::string_view(), texts.at(0).name), .shards = {}};
  if (pieces.empty()) own.shards.push_back(share_begin(shards, rank, count));
  for (const Piece& piece : pieces) {
    TextInput input = texts[piece.text];
    input.range = piece.range;
    if (own.shards.empty())
      own.input = std::move(input);
    else
      own.input.more.push_back(std::move(input));
    own.shards.push_back(piece.shard);
  }
  return own;
}

}  // namespace hinge
