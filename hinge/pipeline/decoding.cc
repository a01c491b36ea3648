#include "hinge/pipeline/decoding.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/shards.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/output_file.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;

// A text that was cut in its last line may still look right.
void check_line_end(const std::string& path) {
  if (is_nbest_cache(path)) return;  // has a checksum, too
  std::ifstream in(path, std::ios::binary);
  if (in.get() == 0x1f && in.get() == 0x8b) return;  // gzip, which has a checksum
  in.seekg(-1, std::ios::end);
  if (in && in.get() != '\n')
    fail<InputError>("{}: its last line has no newline, so the list was cut short; check the decoder", path);
}

// Removes what decoders left unfinished.
struct PartialLists {
  ~PartialLists() {
    std::error_code ignored;
    for (const DecoderCall& call : calls) {
      fs::remove(call.nbest, ignored);
      fs::remove(call.nbest + ".gz", ignored);
    }
  }
  std::span<const DecoderCall> calls;
};

}  // namespace

Decoding::Decoding(Settings settings, const Decoder& decoder, const TuneFolder& folder)
    : settings_(std::move(settings)), decoder_(decoder), folder_(folder) {}

std::optional<NBestLists> Decoding::run(std::size_t k) const {
  const std::vector<Piece> pieces = cut(k);
  if (pieces.size() > 1) write_sources(k, pieces);
  std::vector<DecoderCall> calls;
  for (const Piece& piece : pieces) calls.push_back(piece.call);
  const PartialLists guard{calls};
  std::vector<NBestLists> lists(pieces.size());
  const bool all = decoder_(calls, [&](std::size_t p) { lists[p] = read_list(k, pieces[p]); });
  if (all && pieces.size() == 1) return std::move(lists[0]);
  std::optional<NBestLists> joined;
  if (all) joined = join_lists(k, pieces, std::move(lists));
  folder_.remove_pieces();
  return joined;
}

std::string Decoding::file(std::size_t k, const Piece& piece, std::string_view kind) const {
  return folder_.file(k, fmt::format("{}{}", piece.prefix, kind));
}

std::vector<Decoding::Piece> Decoding::cut(std::size_t k) const {
  const std::size_t count = std::max<std::size_t>(1, std::min(settings_.processes, settings_.sentences));
  std::vector<Piece> pieces(count);
  for (std::size_t p = 0; p < count; ++p) {
    Piece& piece = pieces[p];
    if (count > 1) piece.prefix = fmt::format("piece{}.", p + 1);
    piece.begin = share_begin(settings_.sentences, p, count);
    piece.end = share_begin(settings_.sentences, p + 1, count);
    piece.call = call_of(k, piece, p + 1, count);
  }
  return pieces;
}

DecoderCall Decoding::call_of(std::size_t k, const Piece& piece, std::size_t number,
                              std::size_t pieces) const {
  const auto path = [&](std::string_view kind) { return fs::absolute(file(k, piece, kind)).string(); };
  const std::string name = fmt::format("piece {} of {} (lines {} to {} of {})", number, pieces,
                                       piece.begin + 1, piece.end, settings_.source);
  return {.source = pieces == 1 ? fs::absolute(settings_.source).string() : path("source"),
          .weights = fs::absolute(folder_.file(k, "weights")).string(),
          // A decoder that outlives a killed loop must not write into the next one's list.
          .nbest = path(fmt::format("nbest.partial-{}", getpid())),
          .output = path("out"),
          .log = path("log"),
          .piece = pieces == 1 ? "" : name};
}

void Decoding::write_sources(std::size_t k, const std::vector<Piece>& pieces) const {
  TextSource source(settings_.source, ChunkEnd::kLine);
  std::optional<OutputFile> out;
  std::size_t line = 0;
  auto piece = pieces.begin();
  for (std::string_view chunk; piece != pieces.end() && source.next(chunk);) {
    while (piece != pieces.end() && !chunk.empty()) {
      if (line == piece->begin) out.emplace(file(k, *piece, "source"));
      if (line == 0 && source.had_byte_order_mark()) out->write("\xEF\xBB\xBF");
      const std::size_t length = first_line_end(chunk);
      out->write(chunk.substr(0, length));
      chunk.remove_prefix(length);
      if (++line < piece->end) continue;
      out->commit();
      ++piece;
    }
  }
  if (piece != pieces.end())
    fail<InputError>("{}: has fewer lines than before; do not change it while the loop runs",
                     settings_.source);
}

NBestLists Decoding::read_list(std::size_t k, const Piece& piece) const {
  const std::string& partial = piece.call.nbest;
  const bool packed = !fs::exists(partial) && fs::exists(partial + ".gz");
  const std::string path = file(k, piece, packed ? "nbest.gz" : "nbest");
  if (!packed && !fs::exists(partial))
    fail<InputError>("{}: was not written, though the decoder succeeded; check {} and the command", path,
                     piece.call.log);
  fs::remove(file(k, piece, packed ? "nbest" : "nbest.gz"));  // of an interrupted iteration
  fs::rename(packed ? partial + ".gz" : partial, path);
  check_line_end(path);
  NBestLists lists = read_nbest(path, {.merge = true, .cost_feature = settings_.cost_feature});
  check_ids(lists, path, piece);
  return lists;
}

void Decoding::check_ids(const NBestLists& lists, const std::string& path, const Piece& piece) const {
  const std::size_t sentences = piece.end - piece.begin;
  const std::string source = piece.prefix.empty() ? settings_.source : piece.call.source;
  std::vector<bool> seen(sentences);
  for (const std::uint64_t id : lists.ids) {
    if (id >= sentences)
      fail<InputError>("{}: has a list of sentence {}, but {} has {} line{} and ids count them from 0",
                       path, id, source, sentences, sentences == 1 ? "" : "s");
    seen[id] = true;
  }
  constexpr std::size_t kShown = 10;
  std::vector<std::size_t> missing;
  for (std::size_t id = 0; id < sentences; ++id) {
    if (!seen[id]) missing.push_back(id);
  }
  if (missing.empty()) return;
  const std::span named(missing.data(), std::min(missing.size(), kShown));
  fail<InputError>(
      "{}: has no list of sentence {}{}, but the source has {}; check that the decoder wrote them all", path,
      join(named, ", "), missing.size() > kShown ? fmt::format(" and {} more", missing.size() - kShown) : "",
      sentences);
}

// Numbers the sentences as in the source.
NBestLists Decoding::join_lists(std::size_t k, const std::vector<Piece>& pieces,
                                std::vector<NBestLists> lists) const {
  NBestBuilder builder({.cost_feature = settings_.cost_feature});
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    NBestLists part = std::exchange(lists[p], {});
    std::vector<std::uint64_t> ids(part.ids.begin(), part.ids.end());
    for (std::uint64_t& id : ids) id += pieces[p].begin;
    part.ids = ids;
    builder.add(part, file(k, pieces[p], "nbest"));
  }
  NBestLists joined = builder.finish();
  // Costs that are not a feature of the lists need a name in their text.
  const std::string cost = settings_.cost_feature.empty() ? "cost" : settings_.cost_feature;
  fs::remove(folder_.file(k, "nbest.gz"));  // of an interrupted iteration
  write_nbest(folder_.file(k, "nbest"), joined, {.cost_feature = joined.costs.empty() ? "" : cost});
  for (const std::string_view kind : {"log", "out"}) join_texts(k, pieces, kind);
  return joined;
}

void Decoding::join_texts(std::size_t k, const std::vector<Piece>& pieces, std::string_view kind) const {
  OutputFile joined(folder_.file(k, kind));
  bool any = false;
  for (const Piece& piece : pieces) {
    const std::string path = file(k, piece, kind);
    if (!fs::exists(path)) continue;
    joined.write(read_bytes(path));
    any = true;
  }
  if (any) {
    joined.commit();
  } else {
    fs::remove(folder_.file(k, kind));
  }
}

}  // namespace hinge
