// The numbers of many topics, which may be longer than memory.
#pragma once

#include "hinge/files/block_cache.h"
#include "hinge/files/column.h"
#include "hinge/tasks/summarize/data.h"

namespace hinge::summarize {

struct TopicSet {
  // Where a topic begins in the columns.
  struct Start {
    std::size_t piece = 0, occurrence = 0, bigram = 0;
  };

  std::uint32_t limit = 0;        // words of a summary
  Layout layout;                  // of rows
  Column<Start> starts{Start()};  // [topics + 1]
  Column<GoldFacts> facts;        // [topics]
  // As in TopicData, one topic after the other.
  Column<Piece> pieces;
  Column<Occurrence> occurrences;
  Column<Origin> origins;
  Column<std::uint64_t> keys;
  Column<float> bigram_rows;
  Column<float> piece_rows;
  Column<double> gains;
  Column<double> costs;
  Column<char> gold;
  BlockUse use;  // call it before a topic is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    const auto topic = [](const TopicSet&, std::size_t i) { return i; };
    const auto piece = [](const TopicSet& s, std::size_t i) { return s.starts[i].piece; };
    const auto bigram = [](const TopicSet& s, std::size_t i) { return s.starts[i].bigram; };
    body("starts", d.starts, topic);
    body("facts", d.facts, topic);
    body("pieces", d.pieces, piece);
    body("occurrences", d.occurrences,
         [](const TopicSet& s, std::size_t i) { return s.starts[i].occurrence; });
    body("origins", d.origins, piece);
    body("keys", d.keys, bigram);
    body("bigram_rows", d.bigram_rows,
         [](const TopicSet& s, std::size_t i) { return s.starts[i].bigram * s.layout.bigrams; });
    body("piece_rows", d.piece_rows,
         [](const TopicSet& s, std::size_t i) { return s.starts[i].piece * s.layout.piece(); });
    body("gains", d.gains, bigram);
    body("costs", d.costs, piece);
    body("gold", d.gold, piece);
  }

  explicit TopicSet(std::uint32_t most_words) : limit(most_words), layout(summarize::layout()) {}
  std::size_t size() const { return starts.size() - 1; }
  void add(const TopicData& topic);
  TopicView operator[](std::size_t i) const;
};

// Whether the data of a cache may be trusted in these topics.
bool is_sound(const TopicSet& data, std::size_t first, std::size_t last);

}  // namespace hinge::summarize
