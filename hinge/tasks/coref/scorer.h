// Features of one document's decisions, and their scores.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hinge/tasks/coref/data.h"
#include "hinge/tasks/coref/layout.h"
#include "hinge/tasks/coref/templates.h"

namespace hinge::coref {

using PairKeys = std::array<Key, kPairFields + 1>;

// The numbers behind the pair's keys; explanations print them.
void pair_values(const DocumentView& data, std::size_t m, const Candidate& candidate,
                 std::array<std::uint8_t, kPairFields>& values);

// One per thread. The key of a feature is the exclusive or of a key of the mention, one of
// the antecedent and those of the pair's properties: n mentions cost n hashes per
// template, and a pair a few instructions.
class Scorer {
 public:
  // Both must outlive it.
  Scorer(const TemplateSet& templates, const Layout& layout) : templates_(templates), layout_(layout) {}

  // Hashes the mentions of a document, which must outlive the next calls.
  void prepare(const DocumentView& data);

  // use(template number, key) for the features of a new cluster that begins at m.
  template <typename Use>
  void each_start_key(std::size_t m, const Use& use) const;
  // use(kForms * template number + form, key) for a link from m to a candidate.
  template <typename Use>
  void each_pair_key(std::size_t m, const Candidate& candidate, const Use& use) const;

  // use(weight) for the features of a choice that have one: a candidate of m, or the last, a
  // new cluster.
  template <typename Use>
  void each_feature(std::size_t m, std::size_t choice, const Use& use) const;

  // Call before score() if the weights changed: sums what depends on the antecedent alone.
  void weigh(const float* w);
  // Scores of all choices of m: its candidates, then a new cluster.
  void score(std::size_t m, const float* w, std::vector<float>& scores);

  const DocumentView& data() const { return data_; }

 private:
  PairKeys pair_keys(std::size_t m, const Candidate& candidate) const;
  // The same as each_pair_key for the templates before `end`.
  template <typename Use>
  void each_key_of(std::size_t m, const Candidate& candidate, std::size_t end, const Use& use) const;
  float weight_of(Key key, const float* w) const;
  float pair_score(std::size_t m, const Candidate& candidate, const float* w);

  const TemplateSet& templates_;
  const Layout& layout_;
  DocumentView data_;
  std::vector<Key> starts_;                  // [mentions][starts]
  std::vector<Key> mentions_, antecedents_;  // [mentions][pairs]
  std::vector<float> alone_;                 // [mentions], sums for antecedents
  std::vector<Key> keys_;                    // of one pair
};

template <typename Use>
void Scorer::each_start_key(std::size_t m, const Use& use) const {
  const std::size_t n = templates_.starts.size();
  for (std::size_t t = 0; t < n; ++t) use(t, starts_[m * n + t]);
}

template <typename Use>
void Scorer::each_key_of(std::size_t m, const Candidate& candidate, std::size_t end, const Use& use) const {
  const PairKeys pair = pair_keys(m, candidate);
  const std::size_t n = templates_.pairs.size();
  const Key* of_m = mentions_.data() + m * n;
  const Key* of_a = antecedents_.data() + candidate.mention * n;
  const Key type = data_.set.mentions[m].type;
  const Key types = combine(type, data_.set.mentions[candidate.mention].type);
  const auto key_of = [&](std::size_t t) {
    const auto& fields = templates_.of_pair[t];
    return of_m[t] ^ of_a[t] ^ pair[fields[0]] ^ pair[fields[1]] ^ pair[fields[2]];
  };
  for (std::size_t t = 0; t < templates_.typed; ++t) {
    const Key key = key_of(t);
    use(kForms * t, key);
    use(kForms * t + 1, key ^ type);
    use(kForms * t + 2, key ^ types);
  }
  for (std::size_t t = templates_.typed; t < end; ++t) use(kForms * t, key_of(t));
}

template <typename Use>
void Scorer::each_pair_key(std::size_t m, const Candidate& candidate, const Use& use) const {
  each_key_of(m, candidate, templates_.pairs.size(), use);
}

template <typename Use>
void Scorer::each_feature(std::size_t m, std::size_t choice, const Use& use) const {
  const auto candidates = data_.candidates_of(m);
  const auto with_id = [&](std::size_t, Key key) {
    const FeatureId id = layout_.id(key);
    if (id != Layout::kNone) use(id);
  };
  if (choice == candidates.size()) return each_start_key(m, with_id);
  each_pair_key(m, candidates[choice], with_id);
}

}  // namespace hinge::coref
