// The training data of a resolver, all that its training set is made of: read, or from a
// cache (compiled.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hinge/tasks/coref/dictionary.h"
#include "hinge/tasks/coref/document_set.h"
#include "hinge/tasks/coref/documents.h"
#include "hinge/tasks/coref/options.h"
#include "hinge/tasks/coref/plan.h"

namespace hinge::coref {

// What the model that training continues from knows; empty by default. It stays even if
// the new data lacks it.
struct Known {
  std::vector<Key> words;  // that are frequent
  std::string columns;     // as the option names them
  std::string templates;
  Dictionary features;  // empty if they are hashed
  RowNames names;       // of hashed ones, if they are kept
};

// The section with the names of hashed weights.
inline constexpr std::string_view kRowNames = "weights.names";

// How many.
struct DocumentCounts {
  std::uint64_t tokens = 0;
  std::uint64_t gold = 0;        // mentions in the documents
  std::uint64_t found = 0;       // of them, in the data
  std::uint64_t candidates = 0;  // of the detector
  std::uint64_t right = 0;       // of them, mentions in the documents

  void visit(State& state) { state(tokens, gold, found, candidates, right); }
};

struct DocumentParts {
  Plan plan;
  Dictionary features;            // empty if they are hashed,
  std::optional<RowNames> names;  // which may then have names
  DocumentSet data;
  DocumentCounts counts;
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null
};

// What options alone say.
Plan plan_of(const CorefOptions& options);

// `space` is where columns go, and then the source is read several times; null: into memory.
DocumentParts read_parts(const Source& source, const CorefOptions& options, const Known& known,
                         Workers& workers, SpillSpace* space);

// Appends the numbers of documents, on all threads. find(i, tokens): the mentions of documents[i].
using FindMentions = std::function<FoundSpans(std::size_t i, const Tokens& tokens)>;
void append_data(std::span<const Document> documents, const Plan& plan, Workers& workers,
                 const FindMentions& find, DocumentSet& data);

}  // namespace hinge::coref
