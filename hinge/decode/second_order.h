// Best projective dependency trees over a pruned set of candidate arcs, with
// second-order parts: grandparents, and pairs of adjacent children of one head on
// one side.
//
// Koo, Collins (ACL 2010), "Efficient third-order dependency parsers", Model 1:
// Eisner's spans, also indexed by the head of their head. Words are numbered from
// 1; 0 is the artificial root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

// Candidate arcs and the scores of their parts. The score of a tree is the sum of
// `arc` over all arcs, `grand` over arcs whose head is not the root, and, for each
// head and side, `first` of the innermost child, `sibling` of each pair of
// consecutive children and `last` of the outermost child.
struct SecondOrderScores {
  struct Arc {
    std::uint32_t head, modifier;
  };
  std::size_t words = 0;
  bool single_root = false;  // exactly one word has head 0
  std::vector<Arc> arcs;     // sorted by (head, modifier); distinct
  std::vector<float> arc;    // [arcs]

  // Arc (h, m), with no child of h between h and m ...
  std::vector<float> first;  // [arcs]
  // ... or with s the child nearest to m: one part for every candidate (h, s) with
  // s strictly between, in order of distance from h.
  std::vector<std::uint32_t> sibling_begin;  // [arcs + 1], into the two below
  std::vector<std::uint32_t> sibling_arc;    // the inner arc (h, s)
  std::vector<float> sibling;
  // Arc (h, m), with no child of h beyond m.
  std::vector<float> last;  // [arcs], or empty: all zero

  // Arc (h, m), h != 0: one part for every candidate (g, h), g != m, in order of g.
  std::vector<std::uint32_t> grand_begin;  // [arcs + 1], into the two below
  std::vector<std::uint32_t> grand_arc;    // the upper arc (g, h)
  std::vector<float> grand;
};

// Fills the sibling and grandparent index arrays from `words` and `arcs`, and sets
// all scores to zero (`last` becomes empty).
void make_parts(SecondOrderScores& scores);

inline constexpr std::uint32_t kNoPart = 0xffffffff;

// The parts of a tree that belong to the arc into one word.
struct ArcParts {
  std::uint32_t arc = kNoPart;      // the arc; if it is not a candidate, nothing is set
  std::uint32_t sibling = kNoPart;  // index into `sibling`; kNoPart: `first` applies
  std::uint32_t grand = kNoPart;    // index into `grand`; kNoPart: the head is the root
  bool is_last = false;
};

// heads: [words + 1], any tree, projective or not. `sibling` and `is_last` are
// correct only if all arcs of the tree are candidates.
ArcParts parts_into(const SecondOrderScores& scores, std::span<const std::uint32_t> heads,
                    std::uint32_t modifier);

enum class TreePart { arc, first, sibling, last, grand };

// Calls body(TreePart, index) for each part of the tree, with an index into the
// scores of that kind. False if an arc is not a candidate; calls made until then
// are meaningless.
template <typename Body>
bool each_part(const SecondOrderScores& scores, std::span<const std::uint32_t> heads, Body&& body) {
  for (std::uint32_t modifier = 1; modifier <= scores.words; ++modifier) {
    const ArcParts parts = parts_into(scores, heads, modifier);
    if (parts.arc == kNoPart) return false;
    body(TreePart::arc, parts.arc);
    if (parts.sibling == kNoPart) {
      body(TreePart::first, parts.arc);
    } else {
      body(TreePart::sibling, parts.sibling);
    }
    if (parts.is_last) body(TreePart::last, parts.arc);
    if (parts.grand != kNoPart) body(TreePart::grand, parts.grand);
  }
  return true;
}

// The score of a tree, projective or not; -infinity if an arc is not a candidate.
// Ignores single_root.
double score_of(const SecondOrderScores& scores, std::span<const std::uint32_t> heads);

// Candidate arcs by either end.
struct ArcIndex {
  void build(const SecondOrderScores& scores);

  // By head: the arcs of h are [children[h], children[h + 1]); those from right[h]
  // on lead to the right.
  std::vector<std::uint32_t> children, right;
  // By modifier: above[above_begin[m], above_begin[m + 1]), in order of heads;
  // slot[arc] is the arc's index among them. An artificial arc into the root,
  // numbered after all others, avoids a special case.
  std::vector<std::uint32_t> above_begin, above, slot;
};

// The decoder's tables, described in second_order.cc. The entry of word h for head g
// is in the slot of arc (g, h); slots are padded to whole vectors.
struct SecondOrderChart {
  struct Column {
    std::size_t begin, slots;
  };

  void prepare(const SecondOrderScores& scores);

  // C^g(h, end) for arc (g, h).
  double complete(std::uint32_t arc, std::size_t end) const {
    return complete_spans[of_arc[arc].begin + end * of_arc[arc].slots];
  }
  // I^g(h, m) for arc (h, m) and all g.
  double* incomplete(std::uint32_t arc, std::uint32_t head) {
    return incomplete_spans.data() + incomplete_begin[head] +
           (arc - index.children[head]) * of_word[head].slots;
  }

  ArcIndex index;
  std::vector<Column> of_word;                // [words + 1] into complete_spans
  std::vector<Column> of_arc;                 // [arcs + 1] the same, begin advanced to the arc's slot
  std::vector<double> complete_spans;         // [h][end][slot]
  std::vector<std::size_t> incomplete_begin;  // [words + 1]
  std::vector<double> incomplete_spans;       // [h][m][slot]
  std::vector<double> splits;                 // [sibling part] S^h(s, m)
  std::vector<float> last;                    // [arcs]
  std::vector<std::uint32_t> attached;        // [words + 1] the last left child attached
};

// Time for n words with K candidate heads each: about n^2 K^2 / 2 for the spans,
// plus a split loop per sibling part. Memory, kept between sentences: 8 bytes times
//   sum over words h of K(h) (n + 1 + candidate children of h)  +  sibling parts,
// where K(h) is the number of candidate heads of h rounded up to a multiple of 4;
// 16 MB for 500 words with 8 candidates.
class SecondOrderDecoder {
 public:
  // The score_of() the best projective tree of candidate arcs; heads: [words + 1],
  // heads[0] = 0. If there is no such tree, -infinity, and heads may hold anything.
  // No score may be NaN or +infinity.
  double best(const SecondOrderScores& scores, std::span<std::uint32_t> heads);

 private:
  using Index = std::uint32_t;

  // The descendants of `word` on the side of `end`, up to `end`; `arc` leads to `word`.
  struct Half {
    Index arc, word, end;
  };

  bool read_tree(const SecondOrderScores& scores, std::span<Index> heads);
  void read_half(const SecondOrderScores& scores, const Half& half, std::span<Index> heads);
  void read_children(const SecondOrderScores& scores, Index arc, Index slot, std::span<Index> heads);
  void read_between(const SecondOrderScores& scores, Index inner, Index outer);
  Index best_only_root(const SecondOrderScores& scores) const;

  SecondOrderChart chart_;
  std::vector<Half> agenda_;
};

}  // namespace hinge
