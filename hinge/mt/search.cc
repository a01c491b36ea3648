#include "hinge/mt/search.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/mt/partial.h"

namespace hinge::mt {
void SearchOptions::describe(OptionTable& table) {
  table.add("beam", beam, "most combinations tried per span; more find better translations, more slowly")
      .at_least(1)
      .at_most(1e6);
  table.add("span", span, "most source words that one rule may cover, gaps included")
      .at_least(1)
      .at_most(1000);
  table.add("candidates", candidates, "most translations of a source side that are tried").at_least(1);
}

class Search::Chart {
 public:
  Chart(const Parts& parts, const FeatureWeights& weights, const SearchOptions& options)
      : parts_(parts), weights_(weights), options_(options), scorer_(parts_, weights_) {
    forest_.keeps_ends = weights_.has(SparseKind::kBigram);
  }

  const TranslationForest& run(std::span<const std::string_view> source) {
    start(source);
    for (std::size_t width = 1; width <= std::min(n_, most_span()); ++width) {
      for (std::size_t begin = 0; begin + width <= n_; ++begin) {
        check_interrupt();
        fill(begin, begin + width);
      }
    }
    for (std::size_t end = 1; end <= n_; ++end) {
      check_interrupt();
      fill_row(end);
    }
    finish();
    return forest_;
  }

 private:
  struct Candidate {
    float score;     // without the language model
    float estimate;  // with its estimate
    std::uint32_t rule;
  };
  // A source side that matches, with its translations, best first.
  struct Matched {
    std::vector<Candidate> candidates;
  };
  // The beginning of a source side, matched from `begin` of its span.
  struct Active {
    std::uint32_t node;
    std::uint32_t size;  // symbols
    std::array<Symbol, kMostSourceSymbols> symbols;
    std::array<std::uint32_t, 2> cells;  // of its gaps
    std::uint32_t gaps;
  };
  using Cell = std::vector<Partial>;  // best first
  // All combinations of the translations of a source side with the hypotheses of its gaps.
  struct Cube {
    const std::vector<Candidate>* candidates;
    std::uint32_t source;  // as in TranslationForest::Edge
    std::array<const Cell*, 2> parts;
  };
  struct Combination {
    std::uint32_t cube;
    std::array<std::uint32_t, 3> ranks;  // candidate, first part, second part
    float edge_score;
    float edge_language_model;
    Partial result;
  };

  std::size_t most_span() const { return static_cast<std::size_t>(options_.span); }
  std::uint32_t cell_of(std::size_t begin, std::size_t end) const {
    return static_cast<std::uint32_t>(begin * stride_ + (end - begin));
  }

  void start(std::span<const std::string_view> source) {
    n_ = source.size();
    stride_ = std::min(n_, most_span()) + 1;
    source_.clear();
    forest_.copies.clear();
    forest_.new_words.clear();
    forest_.sources.clear();
    for (const std::string_view word : source) {
      source_.push_back(parts_.source->find(word));
      forest_.copies.push_back(copy_of(word));
    }
    forest_.forest.begin.assign(1, 0);
    forest_.forest.edges.clear();
    forest_.edges.clear();
    forest_.scores.clear();
    forest_.first_word.clear();
    forest_.last_word.clear();
    matched_.clear();
    matched_of_node_.clear();
    cells_.resize(std::max(cells_.size(), n_ * stride_));
    actives_.resize(std::max(actives_.size(), n_ * stride_));
    row_.resize(std::max(row_.size(), n_ + 1));
    for (std::size_t i = 0; i < n_ * stride_; ++i) {
      cells_[i].clear();
      actives_[i].clear();
    }
    for (std::size_t i = 0; i < n_; ++i) actives_[cell_of(i, i)].push_back({.node = Rules::kRoot});
  }

  Word copy_of(std::string_view word) {
    const Word known = parts_.target->find(word);
    if (known != Words::kNone) return known;
    const auto found = std::ranges::find(forest_.new_words, word);
    const auto number = static_cast<Word>(found - forest_.new_words.begin());
    if (found == forest_.new_words.end()) forest_.new_words.push_back(word);
    return static_cast<Word>(parts_.target->size()) + number;
  }

  void fill(std::size_t begin, std::size_t end) {
    cubes_.clear();
    std::vector<Active>& here = actives_[cell_of(begin, end)];
    if (source_[end - 1] != Words::kNone) {
      for (const Active& active : actives_[cell_of(begin, end - 1)])
        extend(active, source_[end - 1], 0, here);
    }
    for (std::size_t middle = begin + 1; middle < end; ++middle) {
      const std::uint32_t gap = cell_of(middle, end);
      if (cells_[gap].empty()) continue;
      for (const Active& active : actives_[cell_of(begin, middle)]) extend(active, kFirstGap, gap, here);
    }
    if (end == begin + 1 && cubes_.empty()) {
      copy_[0] = {0.0f, 0.0f, kCopyEdge};
      const TranslationForest::Edge edge{kCopyEdge, static_cast<std::uint32_t>(begin), 0.0f};
      copy_[0].score = scorer_.own(forest_, edge);
      cubes_.push_back({&copy_, static_cast<std::uint32_t>(begin), {nullptr, nullptr}});
    }
    combine_cubes(cells_[cell_of(begin, end)]);
    if (cells_[cell_of(begin, end)].empty() || end - begin == most_span()) return;
    extend(actives_[cell_of(begin, begin)][0], kFirstGap, cell_of(begin, end), here);
  }

  // Adds the match of one more symbol. Rules that end here become a cube.
  void extend(const Active& active, Symbol symbol, std::uint32_t gap, std::vector<Active>& here) {
    const std::uint32_t node = parts_.rules->child(active.node, symbol);
    if (node == Rules::kNone) return;
    // Only a damaged model has longer source sides or more gaps.
    if (active.size == kMostSourceSymbols || (is_gap(symbol) && active.gaps == active.cells.size())) return;
    Active longer = active;
    longer.node = node;
    longer.symbols[longer.size] = symbol;
    if (is_gap(symbol)) {
      if (longer.gaps == 1) longer.symbols[longer.size] = kSecondGap;
      longer.cells[longer.gaps++] = gap;
    }
    ++longer.size;
    here.push_back(longer);
    const Rules::Range rules = parts_.rules->rules(node);
    if (rules.begin == rules.end) return;
    const std::uint32_t match = match_of(longer, rules);
    Cube cube{&matched_[match]->candidates, match, {nullptr, nullptr}};
    for (std::uint32_t g = 0; g < longer.gaps; ++g) cube.parts[g] = &cells_[longer.cells[g]];
    cubes_.push_back(cube);
  }

  // The translations of a source side under the weights; made once per sentence.
  std::uint32_t match_of(const Active& active, Rules::Range rules) {
    const auto [place, is_new] =
        matched_of_node_.try_emplace(active.node, static_cast<std::uint32_t>(matched_.size()));
    if (!is_new) return place->second;
    forest_.sources.push_back({active.symbols, active.size, parts_.rules->source_count(active.node)});
    matched_.push_back(std::make_unique<Matched>());
    std::vector<Candidate>& candidates = matched_.back()->candidates;
    for (std::uint32_t rule = rules.begin; rule < rules.end; ++rule) {
      parts_.rules->check_gaps(rule, active.gaps);
      const float score = scorer_.own(forest_, {rule, place->second, 0.0f});
      const float estimate = score + scorer_.language_model(parts_.rules->values(rule).language_model);
      check_score(estimate);
      candidates.push_back({score, estimate, rule});
    }
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
      return a.estimate != b.estimate ? a.estimate > b.estimate : a.rule < b.rule;
    });
    if (candidates.size() > static_cast<std::size_t>(options_.candidates))
      candidates.resize(static_cast<std::size_t>(options_.candidates));
    return place->second;
  }

  // The row of parts from the beginning to `end`.
  void fill_row(std::size_t end) {
    cubes_.clear();
    const auto glue = [&](std::vector<Candidate>& candidates, std::uint32_t rule) {
      candidates.assign(1, {scorer_.own(forest_, {rule, 0, 0.0f}), 0.0f, rule});
      return &candidates;
    };
    if (end <= most_span())
      cubes_.push_back({glue(first_, kFirstEdge), 0, {&cells_[cell_of(0, end)], nullptr}});
    const std::size_t least = end > most_span() ? end - most_span() : 1;
    for (std::size_t middle = least; middle < end; ++middle)
      cubes_.push_back({glue(glue_, kGlueEdge), 0, {&row_[middle], &cells_[cell_of(middle, end)]}});
    std::erase_if(cubes_, [](const Cube& cube) {
      return cube.parts[0]->empty() || (cube.parts[1] != nullptr && cube.parts[1]->empty());
    });
    combine_cubes(row_[end]);
  }

  // Cube pruning: tries the most promising combinations. Every combination but the first of
  // a cube has one predecessor, which adds it: the one that is one rank lower in the last
  // dimension whose rank is not 0.
  void combine_cubes(Cell& cell) {
    cell.clear();
    tried_.clear();
    heap_.clear();
    merged_.clear();
    edges_.clear();
    for (std::uint32_t cube = 0; cube < cubes_.size(); ++cube) push(cube, {0, 0, 0});
    for (std::int64_t pops = 0; pops < options_.beam && !heap_.empty(); ++pops) {
      if (pops % 4096 == 4095) check_interrupt();
      std::ranges::pop_heap(heap_, [this](std::uint32_t a, std::uint32_t b) { return worse(a, b); });
      const std::uint32_t best = heap_.back();
      heap_.pop_back();
      take(best, cell);
      const std::uint32_t cube = tried_[best].cube;
      const std::array<std::uint32_t, 3> ranks = tried_[best].ranks;
      push(cube, {ranks[0], ranks[1], ranks[2] + 1});
      if (ranks[2] == 0) push(cube, {ranks[0], ranks[1] + 1, 0});
      if (ranks[2] == 0 && ranks[1] == 0) push(cube, {ranks[0] + 1, 0, 0});
    }
    store(cell);
  }

  bool worse(std::uint32_t a, std::uint32_t b) const {
    const double left = tried_[a].result.score, right = tried_[b].result.score;
    return left != right ? left < right : a > b;
  }

  void push(std::uint32_t number, std::array<std::uint32_t, 3> ranks) {
    const Cube& cube = cubes_[number];
    if (ranks[0] >= cube.candidates->size()) return;
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t size = cube.parts[part] == nullptr ? 1 : cube.parts[part]->size();
      if (ranks[part + 1] >= size) return;
    }
    tried_.push_back(combined(number, ranks));
    heap_.push_back(static_cast<std::uint32_t>(tried_.size() - 1));
    std::ranges::push_heap(heap_, [this](std::uint32_t a, std::uint32_t b) { return worse(a, b); });
  }

  Combination combined(std::uint32_t number, std::array<std::uint32_t, 3> ranks) const {
    const Cube& cube = cubes_[number];
    const Candidate& candidate = (*cube.candidates)[ranks[0]];
    const TranslationForest::Edge edge{candidate.rule, cube.source, 0.0f};
    const auto part = [&](unsigned k) -> const Partial& { return (*cube.parts[k])[ranks[k + 1]]; };
    Reader reader(*parts_.language_model, candidate.rule == kFirstEdge || candidate.rule == kGlueEdge);
    double parts_score = 0.0;
    double parts_model = 0.0;
    Combination result{number, ranks, 0.0f, 0.0f, {}};
    read_target(
        forest_, edge, parts_, [&](Word word) { reader.word(word); },
        [&](unsigned k) { reader.part(part(k)); });
    result.result = reader.read();
    for (unsigned k = 0; k < 2 && cube.parts[k] != nullptr; ++k) {
      parts_score += part(k).score;
      parts_model += part(k).language_model;
    }
    result.edge_language_model = static_cast<float>(result.result.language_model - parts_model);
    result.edge_score = candidate.score + scorer_.language_model(result.edge_language_model);
    if (forest_.keeps_ends) add_ends(edge, cube, ranks, result);
    result.result.score = parts_score + result.edge_score;
    check_score(result.result.score);
    return result;
  }

  void add_ends(const TranslationForest::Edge& edge, const Cube& cube, std::array<std::uint32_t, 3> ranks,
                Combination& result) const {
    Ends ends;
    const auto ends_of = [&](unsigned k) {
      const Partial& part = (*cube.parts[k])[ranks[k + 1]];
      return Ends{part.first, part.last};
    };
    result.edge_score += join_ends(forest_, edge, parts_, scorer_, ends_of, ends);
    result.result.first = ends.first;
    result.result.last = ends.last;
  }

  // Puts a combination into the cell, or joins it with an equal hypothesis.
  void take(std::uint32_t number, Cell& cell) {
    const Partial& result = tried_[number].result;
    const bool with_ends = forest_.keeps_ends;
    auto [place, is_new] =
        merged_.try_emplace(result.key(with_ends), static_cast<std::uint32_t>(cell.size()));
    if (!is_new && !result.same(cell[place->second], with_ends)) is_new = true;  // keys collide
    if (is_new) {
      edges_.push_back({number, static_cast<std::uint32_t>(cell.size())});
      cell.push_back(result);
      return;
    }
    edges_.push_back({number, place->second});
    Partial& held = cell[place->second];
    held.score = std::max(held.score, result.score);
  }

  // Moves the cell's hypotheses into the forest, best first.
  void store(Cell& cell) {
    order_.resize(cell.size());
    for (std::uint32_t i = 0; i < cell.size(); ++i) order_[i] = i;
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      return cell[a].score != cell[b].score ? cell[a].score > cell[b].score : a < b;
    });
    rank_.resize(cell.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
    std::ranges::stable_sort(edges_, {}, [&](const Joined& edge) { return rank_[edge.hypothesis]; });
    std::size_t edge = 0;
    sorted_.clear();
    for (const std::uint32_t i : order_) {
      cell[i].node = static_cast<std::uint32_t>(forest_.first_word.size());
      for (; edge < edges_.size() && edges_[edge].hypothesis == i; ++edge)
        add_edge(tried_[edges_[edge].combination]);
      close_node(cell[i]);
      sorted_.push_back(cell[i]);
    }
    cell.swap(sorted_);
  }

  void add_edge(const Combination& combination) {
    const Cube& cube = cubes_[combination.cube];
    const auto node = [&](unsigned k) {
      return cube.parts[k] == nullptr ? kNoNode : (*cube.parts[k])[combination.ranks[k + 1]].node;
    };
    forest_.forest.edges.push_back({node(0), node(1)});
    forest_.edges.push_back(
        {(*cube.candidates)[combination.ranks[0]].rule, cube.source, combination.edge_language_model});
    forest_.scores.push_back(combination.edge_score);
  }

  void close_node(const Partial& hypothesis) {
    forest_.forest.begin.push_back(static_cast<std::uint32_t>(forest_.edges.size()));
    forest_.first_word.push_back(hypothesis.first);
    forest_.last_word.push_back(hypothesis.last);
  }

  // Ends every translation of the sentence; all become one node, the root.
  void finish() {
    if (n_ == 0) add_end(nullptr);
    for (std::size_t i = 0; n_ > 0 && i < row_[n_].size(); ++i) add_end(&row_[n_][i]);
    close_node({});
  }

  void add_end(const Partial* row) {
    const NgramModel& model = *parts_.language_model;
    const float end = model.end(row == nullptr ? model.begin() : row->state);
    const TranslationForest::Edge edge{kEndEdge, 0, end};
    float score = scorer_.language_model(end);
    if (forest_.keeps_ends)
      score += scorer_.bigram(forest_, row == nullptr ? Words::kNone : row->last, Words::kNone);
    check_score(score);
    forest_.forest.edges.push_back({row == nullptr ? kNoNode : row->node, kNoNode});
    forest_.edges.push_back(edge);
    forest_.scores.push_back(score);
  }

  struct Joined {
    std::uint32_t combination, hypothesis;
  };

  const Parts parts_;
  const FeatureWeights& weights_;
  const SearchOptions options_;
  EdgeScorer scorer_;
  TranslationForest forest_;
  std::size_t n_ = 0, stride_ = 0;
  std::vector<Word> source_;
  std::vector<Cell> cells_;                   // by cell_of()
  std::vector<std::vector<Active>> actives_;  // by cell_of()
  std::vector<Cell> row_;                     // by end
  std::vector<std::unique_ptr<Matched>> matched_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> matched_of_node_;
  std::vector<Candidate> copy_ = {{}}, first_, glue_;
  // Of one cell:
  std::vector<Cube> cubes_;
  std::vector<Combination> tried_;
  std::vector<std::uint32_t> heap_;  // into tried_
  absl::flat_hash_map<Key, std::uint32_t> merged_;
  std::vector<Joined> edges_;
  std::vector<std::uint32_t> order_, rank_;
  Cell sorted_;
};

Search::Search(const Parts& parts, const FeatureWeights& weights, const SearchOptions& options)
    : chart_(std::make_unique<Chart>(parts, weights, options)) {}
Search::~Search() = default;

const TranslationForest& Search::run(std::span<const std::string_view> source) { return chart_->run(source); }

}  // namespace hinge::mt
