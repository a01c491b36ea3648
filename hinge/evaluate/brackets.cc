#include "hinge/evaluate/brackets.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "hinge/core/state_bytes.h"

namespace hinge {
namespace {

constexpr std::string_view kEmpty = "-NONE-";
constexpr std::string_view kPunctuation[] = {",", ":", "``", "''", "."};
constexpr std::string_view kRoots[] = {"", "TOP", "ROOT", "S1"};

constexpr const char* kGroupNames[] = {"<= 15", "<= 40", "all"};
constexpr std::size_t kGroupLengths[] = {15, 40, std::numeric_limits<std::size_t>::max()};

template <std::size_t N>
bool is_among(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <typename Map>
auto& entry(Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found != map.end() ? found->second : map[std::string(key)];
}

struct Bracket {
  std::uint32_t begin, end;  // of the words not removed
  std::string_view label;

  bool operator==(const Bracket&) const = default;
  bool operator<(const Bracket& other) const {
    return std::tie(begin, end, label) < std::tie(other.begin, other.end, other.label);
  }

  bool crosses(const Bracket& other) const {
    return (begin < other.begin && other.begin < end && end < other.end) ||
           (other.begin < begin && begin < other.end && other.end < end);
  }
};

// The label that is compared.
std::string_view plain(std::string_view label) {
  const std::size_t cut = label.find_first_of("-=");
  if (cut != 0) label = label.substr(0, cut);
  return label == "PRT" ? "ADVP" : label;
}

bool is_counted(std::string_view label) {
  return label != kEmpty && !is_among(label, kRoots) && !is_among(label, kPunctuation);
}

// One tree while its words are removed.
class ScoredTree {
 public:
  explicit ScoredTree(const BracketTree& tree) : tree_(tree) {
    for (const BracketNode& node : tree.nodes) {
      if (node.word && node.label != kEmpty) words_.push_back({node.begin, node.label});
    }
  }

  std::size_t words() const { return words_.size(); }
  std::string_view tag(std::size_t word) const { return words_[word].tag; }

  // Removes every word for which `removed` is set. [words()]
  void remove(const std::vector<char>& removed) {
    std::size_t kept = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
      if (removed[word] == 0) words_[kept++] = words_[word];
    }
    words_.resize(kept);
  }

  // Sorted.
  std::vector<Bracket> brackets() const {
    std::vector<std::uint32_t> before(tree_.words.size() + 1, 0);  // words left before a place
    for (const Word& word : words_) before[word.place + 1] = 1;
    for (std::size_t place = 1; place < before.size(); ++place) before[place] += before[place - 1];
    std::vector<Bracket> result;
    for (const BracketNode& node : tree_.nodes) {
      if (node.word || before[node.begin] == before[node.end]) continue;
      const std::string_view label = plain(node.label);
      if (is_counted(label)) result.push_back({before[node.begin], before[node.end], label});
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  struct Word {
    std::uint32_t place;  // in the whole tree
    std::string_view tag;
  };

  const BracketTree& tree_;
  std::vector<Word> words_;  // those not removed
};

void remove_punctuation(ScoredTree& gold, ScoredTree& system) {
  std::vector<char> removed(gold.words());
  for (std::size_t word = 0; word < removed.size(); ++word) {
    removed[word] = is_among(gold.tag(word), kPunctuation);
  }
  gold.remove(removed);
  system.remove(removed);
}

std::int64_t count_correct_tags(const ScoredTree& gold, const ScoredTree& system) {
  std::int64_t correct = 0;
  for (std::size_t word = 0; word < gold.words(); ++word) correct += gold.tag(word) == system.tag(word);
  return correct;
}

// Every span of gold is looked at once: chains of unary brackets can be long.
std::int64_t count_crossing(std::vector<Bracket> gold, const std::vector<Bracket>& system) {
  const auto same_span = [](const Bracket& a, const Bracket& b) {
    return a.begin == b.begin && a.end == b.end;
  };
  gold.erase(std::unique(gold.begin(), gold.end(), same_span), gold.end());
  std::int64_t crossing = 0;
  bool crosses = false;
  for (std::size_t k = 0; k < system.size(); ++k) {
    if (k == 0 || !same_span(system[k], system[k - 1])) {
      crosses = std::any_of(gold.begin(), gold.end(),
                            [&](const Bracket& other) { return system[k].crosses(other); });
    }
    crossing += crosses;
  }
  return crossing;
}

}  // namespace

void BracketScorer::Counts::add(const Counts& other) {
  gold += other.gold;
  found += other.found;
  correct += other.correct;
}

void BracketScorer::Group::add(const Group& other) {
  brackets.add(other.brackets);
  sentences += other.sentences;
  exact += other.exact;
  crossing += other.crossing;
  no_crossing += other.no_crossing;
  two_crossing += other.two_crossing;
  words += other.words;
  tags += other.tags;
}

bool BracketScorer::add(const BracketTree& gold_tree, const BracketTree& system_tree) {
  ScoredTree gold(gold_tree);
  ScoredTree system(system_tree);
  const std::size_t length = gold.words();
  if (length != system.words()) {
    ++errors_;
    return false;
  }
  remove_punctuation(gold, system);
  if (gold.words() == 0) {
    ++skipped_;
    return true;
  }
  const std::vector<Bracket> gold_brackets = gold.brackets();
  const std::vector<Bracket> system_brackets = system.brackets();
  std::vector<Bracket> common;
  std::set_intersection(gold_brackets.begin(), gold_brackets.end(), system_brackets.begin(),
                        system_brackets.end(), std::back_inserter(common));
  for (const Bracket& bracket : gold_brackets) ++entry(labels_, bracket.label).gold;
  for (const Bracket& bracket : system_brackets) ++entry(labels_, bracket.label).found;
  for (const Bracket& bracket : common) ++entry(labels_, bracket.label).correct;

  Group sentence;
  sentence.brackets = {static_cast<std::int64_t>(gold_brackets.size()),
                       static_cast<std::int64_t>(system_brackets.size()),
                       static_cast<std::int64_t>(common.size())};
  sentence.sentences = 1;
  sentence.exact = gold_brackets == system_brackets;
  sentence.crossing = count_crossing(gold_brackets, system_brackets);
  sentence.no_crossing = sentence.crossing == 0;
  sentence.two_crossing = sentence.crossing <= 2;
  sentence.words = static_cast<std::int64_t>(gold.words());
  sentence.tags = count_correct_tags(gold, system);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (length <= kGroupLengths[k]) groups_[k].add(sentence);
  }
  return true;
}

void BracketScorer::add(const BracketScorer& other) {
  for (std::size_t k = 0; k < groups_.size(); ++k) groups_[k].add(other.groups_[k]);
  for (const auto& [label, counts] : other.labels_) labels_[label].add(counts);
  errors_ += other.errors_;
  skipped_ += other.skipped_;
}

void BracketScorer::visit(State& state) {
  state(groups_, errors_, skipped_);
  visit_map(state, labels_);
}

Scores BracketScorer::scores_of(const Counts& counts) {
  return {{"f1", percent(2 * counts.correct, counts.gold + counts.found)},
          {"precision", percent(counts.correct, counts.found)},
          {"recall", percent(counts.correct, counts.gold)}};
}

Scores BracketScorer::scores_of(const Group& group) {
  Scores scores = scores_of(group.brackets);
  scores.emplace_back("exact", percent(group.exact, group.sentences));
  scores.emplace_back("crossing", percent(group.crossing, group.sentences) / 100.0);
  scores.emplace_back("no_crossing", percent(group.no_crossing, group.sentences));
  scores.emplace_back("two_crossing", percent(group.two_crossing, group.sentences));
  scores.emplace_back("tags", percent(group.tags, group.words));
  scores.emplace_back("sentences", static_cast<double>(group.sentences));
  return scores;
}

Evaluation BracketScorer::evaluate() const {
  const Group& all = groups_.back();
  Evaluation result;
  result.scores = scores_of(all.brackets);
  result.scores.emplace_back("exact", percent(all.exact, all.sentences));
  result.scores.emplace_back("tags", percent(all.tags, all.words));
  result.scores.emplace_back("f1_15", scores_of(groups_[0].brackets)[0].second);
  result.scores.emplace_back("f1_40", scores_of(groups_[1].brackets)[0].second);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    result.detail.emplace_back(kGroupNames[k], scores_of(groups_[k]));
  }
  for (const auto& [label, counts] : labels_) {
    Scores scores = scores_of(counts);
    scores.emplace_back("gold", static_cast<double>(counts.gold));
    scores.emplace_back("found", static_cast<double>(counts.found));
    result.detail.emplace_back(label, std::move(scores));
  }
  result.text = text();
  return result;
}

std::string BracketScorer::text() const {
  const Group& all = groups_.back();
  std::string text = fmt::format(
      "{} sentences with {} brackets; found: {}; correct: {}; words: {}; correct tags: {}\n", all.sentences,
      all.brackets.gold, all.brackets.found, all.brackets.correct, all.words, all.tags);
  if (errors_ > 0) text += fmt::format("{} not scored: gold and system differ in words\n", errors_);
  if (skipped_ > 0) text += fmt::format("{} not scored: only punctuation\n", skipped_);
  text += fmt::format("{:>17}: {:>6} {:>6} {:>6} {:>6} {:>6}  {:>8} {:>6} {:>6}  {}\n", "words", "F1",
                      "prec.", "recall", "exact", "tags", "crossing", "none", "<= 2", "sentences");
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Group& group = groups_[k];
    const Scores brackets = scores_of(group.brackets);
    text += fmt::format("{:>17}: {:6.2f} {:6.2f} {:6.2f} {:6.2f} {:6.2f}  {:8.2f} {:6.2f} {:6.2f}  {}\n",
                        kGroupNames[k], brackets[0].second, brackets[1].second, brackets[2].second,
                        percent(group.exact, group.sentences), percent(group.tags, group.words),
                        percent(group.crossing, group.sentences) / 100.0,
                        percent(group.no_crossing, group.sentences),
                        percent(group.two_crossing, group.sentences), group.sentences);
  }
  text += "brackets by label:\n";
  for (const auto& [label, counts] : labels_) {
    const Scores scores = scores_of(counts);
    text += fmt::format("{:>17}: precision: {:6.2f}%; recall: {:6.2f}%; F1: {:6.2f}  {}\n", label,
                        scores[1].second, scores[2].second, scores[0].second, counts.gold);
  }
  return text;
}

}  // namespace hinge
