// Small random treebanks. Everything that the dependency tasks compute by dynamic
// programming is computed here independently: features from the words of a part
// and the documentation of templates, maxima and sums by listing all labelled
// trees.
//
// Weights and costs are small multiples of powers of two, so that every score is
// exact in a float, in any order of summation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/tasks/dep/second_task.h"
#include "hinge/tasks/dep/task.h"
#include "tests/support/all_trees.h"
#include "tests/support/enumerated_task.h"

namespace hinge::test {

// Has every group, role, distance and side.
extern const char* const kSmallTemplates;

struct TreeShape {
  std::string name;
  std::string templates = kSmallTemplates;
  dep::TreeOptions options{};
  std::size_t labels = 2;      // 0: unlabelled
  std::int64_t hash_bits = 4;  // few: many features share a weight
  std::int64_t label_bits = 3;
  std::size_t longest = 4;
  bool costly = false;  // a separate cost for each word, zero for some
  bool pruned = false;  // second order: some arcs are not candidates
};

std::ostream& operator<<(std::ostream& out, const TreeShape& shape);

using Labels = std::vector<LabelId>;  // [words + 1]; empty if unlabelled

struct LabelledTree {
  std::size_t tree;  // index into trees()
  Labels labels;
  double score;
  double loss;
};

class TreeWorld {
 public:
  TreeWorld(const TreeShape& shape, std::uint64_t seed, std::size_t sentences = 5);
  TreeWorld(const TreeWorld&) = delete;  // the task points into data_

  const Task& task() const { return *task_; }
  const dep::ParserPlan& plan() const { return plan_; }
  const dep::TreeData& data() const { return data_; }
  std::size_t words(std::size_t s) const { return sentences_[s].words.size(); }
  std::vector<WordCells> cells(std::size_t s) const;  // [words]
  Weights random_weights();

  // All trees; for second order, all trees of candidate arcs.
  const std::vector<Heads>& trees(std::size_t s) const { return sentences_[s].trees; }
  std::size_t gold_tree(std::size_t s) const { return sentences_[s].gold; }
  Labels gold_labels(std::size_t s) const;

  // Weight ids of all features, each as often as it fires: for all parts of a tree, for one arc, and for
  // a word's label in the gold tree.
  const std::vector<FeatureId>& tree_features(std::size_t s, std::size_t tree) const {
    return sentences_[s].features[tree];
  }
  std::vector<FeatureId> arc_features(std::size_t s, std::size_t head, std::size_t modifier) const;
  std::vector<FeatureId> label_features(std::size_t s, std::size_t word, LabelId label) const {
    return label_features(s, trees(s)[gold_tree(s)], word, label);
  }
  std::vector<FeatureId> label_features(std::size_t s, const Heads& heads, std::size_t word,
                                        LabelId label) const;
  SparseVector features(std::size_t s, std::size_t tree, const Labels& labels) const;  // merged
  SparseVector psi(std::size_t s, std::size_t tree, const Labels& labels) const;       // of a rival, merged

  // Every labelled tree, with its score under w and its loss.
  void each_output(std::size_t s, const Weights& w,
                   const std::function<void(const LabelledTree&)>& body) const;
  double gold_score(std::size_t s, const Weights& w) const;

  // The same problem as lists.
  EnumeratedTask enumerated() const;

 private:
  struct Word {
    std::string form, upos;
  };
  struct Sentence {
    std::vector<Word> words;
    std::vector<Heads> trees;
    std::vector<std::vector<FeatureId>> features;  // of trees
    std::size_t gold;
  };
  struct Place {  // of a word in a part
    Role role;
    std::ptrdiff_t word;  // 0: the root
  };
  static constexpr std::ptrdiff_t kNobody = -1;

  void add_sentence(std::size_t words);
  void choose_candidates(const Heads& gold, std::size_t words);
  void fill_dictionary();
  void find_label_rows();

  Key value(const Sentence& sentence, std::ptrdiff_t at, std::size_t field) const;
  Key key(const Sentence& sentence, const FactorTemplate& t, const std::vector<Place>& places) const;
  std::vector<Key> arc_keys(const Sentence& sentence, std::size_t head, std::size_t modifier) const;
  Key label_key(const Sentence& sentence, const Heads& heads, const FactorTemplate& t,
                std::size_t word) const;
  // Calls body(key, slot) for both slots of every feature of an arc, or of the parts that end in an arc.
  using Feature = std::function<void(Key key, std::uint32_t slot)>;
  void each_arc_feature(const Sentence& sentence, std::size_t head, std::size_t modifier,
                        const Feature& body) const;
  void each_part_feature(const Sentence& sentence, const Heads& heads, std::size_t modifier,
                         const Feature& body) const;
  void add_weight(Key key, std::uint32_t slot, std::vector<FeatureId>& ids) const;

  TreeShape shape_;
  Random random_;
  dep::ParserPlan plan_;
  dep::TreeData data_;
  dep::CandidateArcs candidates_;
  std::vector<Sentence> sentences_;
  std::unique_ptr<Task> task_;
};

bool same_features(SparseVector a, const SparseVector& merged);

}  // namespace hinge::test
