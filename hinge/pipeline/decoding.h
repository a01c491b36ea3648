// One decoding of the tuning loop: from its source to n-best lists of every sentence.
//
// The source can be cut into pieces, runs of lines, that are decoded at once. Sentences of a
// piece are counted from 0. The P-th piece, from 1, of iteration K has the files
//
//   runK.pieceP.source    its lines, without compression
//   runK.pieceP.nbest, .nbest.gz, .out, .log    as those of a whole decoding (tune.h)
//
// Once all are decoded, they become the files of the whole, and are removed; so they are if
// the decoding is stopped. After a failure they stay until the loop goes on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hinge/corpus/nbest/lists.h"
#include "hinge/pipeline/decoder.h"
#include "hinge/pipeline/tune_folder.h"

namespace hinge {

class Decoding {
 public:
  struct Settings {
    std::string source;
    std::size_t sentences;     // in the source
    std::size_t processes;     // pieces, unless there are fewer sentences
    std::string cost_feature;  // as in NBestOptions
  };

  // The decoder and the folder must outlive it.
  Decoding(Settings settings, const Decoder& decoder, const TuneFolder& folder);

  // With the weights of iteration k. Nothing if it was stopped. Throws Error if the decoder
  // fails or its lists cannot be used.
  std::optional<NBestLists> run(std::size_t k) const;

 private:
  struct Piece {
    std::string prefix;      // of the kinds of its files; "": the whole
    std::size_t begin, end;  // lines of the source
    DecoderCall call;
  };

  std::string file(std::size_t k, const Piece& piece, std::string_view kind) const;
  std::vector<Piece> cut(std::size_t k) const;
  DecoderCall call_of(std::size_t k, const Piece& piece, std::size_t number, std::size_t pieces) const;
  void write_sources(std::size_t k, const std::vector<Piece>& pieces) const;
  NBestLists read_list(std::size_t k, const Piece& piece) const;
  void check_ids(const NBestLists& lists, const std::string& path, const Piece& piece) const;
  NBestLists join_lists(std::size_t k, const std::vector<Piece>& pieces,
                        std::vector<NBestLists> lists) const;
  void join_texts(std::size_t k, const std::vector<Piece>& pieces, std::string_view kind) const;

  Settings settings_;
  const Decoder& decoder_;
  const TuneFolder& folder_;
};

}  // namespace hinge
