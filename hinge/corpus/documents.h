// Documents with coreference, from two formats:
//
// CoNLL-2012: "#begin document (name); part 000" ... "#end document", an empty line
// after each sentence. Columns separated by tabs, or by runs of blanks if the first
// line has no tab: document, part, number, word, part of speech, parse bit, lemma,
// frameset, sense, speaker, named entity, any number of arguments, coreference. The
// last column is always coreference; of the others, any number may be missing at the
// end. Three columns are number, word, coreference, four have the document before.
//
// CoNLL-U with Entity= in MISC (CorefUD, GUM): "# newdoc id = name" begins a document,
// without it all sentences are one. "# global.Entity = eid-etype-head-other" says which
// fields an opening bracket has; the one called eid or GRP names the cluster.
//
// Both: brackets "(7" open a mention of cluster 7, "7)" closes the mention of it opened
// last, "(7)" does both. Mentions may be nested, cross and span sentences.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/text_source.h"

namespace hinge {

enum class DocumentFormat { kAuto, kConll2012, kConllu };

inline constexpr std::uint32_t kNoToken = std::numeric_limits<std::uint32_t>::max();

// Tokens are counted over the whole document, from 0; ends are exclusive.
struct TokenRange {
  std::uint32_t begin, end;

  bool operator==(const TokenRange&) const = default;
};

// A phrase of a parse, or a named entity.
struct LabelledRange {
  std::string_view label;
  std::uint32_t begin, end;
};

struct Mention {
  std::uint32_t begin, end;
  std::uint32_t cluster;          // from 0
  std::uint32_t head = kNoToken;  // a token, if the file names it
  // CoNLL-U: the opening bracket, "e7-person-1-", unless the mention had to be changed.
  std::string_view fields = {};

  TokenRange range() const { return {begin, end}; }
};

// A cell that is not there is empty, also where the file has "_" or "-" for it.
struct DocumentToken {
  std::string_view word;
  std::string_view lemma;
  std::string_view upos;  // CoNLL-U only
  std::string_view xpos;  // in CoNLL-2012 the part of speech
  std::string_view feats;
  std::string_view relation;      // to the head
  std::string_view speaker;       // in CoNLL-U from "# speaker =" of the sentence
  std::uint32_t head = kNoToken;  // kNoToken: the root of its sentence, or not known
  std::uint32_t line = 0;         // in the file
  std::uint32_t empty_nodes = 0;  // CoNLL-U: how many (5.1) the document has before it
};

// Views are into *text, so a document can be moved, but not copied.
struct Document {
  // A cell that holds brackets. Empty nodes of CoNLL-U (5.1) have no token.
  struct Cell {
    std::string_view text;  // the last column of CoNLL-2012, MISC of CoNLL-U
    std::uint32_t token = kNoToken;
  };

  std::string source;  // the file, for messages
  std::unique_ptr<const std::string> text;
  DocumentFormat format = DocumentFormat::kAuto;
  std::size_t number = 1;  // in its file, from 1
  std::string_view name;
  std::string_view part;  // CoNLL-2012 only

  std::vector<DocumentToken> tokens;
  std::vector<TokenRange> sentences;        // cover all tokens, none of them empty
  std::vector<LabelledRange> constituents;  // CoNLL-2012; in preorder, words excluded
  std::vector<LabelledRange> entities;      // CoNLL-2012; by begin, longer ones first
  // Gold; by begin, longer ones first, then by cluster.
  std::vector<Mention> mentions;
  std::vector<std::string_view> cluster_names;  // [clusters], by first opening bracket
  // Mentions that are not in `mentions` because they cover only empty nodes (5.1).
  std::size_t zeros = 0;

  // For the writer.
  std::vector<Cell> cells;         // in the order of the text
  std::string entity_fields;       // of "# global.Entity"; "" if there was none so far
  bool bars = true;                // CoNLL-2012: brackets are separated by '|'
  std::string_view nothing = "-";  // CoNLL-2012: the cell without brackets

  std::string where(std::size_t token) const;  // "file:line"
};

// One document, cut from the text but not parsed, so that threads can parse in parallel.
struct DocumentText {
  std::string text;
  std::string source;
  std::size_t first_line = 1;
  std::size_t number = 1;  // in its file, from 1
  DocumentFormat format = DocumentFormat::kAuto;
  std::string entity_fields;  // of the last "# global.Entity" up to here
};

// Cuts a text into documents. All bytes are part of a document, lines between
// documents of the one that follows; what follows the last is a document without tokens.
// The end of a file ends its last document.
class DocumentSplitter {
 public:
  explicit DocumentSplitter(const TextInput& input, DocumentFormat format = DocumentFormat::kAuto);

  // False at the end. Throws InputError naming file and line.
  bool next(DocumentText& document);
  // The same, but also false if the rest of the document has not arrived yet in a pipe. The
  // next call goes on where this one stopped.
  bool next_arrived(DocumentText& document);
  const std::string& name() const { return source_.name(); }

 private:
  bool take_document(DocumentText& document);
  void begin_file();
  void begin_document();
  bool peek(std::string_view& line);
  void take(std::string_view line, std::string& to);
  void find_format();
  void take_conll2012(std::string& text);
  void take_conllu(std::string& text);

  TextSource source_;
  DocumentFormat format_;
  std::string_view rest_;   // unread part of the chunk
  std::string ahead_;       // lines that were taken but belong to the next document
  std::size_t line_ = 1;    // number of the next line that is in neither
  std::size_t number_ = 0;  // documents so far
  std::string entity_fields_;
  bool waits_ = true;  // for input
  bool late_ = false;  // the last peek() did not wait
  std::size_t part_ = 0;
  bool file_ended_ = false;  // rest_ is the beginning of the next file

  // The document that is being taken.
  DocumentText document_;
  bool open_ = false;       // there is one
  bool begun_ = false;      // a sentence, a "# newdoc" or a "#begin document" was seen
  bool in_middle_ = false;  // CoNLL-U: the same, in this block
  std::size_t block_ = 0;   // CoNLL-U: where the block of lines begins in the text
};

// Throws InputError naming file and line.
Document parse_document(DocumentText text);

class DocumentReader {
 public:
  explicit DocumentReader(const TextInput& input, DocumentFormat format = DocumentFormat::kAuto)
      : splitter_(input, format) {}

  // False at the end. Documents without tokens are skipped unless keep_empty, which is
  // for writers that must lose nothing.
  bool next(Document& document, bool keep_empty = false);

 private:
  DocumentSplitter splitter_;
};

// Appends the document with these mentions instead of its own; all other bytes are
// unchanged, and so are cells whose brackets stay the same. Cluster k is called names[k].
// Without names, clusters are called 0, 1, ... in CoNLL-2012 and in CoNLL-U e1, e2, ...
// ("d2.e1" in the second document of a file, as names must differ there) or, if the field
// is GRP, 1, 2, ...
//
// Mentions may come in any order. Two mentions of one cluster that cross are read back
// as two nested ones: neither format can tell the difference. CoNLL-U: a mention with
// `fields` keeps them except for the name of the cluster, others get their head;
// "# global.Entity" is added if there are mentions and the text neither has it nor any
// brackets; brackets of empty nodes are removed.
void write_document(const Document& document, std::span<const Mention> mentions,
                    std::span<const std::string_view> names, std::string& out);

}  // namespace hinge
