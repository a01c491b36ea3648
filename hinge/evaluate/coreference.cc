#include "hinge/evaluate/coreference.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "hinge/evaluate/matching.h"

namespace hinge {
namespace {

constexpr std::uint32_t kNone = kUnmatched;

double links(double mentions) { return mentions * (mentions - 1.0) / 2.0; }

// Clusters of numbered mentions, one after the other.
struct Clusters {
  std::vector<std::uint32_t> members;     // numbers of mentions
  std::vector<std::uint32_t> cluster_of;  // [members]
  std::vector<std::uint32_t> sizes;       // [clusters]
  std::vector<std::uint32_t> index;       // [all mentions], a cluster or kNone
  std::size_t distinct = 0;               // mentions with a cluster
};

// How many mentions of gold cluster and system cluster are the same.
struct Overlap {
  std::uint32_t gold, system;
  std::uint32_t members;   // of both
  std::uint32_t mentions;  // the same, with every mention in one gold cluster only
};

bool comes_before(TokenRange a, TokenRange b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); }

// Sorted, each once.
std::vector<TokenRange> spans_of(std::span<const Mention> gold, std::span<const Mention> system) {
  std::vector<TokenRange> spans;
  for (const Mention& mention : gold) spans.push_back(mention.range());
  for (const Mention& mention : system) spans.push_back(mention.range());
  std::sort(spans.begin(), spans.end(), comes_before);
  spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
  return spans;
}

Clusters clusters_of(std::span<const Mention> mentions, const std::vector<TokenRange>& spans,
                     bool one_cluster_each) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // cluster, number
  for (const Mention& mention : mentions) {
    const auto found = std::lower_bound(spans.begin(), spans.end(), mention.range(), comes_before);
    pairs.emplace_back(mention.cluster, static_cast<std::uint32_t>(found - spans.begin()));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  Clusters result;
  result.index.assign(spans.size(), kNone);
  std::uint32_t last = 0;
  for (const auto& [cluster, number] : pairs) {
    const bool repeated = result.index[number] != kNone;
    if (repeated && one_cluster_each) continue;
    if (result.sizes.empty() || cluster != last) result.sizes.push_back(0);
    last = cluster;
    ++result.sizes.back();
    result.index[number] = static_cast<std::uint32_t>(result.sizes.size() - 1);
    result.members.push_back(number);
    result.cluster_of.push_back(result.index[number]);
    result.distinct += !repeated;
  }
  return result;
}

// Sorted by gold, then by system.
std::vector<Overlap> overlaps_of(const Clusters& gold, const Clusters& system) {
  std::vector<Overlap> all;
  for (std::size_t k = 0; k < gold.members.size(); ++k) {
    const std::uint32_t number = gold.members[k];
    if (system.index[number] == kNone) continue;
    const bool counts = gold.index[number] == gold.cluster_of[k];
    all.push_back({gold.cluster_of[k], system.index[number], 1, counts ? 1u : 0u});
  }
  std::sort(all.begin(), all.end(), [](const Overlap& a, const Overlap& b) {
    return std::tie(a.gold, a.system) < std::tie(b.gold, b.system);
  });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (kept > 0 && all[kept - 1].gold == all[k].gold && all[kept - 1].system == all[k].system) {
      all[kept - 1].members += all[k].members;
      all[kept - 1].mentions += all[k].mentions;
    } else {
      all[kept++] = all[k];
    }
  }
  all.resize(kept);
  return all;
}

// One document, ready for every measure.
struct Comparison {
  Clusters gold, system;
  std::vector<Overlap> overlaps;
};

CoreferenceFraction count_mentions(const Comparison& document) {
  double common = 0.0;
  for (const Overlap& overlap : document.overlaps) common += overlap.mentions;
  return {common, static_cast<double>(document.gold.distinct), common,
          static_cast<double>(document.system.distinct)};
}

// Links needed to connect a cluster (Vilain et al., MUC-6, 1995).
CoreferenceFraction count_muc(const Comparison& document) {
  double common = 0.0;
  for (const Overlap& overlap : document.overlaps) common += std::max(overlap.mentions, 1u) - 1u;
  const auto all = [](const Clusters& side) {
    return static_cast<double>(side.members.size() - side.sizes.size());
  };
  return {common, all(document.gold), common, all(document.system)};
}

// Bagga and Baldwin, LREC workshop, 1998.
CoreferenceFraction count_b3(const Comparison& document) {
  CoreferenceFraction sum;
  sum.gold = static_cast<double>(document.gold.members.size());
  sum.system = static_cast<double>(document.system.members.size());
  for (const Overlap& overlap : document.overlaps) {
    const double product = static_cast<double>(overlap.mentions) * overlap.members;
    sum.recall += product / document.gold.sizes[overlap.gold];
    sum.precision += product / document.system.sizes[overlap.system];
  }
  return sum;
}

// The similarity of the best alignment of gold and system clusters (Luo, HLT/EMNLP 2005).
template <typename Similarity>
double align(const Comparison& document, const Similarity& similarity) {
  std::vector<MatchingEdge> edges;
  for (const Overlap& overlap : document.overlaps) {
    edges.push_back({overlap.gold, overlap.system, similarity(overlap)});
  }
  const std::vector<std::uint32_t> matching =
      heaviest_matching(document.gold.sizes.size(), document.system.sizes.size(), edges);
  double sum = 0.0;
  for (const MatchingEdge& edge : edges) {
    if (matching[edge.row] == edge.column) sum += edge.weight;
  }
  return sum;
}

// Luo's phi 3: mentions in common.
CoreferenceFraction count_ceaf_m(const Comparison& document) {
  const double sum =
      align(document, [](const Overlap& overlap) { return static_cast<double>(overlap.members); });
  return {sum, static_cast<double>(document.gold.members.size()), sum,
          static_cast<double>(document.system.members.size())};
}

// Luo's phi 4: the same as a share of both clusters.
CoreferenceFraction count_ceaf_e(const Comparison& document) {
  const double sum = align(document, [&](const Overlap& overlap) {
    const double size = document.gold.sizes[overlap.gold] + document.system.sizes[overlap.system];
    return 2.0 * overlap.members / size;
  });
  return {sum, static_cast<double>(document.gold.sizes.size()), sum,
          static_cast<double>(document.system.sizes.size())};
}

// Pairs (Luo, Pradhan, Recasens and Hovy, ACL 2014, with system mentions). A pair is correct if both its
// mentions are found, and are in one cluster in both, or in different ones in both.
void count_pairs(const Comparison& document, CoreferenceCounts& counts) {
  std::vector<double> gold(document.gold.sizes.size(), 0.0);      // mentions that were found
  std::vector<double> system(document.system.sizes.size(), 0.0);  // mentions that are in gold
  double common = 0.0, same = 0.0;
  for (const Overlap& overlap : document.overlaps) {
    common += overlap.mentions;
    gold[overlap.gold] += overlap.mentions;
    system[overlap.system] += overlap.mentions;
    same += links(overlap.mentions);
  }
  double different = links(common) + same;  // pairs of one cluster in both are subtracted twice
  for (const double mentions : gold) different -= links(mentions);
  for (const double mentions : system) different -= links(mentions);

  const auto coreferent = [](const Clusters& side) {
    std::vector<double> sizes(side.sizes.size(), 0.0);
    for (const std::uint32_t cluster : side.index) {
      if (cluster != kNone) ++sizes[cluster];
    }
    double sum = 0.0;
    for (const double size : sizes) sum += links(size);
    return sum;
  };
  const double gold_links = coreferent(document.gold);
  const double system_links = coreferent(document.system);
  counts.coreferent = {same, gold_links, same, system_links};
  counts.different = {different, links(static_cast<double>(document.gold.distinct)) - gold_links, different,
                      links(static_cast<double>(document.system.distinct)) - system_links};
}

// The share of each cluster's links that the other side has, weighted by size (Moosavi and
// Strube, ACL 2016). A cluster of one has a link to itself, which only a cluster of one has.
CoreferenceFraction count_lea(const Comparison& document) {
  CoreferenceFraction sum;
  sum.gold = static_cast<double>(document.gold.members.size());
  sum.system = static_cast<double>(document.system.members.size());
  for (const Overlap& overlap : document.overlaps) {
    const double gold = document.gold.sizes[overlap.gold];
    const double system = document.system.sizes[overlap.system];
    const double common = links(overlap.mentions);
    if (gold == 1.0 && system == 1.0) {
      sum.recall += overlap.mentions;
      sum.precision += overlap.mentions;
    }
    if (gold > 1.0) sum.recall += gold * common / links(gold);
    if (system > 1.0) sum.precision += system * common / links(system);
  }
  return sum;
}

void add_to(CoreferenceFraction& sum, const CoreferenceFraction& other) {
  sum.recall += other.recall;
  sum.gold += other.gold;
  sum.precision += other.precision;
  sum.system += other.system;
}

constexpr CoreferenceFraction CoreferenceCounts::*kFractions[] = {
    &CoreferenceCounts::mentions,   &CoreferenceCounts::muc,      &CoreferenceCounts::b3,
    &CoreferenceCounts::ceaf_m,     &CoreferenceCounts::ceaf_e,   &CoreferenceCounts::lea,
    &CoreferenceCounts::coreferent, &CoreferenceCounts::different};

// The means of both kinds of pairs; if gold has one kind only, that kind.
PrecisionRecall blanc_of(const CoreferenceCounts& counts) {
  const PrecisionRecall same = counts.coreferent.ratios();
  const PrecisionRecall different = counts.different.ratios();
  if (counts.coreferent.gold == 0.0) return different;
  if (counts.different.gold == 0.0) return same;
  return {(same.precision + different.precision) / 2, (same.recall + different.recall) / 2,
          (same.f1 + different.f1) / 2};
}

// The reference scorer cuts percentages after two decimals; so does the report, to show the
// same figures. The small number makes up for rounding, which may turn 70 into 69.99999.
double cut(double percentage) { return std::floor(percentage * 100.0 + 1e-7) / 100.0; }

struct Row {
  const char* key;
  const char* title;
  PrecisionRecall CoreferenceScores::*scores;
};

constexpr Row kRows[] = {{"muc", "MUC", &CoreferenceScores::muc},
                         {"b3", "B3", &CoreferenceScores::b3},
                         {"ceaf_e", "CEAF-e", &CoreferenceScores::ceaf_e},
                         {"ceaf_m", "CEAF-m", &CoreferenceScores::ceaf_m},
                         {"blanc", "BLANC", &CoreferenceScores::blanc},
                         {"lea", "LEA", &CoreferenceScores::lea},
                         {"mentions", "mentions", &CoreferenceScores::mentions}};

}  // namespace

PrecisionRecall CoreferenceFraction::ratios() const {
  PrecisionRecall result;
  if (system > 0.0) result.precision = 100.0 * precision / system;
  if (gold > 0.0) result.recall = 100.0 * recall / gold;
  const double sum = result.precision + result.recall;
  if (sum > 0.0) result.f1 = 2.0 * result.precision * result.recall / sum;
  return result;
}

void CoreferenceScorer::add(std::span<const Mention> gold, std::span<const Mention> system) {
  const std::vector<TokenRange> spans = spans_of(gold, system);
  Comparison document;
  document.gold = clusters_of(gold, spans, /*one_cluster_each=*/false);
  document.system = clusters_of(system, spans, /*one_cluster_each=*/true);
  document.overlaps = overlaps_of(document.gold, document.system);
  CoreferenceCounts counts;
  counts.mentions = count_mentions(document);
  counts.muc = count_muc(document);
  counts.b3 = count_b3(document);
  counts.ceaf_m = count_ceaf_m(document);
  counts.ceaf_e = count_ceaf_e(document);
  counts.lea = count_lea(document);
  count_pairs(document, counts);
  documents_.push_back(counts);
}

void CoreferenceScorer::add(const CoreferenceScorer& other) {
  documents_.insert(documents_.end(), other.documents_.begin(), other.documents_.end());
}

CoreferenceCounts CoreferenceScorer::counts() const {
  CoreferenceCounts sum;
  for (const CoreferenceCounts& document : documents_) {
    for (const auto fraction : kFractions) add_to(sum.*fraction, document.*fraction);
  }
  return sum;
}

CoreferenceScores CoreferenceScorer::scores() const {
  const CoreferenceCounts sum = counts();
  CoreferenceScores scores;
  scores.mentions = sum.mentions.ratios();
  scores.muc = sum.muc.ratios();
  scores.b3 = sum.b3.ratios();
  scores.ceaf_m = sum.ceaf_m.ratios();
  scores.ceaf_e = sum.ceaf_e.ratios();
  scores.lea = sum.lea.ratios();
  scores.blanc = blanc_of(sum);
  scores.conll = (scores.muc.f1 + scores.b3.f1 + scores.ceaf_e.f1) / 3.0;
  return scores;
}

Evaluation CoreferenceScorer::evaluate() const {
  const CoreferenceScores scores = this->scores();
  const CoreferenceCounts sum = counts();
  Evaluation result;
  result.scores.emplace_back("conll", scores.conll);
  result.text = fmt::format("{} documents with {:.0f} mentions; found: {:.0f}; correct: {:.0f}\n",
                            documents(), sum.mentions.gold, sum.mentions.system, sum.mentions.recall);
  result.text += fmt::format("{:>17}: {:>6} {:>6} {:>6}\n", "", "F1", "prec.", "recall");
  for (const Row& row : kRows) {
    const PrecisionRecall& all = scores.*row.scores;
    result.scores.emplace_back(row.key, all.f1);
    result.detail.emplace_back(row.key,
                               Scores{{"f1", all.f1}, {"precision", all.precision}, {"recall", all.recall}});
    result.text += fmt::format("{:>17}: {:6.2f} {:6.2f} {:6.2f}\n", row.title, cut(all.f1),
                               cut(all.precision), cut(all.recall));
  }
  result.text += fmt::format("{:>17}: {:6.2f}  mean F1 of MUC, B3 and CEAF-e\n", "CoNLL", cut(scores.conll));
  return result;
}

}  // namespace hinge
