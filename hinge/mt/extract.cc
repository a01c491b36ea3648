#include "hinge/mt/extract.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "hinge/core/interrupt.h"
#include "hinge/mt/occurrence.h"

namespace hinge::mt {
namespace {

constexpr std::size_t kShards = 64;    // of the text
constexpr std::size_t kBuckets = 64;   // of the source sides
constexpr std::size_t kChunk = 4096;   // rules, between looks at whether to stop
constexpr double kLeastWeight = 1e-7;  // of a lexical weight, so that its logarithm is finite

// Where a rule occurs, or a rule and its first occurrence.
struct Record {
  Key source;
  Key target;
  std::uint32_t sentence;
  Occurrence occurrence;
};
struct Counted : Record {
  std::uint32_t count;
  std::uint32_t source_count;
};

std::size_t bucket_of(Key source) { return source >> 58; }

Key key_of(std::span<const Symbol> symbols) {
  Key key = 1;
  for (const Symbol symbol : symbols) key = combine(key, std::uint64_t{symbol} + 1);
  return key;
}

class Extractor {
 public:
  Extractor(const Bitext& text, const Alignment& alignment, const ExtractOptions& options, Workers& workers)
      : text_(text), alignment_(alignment), options_(options), workers_(workers) {}

  SentencePair pair(std::size_t i) const {
    return {text_.source.sentence(i), text_.target.sentence(i), alignment_.pair(i)};
  }

  // All rules, pruned; rules of one source side are neighbours.
  std::vector<Counted> count() {
    const std::size_t passes = count_passes();
    for (std::size_t pass = 0; pass < passes; ++pass) {
      count_buckets(kBuckets * pass / passes, kBuckets * (pass + 1) / passes);
    }
    target_count_.resize(target_index_.size());
    return std::move(rules_);
  }
  std::uint32_t target_count(Key target) const { return target_count_[target_index_.find(target)]; }

 private:
  std::size_t count_passes() {
    std::vector<std::uint64_t> found(kShards);
    each_shard(
        [&](std::size_t shard, std::size_t, std::span<const Occurrence> all) { found[shard] += all.size(); });
    std::uint64_t bytes = 0;
    for (const std::uint64_t count : found) bytes += count * sizeof(Record);
    const std::uint64_t limit = static_cast<std::uint64_t>(options_.memory) << 20;
    return std::clamp<std::size_t>((bytes + limit - 1) / limit, 1, kBuckets);
  }

  template <typename Body>
  void each_shard(const Body& body) {
    workers_.each(kShards, [&](std::size_t shard) {
      OccurrenceFinder finder(options_);
      const std::size_t n = text_.sentences();
      for (std::size_t i = n * shard / kShards; i < n * (shard + 1) / kShards; ++i) {
        check_interrupt();
        body(shard, i, finder.find(pair(i)));
      }
    });
  }

  void count_buckets(std::size_t first, std::size_t last) {
    const std::size_t width = last - first;
    std::vector<std::vector<Record>> records(kShards * width);
    each_shard([&](std::size_t shard, std::size_t i, std::span<const Occurrence> found) {
      for (const Occurrence& occurrence : found) {
        const RuleText text = text_of(pair(i), occurrence);
        const Key source = key_of(text.source_symbols());
        const std::size_t bucket = bucket_of(source);
        if (bucket < first || bucket >= last) continue;
        records[shard * width + bucket - first].push_back(
            {source, key_of(text.target_symbols()), static_cast<std::uint32_t>(i), occurrence});
      }
    });
    std::vector<std::vector<Counted>> counted(width);
    workers_.each(width, [&](std::size_t bucket) {
      check_interrupt();
      std::vector<Record> all;
      for (std::size_t shard = 0; shard < kShards; ++shard) {
        std::vector<Record>& part = records[shard * width + bucket];
        all.insert(all.end(), part.begin(), part.end());
        std::vector<Record>().swap(part);
      }
      counted[bucket] = count_equal(all);
    });
    for (std::vector<Counted>& bucket : counted) take(bucket);
  }

  // Occurrences were found in order of their sentences, so the first of a rule is the
  // first in the text after a stable sort.
  static std::vector<Counted> count_equal(std::vector<Record>& records) {
    std::ranges::stable_sort(records, {}, [](const Record& r) { return std::tuple(r.source, r.target); });
    std::vector<Counted> rules;
    for (std::size_t i = 0; i < records.size();) {
      std::size_t end = i + 1;
      while (end < records.size() && records[end].source == records[i].source &&
             records[end].target == records[i].target)
        ++end;
      rules.push_back({records[i], static_cast<std::uint32_t>(end - i), 0});
      i = end;
    }
    return rules;
  }

  // Counts target sides before anything is pruned.
  void take(std::vector<Counted>& rules) {
    check_interrupt();
    for (const Counted& rule : rules) {
      const std::uint32_t number = target_index_.add(rule.target);
      if (number == target_count_.size()) target_count_.push_back(0);
      target_count_[number] += rule.count;
    }
    for (auto begin = rules.begin(); begin != rules.end();) {
      const auto end =
          std::find_if(begin, rules.end(), [&](const Counted& r) { return r.source != begin->source; });
      take_source(begin, end);
      begin = end;
    }
    std::vector<Counted>().swap(rules);
  }

  void take_source(std::vector<Counted>::iterator begin, std::vector<Counted>::iterator end) {
    std::uint32_t total = 0;
    for (auto rule = begin; rule != end; ++rule) total += rule->count;
    std::sort(begin, end, [](const Counted& a, const Counted& b) {
      return std::tuple(b.count, a.target) < std::tuple(a.count, b.target);
    });
    end = begin + std::min<std::ptrdiff_t>(end - begin, options_.targets);
    for (; begin != end && begin->count >= options_.min_count; ++begin) {
      begin->source_count = total;
      rules_.push_back(*begin);
    }
  }

  const Bitext& text_;
  const Alignment& alignment_;
  const ExtractOptions& options_;
  Workers& workers_;
  std::vector<Counted> rules_;
  KeyIndex target_index_;
  std::vector<std::uint32_t> target_count_;
};

// The rules of one source side.
struct Group {
  std::array<Symbol, kMostSourceSymbols> symbols;
  std::uint32_t size;
  std::uint32_t begin, end;  // rules

  std::span<const Symbol> source() const { return {symbols.data(), size}; }
};

bool before(const Group& a, const Group& b) {
  return std::ranges::lexicographical_compare(a.source(), b.source());
}

// The second gap of a source side is where its second gap is: both have one symbol in
// the tree.
std::vector<Group> sorted_groups(const std::vector<Counted>& rules, const Extractor& extractor) {
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < rules.size(); ++i) {
    if (i % kChunk == 0) check_interrupt();
    if (i > 0 && rules[i].source == rules[i - 1].source) {
      groups.back().end = i + 1;
      continue;
    }
    const RuleText text = text_of(extractor.pair(rules[i].sentence), rules[i].occurrence);
    Group group{text.source, text.source_size, i, i + 1};
    std::replace(group.symbols.begin(), group.symbols.begin() + group.size, kSecondGap, kFirstGap);
    groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end(), before);
  return groups;
}

// Numbers the nodes by depth. `order` gets the rules in the order of their nodes.
void build_tree(const std::vector<Group>& groups, const std::vector<Counted>& rules, RuleArrays& arrays,
                std::vector<std::uint32_t>& order) {
  struct Node {
    std::size_t begin, end, depth;  // groups below it
  };
  std::vector<Node> nodes = {{0, groups.size(), 0}};
  arrays.rule_begin.push_back(0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i % kChunk == 0) check_interrupt();
    const Node node = nodes[i];
    arrays.child_begin.push_back(static_cast<std::uint32_t>(arrays.child_symbol.size()));
    std::size_t at = node.begin;
    const bool has_rules = at < node.end && groups[at].size == node.depth;
    arrays.source_count.push_back(has_rules ? rules[groups[at].begin].source_count : 0);
    if (has_rules) {
      for (std::uint32_t r = groups[at].begin; r < groups[at].end; ++r) order.push_back(r);
      ++at;
    }
    arrays.rule_begin.push_back(static_cast<std::uint32_t>(order.size()));
    while (at < node.end) {
      const Symbol symbol = groups[at].symbols[node.depth];
      std::size_t end = at + 1;
      while (end < node.end && groups[end].symbols[node.depth] == symbol) ++end;
      arrays.child_symbol.push_back(symbol);
      nodes.push_back({at, end, node.depth + 1});
      at = end;
    }
  }
  arrays.child_begin.push_back(static_cast<std::uint32_t>(arrays.child_symbol.size()));
}

float log_weight(double weight) { return static_cast<float>(std::log(std::max(weight, kLeastWeight))); }

// The product over words of one side of the mean weight of their links, or of the weight
// of no link. weight(own, other); linked(i, j) for symbols i of this side.
template <typename Weight, typename Linked>
float lexical_weight(std::span<const Symbol> side, std::span<const Symbol> other, const Weight& weight,
                     const Linked& linked) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (is_gap(side[i])) continue;
    double total = 0.0;
    int links = 0;
    for (std::size_t j = 0; j < other.size(); ++j) {
      if (!linked(i, j)) continue;
      total += weight(side[i], other[j]);
      ++links;
    }
    sum += log_weight(links > 0 ? total / links : weight(side[i], Lexicon::kNothing));
  }
  return sum;
}

RuleValues values_of(const Counted& rule, const RuleText& text, std::uint32_t target_count,
                     const Lexicon& lexicon) {
  const auto linked = [&](std::size_t s, std::size_t t) {
    return (text.links >> (s * kMostTargetSymbols + t) & 1) != 0;
  };
  const auto source = text.source_symbols(), target = text.target_symbols();
  return {.target_given_source = log_weight(double{1} * rule.count / rule.source_count),
          .source_given_target = log_weight(double{1} * rule.count / target_count),
          .lex_target_given_source = lexical_weight(
              target, source, [&](Word e, Word f) { return lexicon.target_given_source(e, f); },
              [&](std::size_t t, std::size_t s) { return linked(s, t); }),
          .lex_source_given_target = lexical_weight(
              source, target, [&](Word f, Word e) { return lexicon.source_given_target(f, e); }, linked),
          .language_model = 0.0f,
          .count = rule.count,
          .links = text.links};
}

}  // namespace

void ExtractOptions::describe(OptionTable& table) {
  table.add("phrase", phrase, "most words of a phrase from which rules are taken, gaps included")
      .at_least(1)
      .at_most(15);
  table.add("symbols", symbols, "most words and gaps on the source side of a rule")
      .at_least(1)
      .at_most(kMostSourceSymbols);
  table.add("gaps", gaps, "most gaps of a rule; 0 gives phrases only").at_least(0).at_most(2);
  table.add("gap", gap, "fewest source words of a gap in the training text").at_least(1).at_most(15);
  table.add("min_count", min_count, "fewest occurrences of a rule").at_least(1);
  table.add("targets", targets, "most translations of a source side: the most frequent are kept").at_least(1);
  table.add("memory", memory, "megabytes for counting rules; with fewer, the text is read in several passes")
      .at_least(1);
}

Rules extract_rules(const Bitext& text, const Alignment& alignment, const Lexicon& lexicon,
                    const ExtractOptions& options, const Estimate& estimate, Workers& workers) {
  Extractor extractor(text, alignment, options, workers);
  const std::vector<Counted> rules = extractor.count();
  RuleArrays arrays;
  std::vector<std::uint32_t> order;
  build_tree(sorted_groups(rules, extractor), rules, arrays, order);
  arrays.target_begin.push_back(0);
  for (const std::uint32_t r : order)
    arrays.target_begin.push_back(arrays.target_begin.back() + rules[r].occurrence.target_symbols);
  arrays.target.resize(arrays.target_begin.back());
  arrays.values.resize(order.size());
  workers.each((order.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    check_interrupt();
    for (std::size_t i = chunk * kChunk; i < std::min(order.size(), (chunk + 1) * kChunk); ++i) {
      const Counted& rule = rules[order[i]];
      const RuleText rule_text = text_of(extractor.pair(rule.sentence), rule.occurrence);
      std::ranges::copy(rule_text.target_symbols(), arrays.target.begin() + arrays.target_begin[i]);
      arrays.values[i] = values_of(rule, rule_text, extractor.target_count(rule.target), lexicon);
      arrays.values[i].language_model = estimate(rule_text.target_symbols());
    }
  });
  return Rules(std::move(arrays));
}

}  // namespace hinge::mt
