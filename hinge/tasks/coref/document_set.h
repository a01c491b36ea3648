// The numbers of many documents, which may be longer than memory.
#pragma once

#include <type_traits>

#include "hinge/files/block_cache.h"
#include "hinge/files/column.h"
#include "hinge/tasks/coref/data.h"

namespace hinge::coref {

// Caches hold these bytes: nothing in them may be undefined.
static_assert(std::has_unique_object_representations_v<MentionFacts>);
static_assert(std::has_unique_object_representations_v<Candidate>);

struct DocumentSet {
  // Where a document begins in the columns; `begin` has an entry more for each than mentions.
  struct Start {
    std::size_t mention = 0, stem = 0, token = 0, candidate = 0;
  };

  Column<Start> starts{Start()};  // [documents + 1]
  // As in DocumentData, one document after the other.
  Column<MentionFacts> mentions;
  Column<FieldKeys> fields;
  Column<Key> stems;
  Column<std::uint32_t> heads;
  Column<Key> relations;
  Column<std::uint32_t> begin;
  Column<Candidate> candidates;
  Column<std::uint32_t> clusters;
  Column<char> anaphoric;
  BlockUse use;  // call it before a document is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    const auto mention = [](const DocumentSet& s, std::size_t i) { return s.starts[i].mention; };
    const auto token = [](const DocumentSet& s, std::size_t i) { return s.starts[i].token; };
    body("starts", d.starts, [](const DocumentSet&, std::size_t i) { return i; });
    body("mentions", d.mentions, mention);
    body("fields", d.fields, mention);
    body("stems", d.stems, [](const DocumentSet& s, std::size_t i) { return s.starts[i].stem; });
    body("heads", d.heads, token);
    body("relations", d.relations, token);
    body("begin", d.begin, [](const DocumentSet& s, std::size_t i) { return s.starts[i].mention + i; });
    body("candidates", d.candidates,
         [](const DocumentSet& s, std::size_t i) { return s.starts[i].candidate; });
    body("clusters", d.clusters, mention);
    body("anaphoric", d.anaphoric, mention);
  }

  std::size_t size() const { return starts.size() - 1; }
  void add(const DocumentData& document);
  DocumentView operator[](std::size_t i) const;
};

// Whether the data of a cache may be trusted in these documents.
bool is_sound(const DocumentSet& data, std::size_t first, std::size_t last);

}  // namespace hinge::coref
