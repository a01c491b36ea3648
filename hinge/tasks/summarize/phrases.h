// How often words and bigrams of documents come back in the references, over the topics of
// the training data: what summaries are made of, whatever they are about.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "hinge/core/state.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/summarize/text.h"

namespace hinge::summarize {

class Phrases {
 public:
  // What one topic has: sorted keys of its documents, and those of them in its references.
  struct Seen {
    std::vector<std::uint64_t> documents, references;
  };
  static Seen of(const TopicText& topic);

  void add(const Seen& topic);
  // Drops what too few topics have to say anything.
  void prune();

  // The logarithm of how much likelier than others the phrase is to come back, 0 if nothing is
  // known. Without the topic `own`, if given: a topic must not be predicted from itself.
  double affinity(std::uint64_t key, const Seen* own) const;

  void write(ModelWriter& out) const;
  static Phrases read(const ModelFile& file);
  void visit(State& state);

 private:
  struct Count {
    std::uint32_t documents = 0, references = 0;
  };
  // As numbers, sorted by keys.
  struct Table {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> counts;  // two for each
    std::vector<std::uint64_t> sums;
  };
  Table table() const;
  bool take(const Table& table);  // false if it is damaged

  absl::flat_hash_map<std::uint64_t, Count> counts_;
  std::uint64_t documents_ = 0, references_ = 0;  // sums
};

}  // namespace hinge::summarize
