#include "hinge/tasks/constituents/feature_texts.h"

#include <fmt/core.h>

#include "hinge/tasks/constituents/templates.h"

namespace hinge::constituents {

std::string FeatureName::input() const {
  return values.empty() ? std::string(kind) : fmt::format("{}={}", kind, values);
}

std::string FeatureName::text() const {
  if (output.empty()) return input();
  return kind == "rule" || kind == "root" ? fmt::format("{} {}", kind, output)
                                          : fmt::format("{}: {}", output, input());
}

std::string rule_text(const Grammar& grammar, std::uint32_t rule) {
  const Rule& parts = grammar.rules()[rule];
  return fmt::format("{} -> {}{}{}", grammar.name(parts.parent), grammar.name(parts.left),
                     parts.right == kNoSymbol ? "" : " ",
                     parts.right == kNoSymbol ? "" : grammar.name(parts.right));
}

// Takes what templates add.
class FeatureTexts::List {
 public:
  explicit List(std::vector<Input>& all) : all_(all) { all_.clear(); }

  template <typename... Values>
  void add(std::string_view kind, const Values&... values) {
    std::string text;
    (TextValues::append(text, values), ...);
    all_.push_back({kind, std::move(text)});
  }

 private:
  std::vector<Input>& all_;
};

void FeatureTexts::start(const SentenceText& text) {
  text_ = text;
  make_atoms<TextValues>(plan_, text_, buffer_, atoms_);
  for (Inputs* inputs : {&word_, &span_, &rule_, &split_, &split_parent_}) inputs->end = 0;
}

template <typename Make>
const std::vector<FeatureTexts::Input>& FeatureTexts::find(Inputs& inputs, std::size_t begin,
                                                           std::size_t split, std::size_t end,
                                                           const Make& make) {
  if (inputs.begin != begin || inputs.split != split || inputs.end != end) {
    List list(inputs.all);
    make(list);
    inputs.begin = begin;
    inputs.split = split;
    inputs.end = end;
  }
  return inputs.all;
}

FeatureName FeatureTexts::of_word(std::size_t word, std::size_t k) {
  const Input& input = find(word_, word, 0, word + 1, [&](List& list) {
    word_templates<TextValues>(atoms_.data(), word, text_.words[word], list);
  })[k];
  return {"", input.kind, input.values};
}

FeatureName FeatureTexts::of_span(std::size_t begin, std::size_t end, std::size_t k) {
  const Input& input = find(span_, begin, 0, end, [&](List& list) {
    if (plan_.kind == FeatureKind::kSpan)
      return span_templates<TextValues>(atoms_.data(), begin, end, list);
    const std::uint8_t* said =
        plan_.aux ? &text_.aux[span_index(text_.words.size(), begin, end)] : nullptr;
    lexical_templates<TextValues>(atoms_.data(), begin, end, said, list);
  })[k];
  return {"", input.kind, input.values};
}

std::string FeatureTexts::symbol_text(Symbol fine) const {
  return plan_.grammars.coarse.name(plan_.grammars.projection[fine]);
}

FeatureName FeatureTexts::of_node(const Item& node, std::size_t k) {
  const bool tag = plan_.grammars.fine.is_tag(node.symbol);
  FeatureName name = tag ? of_word(node.begin, k) : of_span(node.begin, node.end, k);
  name.output = plan_.kind == FeatureKind::kLexical ? "phrase" : symbol_text(node.symbol);
  return name;
}

// First what has no template: the rule, the root, or a probability.
FeatureName FeatureTexts::of_edge(const ParseForest& forest, const Item& head, std::uint32_t edge,
                                  std::size_t k) {
  if (plan_.kind == FeatureKind::kGenerative) return {"", "log probability", ""};
  const std::uint32_t rule = forest.rules[edge];
  if (rule == kNone && head.symbol != kNoSymbol) return {"", "log P(word | tag)", ""};
  if (rule == kNone) return {symbol_text(forest.nodes[forest.forest.edges[edge].left].symbol), "root", ""};
  std::string output = rule_text(plan_.grammars.fine, rule);
  if (k-- == 0) return {std::move(output), "rule", ""};
  const std::size_t begin = head.begin, split = forest.split[edge], end = head.end;
  const auto& of_rule = find(rule_, begin, 0, end, [&](List& list) {
    rule_templates<TextValues>(atoms_.data(), begin, end, list);
  });
  if (k < of_rule.size()) return {std::move(output), of_rule[k].kind, of_rule[k].values, true};
  k -= of_rule.size();
  const auto& of_split = find(split_, begin, split, end, [&](List& list) {
    split_templates<TextValues>(atoms_.data(), begin, split, end, list);
  });
  if (k < of_split.size()) return {std::move(output), of_split[k].kind, of_split[k].values, true};
  k -= of_split.size();
  const auto& of_parent = find(split_parent_, begin, split, end, [&](List& list) {
    split_parent_templates<TextValues>(atoms_.data(), begin, split, end, list);
  });
  return {symbol_text(head.symbol), of_parent[k].kind, of_parent[k].values};
}

}  // namespace hinge::constituents
