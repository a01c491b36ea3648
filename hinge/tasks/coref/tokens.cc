#include "hinge/tasks/coref/tokens.h"

#include <algorithm>

namespace hinge::coref {
namespace {

bool is_noun_phrase(std::string_view label) {
  return label == "NP" || label.starts_with("NP-") || label == "NML" || label == "WHNP";
}

// Where a noun phrase without a tree stops being about its head.
bool ends_core(std::string_view word) {
  for (const std::string_view stop :
       {"of", ",", "in", "on", "at", "for", "with", "who", "which", "that", "(", "from", "to"}) {
    if (word == stop) return true;
  }
  return false;
}

}  // namespace

bool Tokens::has_tree() const {
  return std::ranges::any_of(heads, [](std::uint32_t head) { return head != kNoHead; });
}

Tokens tokens_of(const Document& document, const ColumnMask& mask) {
  Tokens tokens;
  const std::size_t n = document.tokens.size();
  tokens.sentence_of.resize(n);
  for (const DocumentToken& token : document.tokens) {
    tokens.forms.push_back(token.word);
    tokens.upos.push_back(mask.upos ? token.upos : std::string_view());
    tokens.xpos.push_back(mask.xpos ? token.xpos : std::string_view());
    tokens.relations.push_back(mask.tree ? token.relation : std::string_view());
    tokens.heads.push_back(mask.tree && token.head != kNoToken ? token.head : kNoHead);
    tokens.speakers.push_back(token.speaker.empty() ? kAbsent : hash_text(token.speaker));
  }
  for (const TokenRange& sentence : document.sentences) {
    const auto number = static_cast<std::uint32_t>(tokens.sentences.size());
    std::fill(tokens.sentence_of.begin() + sentence.begin, tokens.sentence_of.begin() + sentence.end, number);
    tokens.sentences.push_back({sentence.begin, sentence.end});
  }
  for (const LabelledRange& phrase : document.constituents) {
    if (mask.tree && is_noun_phrase(phrase.label)) tokens.phrases.push_back({phrase.begin, phrase.end});
  }
  for (const LabelledRange& entity : document.entities) {
    if (!mask.entities) break;
    tokens.entities.push_back({entity.begin, entity.end});
    tokens.entity_types.push_back(entity.label);
  }
  return tokens;
}

std::string_view lower(std::string_view form, std::string& buffer) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (std::ranges::none_of(form, upper)) return form;
  buffer.assign(form);
  for (char& c : buffer) {
    if (upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return buffer;
}

std::uint32_t head_of(const Tokens& tokens, const Span& span) {
  // Words whose heads are outside. Punctuation is never the head of anything else.
  std::uint32_t top = kNoHead;
  bool tree = false;
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    const std::uint32_t head = tokens.heads[i];
    tree |= head != kNoHead;
    const bool outside = head == kNoHead || head < span.begin || head >= span.end;
    if (outside && (top == kNoHead || tokens.relations[top] == "punct")) top = i;
  }
  if (tree || span.size() == 1) return top;
  std::uint32_t head = span.begin;
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    if (i > span.begin && ends_core(tokens.forms[i])) break;
    head = i;
  }
  return head;
}

}  // namespace hinge::coref
