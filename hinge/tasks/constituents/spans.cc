#include "hinge/tasks/constituents/spans.h"

#include <algorithm>
#include <limits>

namespace hinge::constituents {

SpanLabels::SpanLabels(const Grammar& grammar) : labels(grammar.symbols(), kNoLabel) {
  for (std::size_t s = grammar.tags(); s < grammar.symbols(); ++s) {
    const auto symbol = static_cast<Symbol>(s);
    if (grammar.is_partial(symbol)) continue;
    labels[s] = static_cast<std::uint16_t>(symbols.size());
    symbols.push_back(symbol);
  }
}

void SpanSentence::resize(std::size_t words, std::size_t labels, std::size_t tag_count) {
  spans.resize(words, labels);
  tag_stride = (tag_count + 15) / 16 * 16;
  tags.assign(words * tag_stride + 256, 0.0f);
}

void best_tags(const SpanSentence& sentence, std::size_t tags, std::vector<Symbol>& out) {
  out.clear();
  for (std::size_t i = 0; i < sentence.spans.words; ++i) {
    const float* row = sentence.tags.data() + i * sentence.tag_stride;
    out.push_back(static_cast<Symbol>(std::max_element(row, row + tags) - row));
  }
}

void keep_tags(std::span<const Symbol> given, std::vector<Symbol>& tags) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != kNoSymbol) tags[i] = given[i];
  }
}

void tree_of_spans(const Grammar& grammar, const SpanLabels& labels, std::span<const LabelledSpan> spans,
                   std::span<const Symbol> tags, std::string_view wrapper,
                   std::span<const std::string_view> words, BracketTree& tree) {
  tree.clear();
  tree.words.assign(words.begin(), words.end());
  const auto n = static_cast<std::uint32_t>(words.size());
  const bool has_root = !spans.empty() && spans[0].label != kNoLabel;
  if (wrapper != "-" && !(has_root && is_wrapper(grammar.chain(labels.symbols[spans[0].label]))))
    tree.nodes.push_back({wrapper, 0, n, 0, false});
  for (const LabelledSpan& span : spans) {
    if (span.label != kNoLabel) {
      std::string_view chain = grammar.chain(labels.symbols[span.label]);
      for (bool more = true; more;) {
        const std::size_t end = chain.find(' ');
        more = end != std::string_view::npos;
        tree.nodes.push_back({chain.substr(0, end), span.begin, span.end, 0, false});
        if (more) chain.remove_prefix(end + 1);
      }
    }
    if (span.end == span.begin + 1)
      tree.nodes.push_back({grammar.tag_names().names()[tags[span.begin]], span.begin, span.end, 0, true});
  }
  link_nodes(tree);
}

void keep_given(const Grammar& grammar, const SpanLabels& labels, std::span<const GivenBracket> given,
                SpanScores& scores) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  for (const GivenBracket& bracket : given) {
    for (std::size_t begin = 0; begin < scores.words; ++begin) {
      for (std::size_t end = begin + 1; end <= scores.words; ++end) {
        const std::size_t s = scores.span(begin, end);
        const bool crosses = bracket.crosses(begin, end);
        const bool same = begin == bracket.begin && end == bracket.end;
        if (!crosses && !same) continue;
        scores.plain[s] = kNever;
        for (std::size_t l = 0; l < scores.labels; ++l) {
          if (crosses ||
              (!bracket.label.empty() && !chain_has(grammar.chain(labels.symbols[l]), bracket.label)))
            scores.row(s)[l] = kNever;
        }
      }
    }
  }
}

}  // namespace hinge::constituents
