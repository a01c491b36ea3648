#include "hinge/tasks/rerank/check.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/references.h"
#include "hinge/corpus/scan.h"

namespace hinge::rerank {
namespace {

constexpr FindingKind kKinds[] = {
    {"no-reference", Severity::kError, "lists whose sentence has no reference",
     "the references have a line per sentence, from id 0: check that they belong to these lists"},
    {"no-costs", Severity::kError, "lists without costs, and no references to compute them from",
     "give --refs, or the costs in the lists"},
    {"constant-feature", Severity::kWarning, "features with the same value in all hypotheses",
     "leave them out: they cannot change the order"},
    {"different-scales", Severity::kWarning,
     "features whose values vary a thousand times less than those of another",
     "rescale them, or start from good weights: learners take small ones to be unimportant"},
    {"one-hypothesis", Severity::kNote, "lists with one hypothesis",
     "nothing; there is nothing to learn from them"},
    {"same-text", Severity::kNote, "lists in which most hypotheses have the text of another",
     "ask the decoder for different texts"},
};
constexpr const FindingKind& kNoReference = kKinds[0];
constexpr const FindingKind& kNoCosts = kKinds[1];
constexpr const FindingKind& kConstant = kKinds[2];
constexpr const FindingKind& kScales = kKinds[3];
constexpr const FindingKind& kOne = kKinds[4];
constexpr const FindingKind& kSameText = kKinds[5];

constexpr double kMostRatio = 1000.0;

// Where each hypothesis is: one per line that is not empty. Nothing if they were merged, or
// come from a cache.
std::vector<std::size_t> lines_of(const Source& source, std::size_t hypotheses) {
  std::vector<std::size_t> lines;
  LineReader reader(source.input());
  for (std::string_view line; reader.next(line);) {
    if (!trim(line).empty()) lines.push_back(reader.number());
  }
  if (lines.size() != hypotheses) lines.assign(hypotheses, 0);
  return lines;
}

struct Spread {
  double sum = 0.0, squares = 0.0, low = 0.0, high = 0.0;
  std::int64_t count = 0;

  void add(double value) {
    low = count == 0 ? value : std::min(low, value);
    high = count == 0 ? value : std::max(high, value);
    sum += value;
    squares += value * value;
    ++count;
  }
  double deviation(std::int64_t all) const {
    const double mean = sum / static_cast<double>(all);
    return std::sqrt(std::max(0.0, squares / static_cast<double>(all) - mean * mean));
  }
};

// Features that few hypotheses have, such as n-grams, are left out: they vary little by nature.
void check_features(const NBestLists& lists, CorpusCheck& check) {
  std::vector<Spread> spreads(lists.feature_count());
  const auto all = static_cast<std::int64_t>(lists.hypotheses());
  for (std::size_t h = 0; h < lists.hypotheses(); ++h) {
    const FeatureRow row = lists.row(h);
    for (std::size_t k = 0; k < row.features.size(); ++k) spreads[row.features[k]].add(row.values[k]);
  }
  std::optional<std::size_t> widest;
  for (std::size_t f = 0; f < spreads.size(); ++f) {
    if (spreads[f].count == all && spreads[f].low == spreads[f].high && all > 1)
      check.find(kConstant, 0, "{} is always {}", shown(lists.name(f)), spreads[f].low);
    if (!widest || spreads[f].deviation(all) > spreads[*widest].deviation(all)) widest = f;
  }
  for (std::size_t f = 0; f < spreads.size(); ++f) {
    const double deviation = spreads[f].deviation(all);
    if (spreads[f].count < all || deviation == 0.0) continue;
    if (spreads[*widest].deviation(all) > kMostRatio * deviation)
      check.find(kScales, 0, "{} varies by {:.2g}, {} by {:.2g}", shown(lists.name(f)), deviation,
                 shown(lists.name(*widest)), spreads[*widest].deviation(all));
  }
}

void check_list(const NBestLists& lists, std::size_t k, std::size_t line, CorpusCheck& check) {
  Key input = 1;
  Key gold = 1;
  std::vector<Key> texts;
  for (std::size_t h = lists.begin(k); h < lists.end(k); ++h) {
    texts.push_back(hash_text(lists.text(h)));
    input = combine(input, texts.back());
    if (!lists.costs.empty()) gold = combine(gold, hash_text(fmt::format("{}", lists.costs[h])));
  }
  check.example({.line = line,
                 .text = lists.text(lists.begin(k)),
                 .input = input,
                 .gold = gold,
                 .length = texts.size()});
  if (texts.size() == 1) check.find(kOne, line, "{}", shown(lists.text(lists.begin(k))));
  std::ranges::sort(texts);
  const auto different = static_cast<std::size_t>(std::unique(texts.begin(), texts.end()) - texts.begin());
  if (2 * different < texts.size())
    check.find(kSameText, line, "{} different of {}", different, texts.size());
}

}  // namespace

void check_lists(const Source& source, const NBestOptions& options, std::span<const std::string> references,
                 CorpusCheck& check) {
  check.name({"lists", "hypotheses"});
  NBestLists lists;
  try {
    lists = read_lists(source, options);
  } catch (const InputError& error) {  // one bad line, and lists cannot be told apart
    check.refuse(error);
    return;
  }
  const std::vector<std::size_t> lines = lines_of(source, lists.hypotheses());
  std::optional<References> given;
  if (!references.empty()) given = read_references(references);
  for (std::size_t k = 0; k < lists.lists(); ++k) {
    const std::size_t line = lines[lists.begin(k)];
    check_list(lists, k, line, check);
    if (given && lists.ids[k] >= given->sentences())
      check.find(kNoReference, line, "id {}, but the references have {} lines", lists.ids[k],
                 given->sentences());
  }
  if (!given && lists.costs.empty()) check.find(kNoCosts, 0, "{} lists", lists.lists());
  check_features(lists, check);
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::rerank
