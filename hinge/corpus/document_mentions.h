// Brackets of a document, cell by cell → its mentions.
//
// A discontinuous mention of CoNLL-U, "(e7[1/2]" ... "e7[1/2])" ... "(e7[2/2])", becomes
// its part with the head, or the first part if the head is not given. Brackets of empty
// nodes (5.1) move to the words inside the mention; a mention without words is counted
// in Document::zeros.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/document_brackets.h"
#include "hinge/corpus/documents.h"

namespace hinge {

class MentionReader {
 public:
  // The mentions go to `document`, which must outlive the reader.
  explicit MentionReader(Document& document) : document_(document) { declare(document.entity_fields); }

  // "# global.Entity = fields". False if no field names the cluster.
  bool declare(std::string_view fields);
  // The next word, or kNoToken for an empty node, and its brackets. Throws InputError.
  void add_node(std::uint32_t token, std::string_view brackets, std::size_t line);
  // After the last node.
  void finish();

 private:
  // A mention, or a part of one, that is not closed yet.
  struct Open {
    std::uint32_t node;
    std::size_t line;
    std::string_view fields;
  };
  // All that have the same name, "e7" or "e7[1/2]".
  struct Name {
    std::uint32_t cluster = 0;
    std::uint32_t part = 1, parts = 1;
    std::vector<Open> open;
  };
  struct Piece {
    std::uint32_t begin, end;  // nodes
  };
  // A discontinuous mention whose last part is not closed yet.
  struct Scattered {
    std::uint32_t parts;
    Open first;
    std::vector<Piece> pieces;
  };

  std::string_view name_in(const MentionBracket& bracket) const;
  Name& find_name(std::string_view text);
  void read_part(std::string_view text, std::size_t bracket, Name& name) const;
  std::uint32_t find_cluster(std::string_view name);
  void close(Name& name, std::string_view text);
  void close_part(const Name& name, const Open& open, Piece piece);
  void add_mention(std::uint32_t cluster, const Open& open, std::span<const Piece> pieces);
  std::uint32_t find_head(const Open& open, std::span<const Piece> pieces) const;
  TokenRange tokens_of(Piece piece) const;

  template <typename... Args>
  [[noreturn]] void refuse(std::size_t line, fmt::format_string<Args...> format, Args&&... args) const {
    fail<InputError>("{}:{}: {}", document_.source, line, fmt::format(format, std::forward<Args>(args)...));
  }

  Document& document_;
  std::size_t name_field_ = 0;
  std::size_t head_field_ = std::string_view::npos;
  std::size_t line_ = 0;
  std::vector<std::uint32_t> nodes_;  // their tokens
  std::vector<Name> names_;
  std::unordered_map<std::string_view, std::size_t> names_by_text_;
  std::unordered_map<std::string_view, std::uint32_t> clusters_;
  std::unordered_map<std::uint32_t, std::vector<Scattered>> scattered_;  // by cluster
};

}  // namespace hinge
