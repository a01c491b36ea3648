// Coreference scores: an example counted by hand, random documents against plain counts
// by definition, and what the reference scorer prints for real output.
#include "hinge/evaluate/coreference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

// Mentions are single tokens here; only which are equal matters.
using Sets = std::vector<std::set<std::uint32_t>>;

std::vector<Mention> mentions_of(const Sets& clusters) {
  std::vector<Mention> mentions;
  for (std::uint32_t k = 0; k < clusters.size(); ++k) {
    for (const std::uint32_t token : clusters[k]) mentions.push_back({token, token + 1, k});
  }
  return mentions;
}

CoreferenceScorer scorer_of(const Sets& gold, const Sets& system) {
  CoreferenceScorer scorer;
  scorer.add(mentions_of(gold), mentions_of(system));
  return scorer;
}

void expect_scores(const PrecisionRecall& found, double recall, double precision) {
  EXPECT_NEAR(found.recall, 100.0 * recall, 1e-9);
  EXPECT_NEAR(found.precision, 100.0 * precision, 1e-9);
  const double f1 = recall + precision > 0.0 ? 2.0 * recall * precision / (recall + precision) : 0.0;
  EXPECT_NEAR(found.f1, 100.0 * f1, 1e-9);
}

// Small enough to count by hand, with missed, spurious and misplaced mentions.
const Sets kGold = {{1, 2, 3}, {4, 5, 6, 7}};
const Sets kSystem = {{1, 2}, {3, 4}, {6, 7, 8, 9}};

TEST(Coreference, AnExampleCountedByHand) {
  const CoreferenceScores scores = scorer_of(kGold, kSystem).scores();
  expect_scores(scores.mentions, 6.0 / 7, 6.0 / 8);
  // Gold falls into 2 and 3 parts, the system's clusters into 1, 2 and 3.
  expect_scores(scores.muc, (1.0 + 1.0) / (2.0 + 3.0), (1.0 + 0.0 + 1.0) / (1.0 + 1.0 + 3.0));
  expect_scores(scores.b3, (2.0 / 3 + 2.0 / 3 + 1.0 / 3 + 1.0 / 4 + 0.0 + 2.0 / 4 + 2.0 / 4) / 7,
                (1.0 + 1.0 + 0.5 + 0.5 + 0.5 + 0.5) / 8);
  // The first gold cluster goes with the first of the system, the second with the third.
  expect_scores(scores.ceaf_m, 4.0 / 7, 4.0 / 8);
  expect_scores(scores.ceaf_e, (4.0 / 5 + 4.0 / 8) / 2, (4.0 / 5 + 4.0 / 8) / 3);
  expect_scores(scores.lea, (3 * 1.0 / 3 + 4 * 1.0 / 6) / 7, (2 * 1.0 + 2 * 0.0 + 4 * 1.0 / 6) / 8);
  // Pairs in one cluster: 9 in gold, 8 in the system, 2 in both; in different ones: 12, 20, 8.
  EXPECT_NEAR(scores.blanc.recall, 100.0 * (2.0 / 9 + 8.0 / 12) / 2, 1e-9);
  EXPECT_NEAR(scores.blanc.precision, 100.0 * (2.0 / 8 + 8.0 / 20) / 2, 1e-9);
  EXPECT_NEAR(scores.blanc.f1, 100.0 * (4.0 / 17 + 0.5) / 2, 1e-9);
  EXPECT_NEAR(scores.conll, (scores.muc.f1 + scores.b3.f1 + scores.ceaf_e.f1) / 3, 1e-9);
}

TEST(Coreference, ACompleteMatchIsPerfect) {
  const CoreferenceScores scores = scorer_of(kGold, kGold).scores();
  for (const PrecisionRecall& all :
       {scores.mentions, scores.muc, scores.b3, scores.ceaf_m, scores.ceaf_e, scores.blanc, scores.lea}) {
    expect_scores(all, 1.0, 1.0);
  }
  EXPECT_DOUBLE_EQ(scores.conll, 100.0);
}

TEST(Coreference, NothingFoundAndNothingToFindScoreZero) {
  for (const auto& [gold, system] :
       {std::pair(kGold, Sets()), std::pair(Sets(), kGold), std::pair(Sets(), Sets())}) {
    const CoreferenceScores scores = scorer_of(gold, system).scores();
    for (const PrecisionRecall& all :
         {scores.mentions, scores.muc, scores.b3, scores.ceaf_m, scores.ceaf_e, scores.blanc, scores.lea}) {
      EXPECT_EQ(all.f1, 0.0);
    }
  }
}

TEST(Coreference, LeaGivesAClusterOfOneALinkToItself) {
  const CoreferenceScores scores = scorer_of({{1}, {2}, {3, 4}}, {{1}, {2, 3}, {4}}).scores();
  expect_scores(scores.lea, 1.0 / 4, 1.0 / 4);
}

TEST(Coreference, BlancHasOneKindOfPairsIfGoldHasOne) {
  expect_scores(scorer_of({{1, 2, 3}}, {{1, 2}, {3}}).scores().blanc, 1.0 / 3, 1.0);
  expect_scores(scorer_of({{1}, {2}, {3}}, {{1, 2}, {3}}).scores().blanc, 2.0 / 3, 1.0);
}

TEST(Coreference, ASpanInTwoClustersCountsAsInTheReferenceScorer) {
  const Sets twice = {{1, 2}, {1, 3}};
  const CoreferenceCounts counts = scorer_of(twice, twice).counts();
  EXPECT_EQ(counts.mentions.gold, 3.0);
  EXPECT_EQ(counts.mentions.system, 3.0);
  // In gold, 1 is in both clusters; in the system, in the first alone.
  EXPECT_EQ(counts.b3.gold, 4.0);
  EXPECT_EQ(counts.b3.system, 3.0);
  EXPECT_EQ(counts.muc.gold, 2.0);
  EXPECT_EQ(counts.muc.system, 1.0);
  EXPECT_EQ(counts.muc.recall, 0.0);  // as a single cluster, gold's second is meant
  EXPECT_EQ(counts.ceaf_m.recall, 3.0);
  // Twice in one cluster is once.
  std::vector<Mention> repeated = mentions_of(kGold);
  repeated.push_back(repeated.front());
  CoreferenceScorer scorer;
  scorer.add(repeated, repeated);
  EXPECT_EQ(scorer.counts().b3.gold, 7.0);
  EXPECT_EQ(scorer.scores().conll, 100.0);
}

TEST(Coreference, PartsOfACorpusAddUpToTheSameBytes) {
  Random random(8);
  CoreferenceScorer whole, first, second;
  for (int d = 0; d < 40; ++d) {
    Sets gold(5), system(6);
    for (std::uint32_t token = 0; token < 30; ++token) {
      gold[random.below(5)].insert(token);
      system[random.below(6)].insert(token);
    }
    whole.add(mentions_of(gold), mentions_of(system));
    (d < 17 ? first : second).add(mentions_of(gold), mentions_of(system));
  }
  first.add(second);
  EXPECT_EQ(first.documents(), 40u);
  EXPECT_EQ(first.evaluate().scores, whole.evaluate().scores);
  EXPECT_EQ(first.evaluate().text, whole.evaluate().text);
}

// Every measure by its definition, slowly.
class Plain {
 public:
  Plain(const Sets& gold, const Sets& system) : gold_(gold), system_(system) {}

  double muc() const {  // of recall; of precision with the sides exchanged
    double links = 0.0;
    for (const auto& cluster : gold_) {
      std::set<std::uint64_t> parts;
      for (const std::uint32_t m : cluster) {
        const int found = find(system_, m);
        parts.insert(found >= 0 ? static_cast<std::uint64_t>(found) : 1000u + m);
      }
      links += static_cast<double>(cluster.size() - parts.size());
    }
    return links;
  }

  double b3() const {
    double sum = 0.0;
    for (const auto& cluster : gold_) {
      for (const std::uint32_t m : cluster) {
        const int found = find(system_, m);
        if (found >= 0)
          sum +=
              common(cluster, system_[static_cast<std::size_t>(found)]) / static_cast<double>(cluster.size());
      }
    }
    return sum;
  }

  double lea() const {
    double sum = 0.0;
    for (const auto& cluster : gold_) {
      const auto size = static_cast<double>(cluster.size());
      double links = 0.0;
      if (cluster.size() == 1) links = std::count(system_.begin(), system_.end(), cluster) > 0 ? 1.0 : 0.0;
      each_pair(cluster, [&](std::uint32_t a, std::uint32_t b) { links += together(system_, a, b); });
      sum += size * links / (cluster.size() == 1 ? 1.0 : size * (size - 1.0) / 2.0);
    }
    return sum;
  }

  // Pairs with the same answer in both; 1: in one cluster, 0: in different ones.
  double pairs(int answer) const {
    double count = 0.0;
    each_pair(all(gold_), [&](std::uint32_t a, std::uint32_t b) {
      if (find(system_, a) < 0 || find(system_, b) < 0) return;
      count += together(gold_, a, b) == answer && together(system_, a, b) == answer;
    });
    return count;
  }

  double gold_pairs(int answer) const {
    double count = 0.0;
    each_pair(all(gold_),
              [&](std::uint32_t a, std::uint32_t b) { count += together(gold_, a, b) == answer; });
    return count;
  }

  // Tries every alignment.
  double ceaf(bool entities, std::size_t k = 0, std::uint32_t used = 0) const {
    if (k == gold_.size()) return 0.0;
    double best = ceaf(entities, k + 1, used);
    for (std::size_t j = 0; j < system_.size(); ++j) {
      if ((used >> j & 1u) != 0) continue;
      const double sizes = static_cast<double>(gold_[k].size() + system_[j].size());
      const double similarity = common(gold_[k], system_[j]) * (entities ? 2.0 / sizes : 1.0);
      best = std::max(best, similarity + ceaf(entities, k + 1, used | 1u << j));
    }
    return best;
  }

  static std::set<std::uint32_t> all(const Sets& clusters) {
    std::set<std::uint32_t> result;
    for (const auto& cluster : clusters) result.insert(cluster.begin(), cluster.end());
    return result;
  }

 private:
  static int find(const Sets& clusters, std::uint32_t m) {
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      if (clusters[k].count(m) > 0) return static_cast<int>(k);
    }
    return -1;
  }
  static int together(const Sets& clusters, std::uint32_t a, std::uint32_t b) {
    return find(clusters, a) >= 0 && find(clusters, a) == find(clusters, b) ? 1 : 0;
  }
  static double common(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
    return static_cast<double>(
        std::count_if(a.begin(), a.end(), [&](std::uint32_t m) { return b.count(m) > 0; }));
  }
  template <typename See>
  static void each_pair(const std::set<std::uint32_t>& mentions, const See& see) {
    for (auto a = mentions.begin(); a != mentions.end(); ++a) {
      for (auto b = std::next(a); b != mentions.end(); ++b) see(*a, *b);
    }
  }

  const Sets& gold_;
  const Sets& system_;
};

Sets random_clusters(Random& random) {
  Sets clusters(1 + random.below(5));
  for (std::uint32_t token = 0; token < 9; ++token) {
    if (random.uniform() < 0.75) clusters[random.below(clusters.size())].insert(token);
  }
  clusters.erase(std::remove(clusters.begin(), clusters.end(), std::set<std::uint32_t>()), clusters.end());
  return clusters;
}

TEST(Coreference, RandomDocumentsScoreAsByDefinition) {
  Random random(6);
  for (int trial = 0; trial < 500; ++trial) {
    const Sets gold = random_clusters(random), system = random_clusters(random);
    const CoreferenceCounts counts = scorer_of(gold, system).counts();
    const Plain recall(gold, system), precision(system, gold);
    const auto size = [](const Sets& side) { return static_cast<double>(Plain::all(side).size()); };
    const auto clusters = [](const Sets& side) { return static_cast<double>(side.size()); };
    EXPECT_EQ(counts.muc.recall, recall.muc());
    EXPECT_EQ(counts.muc.precision, precision.muc());
    EXPECT_EQ(counts.muc.gold, size(gold) - clusters(gold));
    EXPECT_EQ(counts.muc.system, size(system) - clusters(system));
    EXPECT_NEAR(counts.b3.recall, recall.b3(), 1e-12);
    EXPECT_NEAR(counts.b3.precision, precision.b3(), 1e-12);
    EXPECT_EQ(counts.b3.gold, size(gold));
    EXPECT_EQ(counts.b3.system, size(system));
    EXPECT_EQ(counts.ceaf_m.recall, recall.ceaf(/*entities=*/false));
    EXPECT_NEAR(counts.ceaf_e.recall, recall.ceaf(/*entities=*/true), 1e-12);
    EXPECT_EQ(counts.ceaf_e.precision, counts.ceaf_e.recall);
    EXPECT_EQ(counts.ceaf_e.gold, clusters(gold));
    EXPECT_EQ(counts.ceaf_e.system, clusters(system));
    EXPECT_NEAR(counts.lea.recall, recall.lea(), 1e-12);
    EXPECT_NEAR(counts.lea.precision, precision.lea(), 1e-12);
    EXPECT_EQ(counts.coreferent.recall, recall.pairs(1));
    EXPECT_EQ(counts.coreferent.gold, recall.gold_pairs(1));
    EXPECT_EQ(counts.coreferent.system, precision.gold_pairs(1));
    EXPECT_EQ(counts.different.recall, recall.pairs(0));
    EXPECT_EQ(counts.different.gold, recall.gold_pairs(0));
    EXPECT_EQ(counts.different.system, precision.gold_pairs(0));
    ASSERT_FALSE(HasFailure()) << "trial " << trial;
  }
}

TEST(Coreference, ThousandsOfClustersTakeWellUnderASecond) {
  Random random(9);
  std::vector<Mention> gold, system;
  for (std::uint32_t token = 0; token < 20000; ++token) {
    gold.push_back({token, token + 1, static_cast<std::uint32_t>(random.below(5000))});
    system.push_back({token, token + 1, static_cast<std::uint32_t>(random.below(5000))});
  }
  const auto start = std::chrono::steady_clock::now();
  CoreferenceScorer scorer;
  scorer.add(gold, system);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(time.count() * 1000.0));
  EXPECT_GT(scorer.scores().ceaf_e.f1, 10.0);
  EXPECT_LT(time.count(), 8.0);  // well under one, but machines are shared and sanitizers slow
}

// One line of what the reference scorer prints.
struct Printed {
  std::string response, measure, what;
  double recall, gold, recall_percent, precision, system, precision_percent, f1;
};

std::vector<Printed> read_expected(const std::string& path) {
  const std::regex form(
      R"((\w+)\t(.*): Recall: \(([\d.]+) / ([\d.]+)\) ([\d.]+)%\tPrecision: \(([\d.]+) / ([\d.]+)\) ([\d.]+)%\tF1: ([\d.]+)%)");
  std::vector<Printed> lines;
  std::ifstream file(path);
  std::string response;
  for (std::string line; std::getline(file, line);) {
    std::smatch m;
    if (line.starts_with("== ")) {
      response = line.substr(3);
    } else if (std::regex_match(line, m, form)) {
      lines.push_back({response, m[1], m[2], std::stod(m[3]), std::stod(m[4]), std::stod(m[5]),
                       std::stod(m[6]), std::stod(m[7]), std::stod(m[8]), std::stod(m[9])});
    }
  }
  return lines;
}

// The reference scorer cuts after two decimals.
double cut(double percentage) { return std::floor(percentage * 100.0 + 1e-7) / 100.0; }

CoreferenceScorer score_files(const std::string& key, const std::string& response) {
  DocumentReader gold{TextInput(key)}, system{TextInput(response)};
  Document one, other;
  CoreferenceScorer scorer;
  while (gold.next(one)) {
    EXPECT_TRUE(system.next(other));
    EXPECT_EQ(one.name, other.name);
    scorer.add(one.mentions, other.mentions);
  }
  return scorer;
}

TEST(Coreference, RealOutputScoresAsByTheReferenceScorer) {
  HINGE_DATA_FILE(expected, "coref/scored/expected.txt");
  HINGE_DATA_FILE(key, "coref/scored/key.conll");
  const std::map<std::string,
                 std::pair<CoreferenceFraction CoreferenceCounts::*, PrecisionRecall CoreferenceScores::*>>
      measures = {{"muc", {&CoreferenceCounts::muc, &CoreferenceScores::muc}},
                  {"bcub", {&CoreferenceCounts::b3, &CoreferenceScores::b3}},
                  {"ceafm", {&CoreferenceCounts::ceaf_m, &CoreferenceScores::ceaf_m}},
                  {"ceafe", {&CoreferenceCounts::ceaf_e, &CoreferenceScores::ceaf_e}}};
  const std::vector<Printed> lines = read_expected(expected);
  ASSERT_EQ(lines.size(), 50u);  // five responses, five measures, two lines each
  const std::string folder = key.substr(0, key.rfind('/') + 1);
  std::map<std::string, CoreferenceScorer> scorers;
  for (const Printed& line : lines) {
    CoreferenceScorer& scorer = scorers[line.response];
    if (scorer.documents() == 0) scorer = score_files(key, folder + line.response + ".conll");
    const CoreferenceCounts counts = scorer.counts();
    const CoreferenceScores scores = scorer.scores();
    CoreferenceFraction fraction = counts.mentions;
    PrecisionRecall percent = scores.mentions;
    if (line.what == "Coreference") {
      fraction = counts.*measures.at(line.measure).first;
      percent = scores.*measures.at(line.measure).second;
    } else if (line.what == "Coreference links") {
      fraction = counts.coreferent;
      percent = counts.coreferent.ratios();
    } else if (line.what == "BLANC") {
      percent = scores.blanc;
      fraction = {percent.recall / 100.0, 1.0, percent.precision / 100.0, 1.0};
    }
    const std::string where = line.response + " " + line.measure + " " + line.what;
    EXPECT_NEAR(fraction.recall, line.recall, 1e-10 * line.recall + 1e-14) << where;
    EXPECT_EQ(fraction.gold, line.gold) << where;
    EXPECT_NEAR(fraction.precision, line.precision, 1e-10 * line.precision + 1e-14) << where;
    EXPECT_EQ(fraction.system, line.system) << where;
    EXPECT_NEAR(cut(percent.recall), line.recall_percent, 1e-9) << where;
    EXPECT_NEAR(cut(percent.precision), line.precision_percent, 1e-9) << where;
    EXPECT_NEAR(cut(percent.f1), line.f1, 1e-9) << where;
  }
}

TEST(Coreference, TheReportShowsTheFiguresOfTheReferenceScorer) {
  HINGE_DATA_FILE(key, "coref/scored/key.conll");
  HINGE_DATA_FILE(response, "coref/scored/string-match.conll");
  const Evaluation result = score_files(key, response).evaluate();
  EXPECT_NE(result.text.find("               B3:  55.84  74.55  44.64\n"), std::string::npos) << result.text;
  EXPECT_EQ(result.scores[0].first, "conll");
  EXPECT_EQ(result.scores.size(), 8u);
  EXPECT_EQ(result.detail.size(), 7u);
}

}  // namespace
}  // namespace hinge
