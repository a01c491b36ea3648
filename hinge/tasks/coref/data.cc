#include "hinge/tasks/coref/data.h"

#include <algorithm>
#include <unordered_map>

namespace hinge::coref {
namespace {

Agreement worse(Agreement x, Agreement y) { return std::max(x, y); }

template <typename T>
Agreement same(T x, T y, T unknown) {
  if (x == unknown || y == unknown) return Agreement::kUnknown;
  return x == y ? Agreement::kYes : Agreement::kNo;
}

// Finds the candidates of each mention in turn.
class CandidateFinder {
 public:
  CandidateFinder(const Reach& reach, DocumentData& data) : reach_(reach), data_(data) {}

  void find_all() {
    data_.begin.assign(1, 0);
    for (std::uint32_t m = 0; m < data_.size(); ++m) {
      find(m);
      data_.begin.push_back(static_cast<std::uint32_t>(data_.candidates.size()));
      for (const Key word : data_.set.words_of(data_.set.mentions[m])) by_word_[word].push_back(m);
    }
  }

 private:
  void find(std::uint32_t m) {
    const std::uint32_t window =
        reach_.window == 0 ? m : static_cast<std::uint32_t>(std::min<std::int64_t>(m, reach_.window));
    std::uint32_t nearer = 0;
    for (std::uint32_t a = m; a-- > m - window;) add(m, a, nearer);
    if (reach_.window == 0) return;
    far_.clear();
    for (const Key word : data_.set.words_of(data_.set.mentions[m])) {
      const std::vector<std::uint32_t>& all = by_word_[word];
      for (std::size_t k = all.size(); k-- > 0 && m - all[k] <= reach_.word_window;) {
        if (m - all[k] > window) far_.push_back(all[k]);
      }
    }
    std::ranges::sort(far_, std::greater());
    far_.erase(std::unique(far_.begin(), far_.end()), far_.end());
    for (const std::uint32_t a : far_) add(m, a, nearer);
  }

  void add(std::uint32_t m, std::uint32_t a, std::uint32_t& nearer) {
    // "Anna" and "Anna and Ben" have the same head, but never mean the same.
    if (data_.set.mentions[m].head == data_.set.mentions[a].head) return;
    data_.candidates.push_back({.mention = a, .nearer = static_cast<std::uint16_t>(std::min(nearer, 255u))});
    nearer += agree(data_.set.mentions[m], data_.set.mentions[a]) != Agreement::kNo;
  }

  Reach reach_;
  DocumentData& data_;
  std::unordered_map<Key, std::vector<std::uint32_t>> by_word_;  // mentions so far
  std::vector<std::uint32_t> far_;
};

void mark_gold(std::span<const std::uint32_t> clusters, DocumentData& data) {
  data.clusters.assign(clusters.begin(), clusters.end());
  data.clusters.resize(data.size(), kNoCluster);
  data.anaphoric.assign(data.size(), 0);
  for (std::size_t m = 0; m < data.size(); ++m) {
    if (data.clusters[m] == kNoCluster) continue;
    for (std::uint32_t c = data.begin[m]; c < data.begin[m + 1]; ++c) {
      data.candidates[c].gold = data.clusters[data.candidates[c].mention] == data.clusters[m];
      data.anaphoric[m] |= static_cast<char>(data.candidates[c].gold);
    }
  }
}

}  // namespace

Agreement agree(const MentionFacts& m, const MentionFacts& a) {
  Agreement all = same(m.gender, a.gender, Gender::kUnknown);
  all = worse(all, same(m.number, a.number, Number::kUnknown));
  if (m.person != a.person && m.speaker != kAbsent && m.speaker == a.speaker) return Agreement::kNo;
  if ((m.animate && a.inanimate) || (m.inanimate && a.animate)) return Agreement::kNo;
  return all;
}

DocumentData make_data(const Tokens& tokens, const FoundSpans& found, std::span<const std::uint32_t> clusters,
                       const FrequentWords& frequent, const Reach& reach) {
  DocumentData data;
  describe_mentions(tokens, found, frequent, data.set);
  data.heads = tokens.heads;
  for (const std::string_view relation : tokens.relations)
    data.relations.push_back(hash_text(relation.substr(0, relation.find(':'))));
  CandidateFinder(reach, data).find_all();
  mark_gold(clusters, data);
  return data;
}

}  // namespace hinge::coref
