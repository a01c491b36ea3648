#include "hinge/tasks/coref/candidates.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "hinge/tasks/coref/mentions.h"
#include "hinge/tasks/coref/words.h"

namespace hinge::coref {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

// "nmod" of "nmod:poss".
std::string_view plain(std::string_view relation) { return relation.substr(0, relation.find(':')); }

bool is_nominal(std::string_view upos, std::string_view xpos) {
  if (!upos.empty()) return is_one_of(upos, {"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"});
  return xpos.starts_with("NN") || xpos.starts_with("PRP") || xpos.starts_with("WP") || xpos == "CD";
}

// Words that stand for something, but only some of them: "this", "there", "the poor".
bool may_be_nominal(const Tokens& tokens, std::uint32_t i) {
  const std::string_view upos = tokens.upos[i];
  const std::string_view relation = plain(tokens.relations[i]);
  if (!is_one_of(upos, {"DET", "ADJ", "ADV", "INTJ"})) return false;
  if (is_one_of(relation, {"nsubj", "obj", "obl", "nmod", "iobj", "conj", "root", "appos", "dislocated"}))
    return true;
  return upos == "ADV" && relation == "advmod" && is_one_of(tokens.xpos[i], {"RB", ""}) &&
         is_one_of(tokens.forms[i], {"here", "there", "Here", "There", "then", "now", "today", "home"});
}

// Dependents that never belong to the mention of their head: of a preposition, of a
// clause whose predicate the head is, of the sentence.
bool is_outside(std::string_view relation) {
  return is_one_of(plain(relation),
                   {"case", "cc", "mark", "cop", "aux", "nsubj", "csubj", "expl", "discourse", "vocative",
                    "advcl", "dislocated", "reparandum", "parataxis", "punct", "orphan"});
}

class TreeCandidates {
 public:
  explicit TreeCandidates(const Tokens& tokens)
      : tokens_(tokens), first_(tokens.size()), last_(tokens.size()), children_(tokens.size()) {
    for (std::uint32_t i = 0; i < tokens.size(); ++i) {
      first_[i] = last_[i] = i;
      if (tokens.heads[i] != kNoHead) children_[tokens.heads[i]].push_back(i);
    }
    for (const Span& sentence : tokens.sentences) spread(sentence);
  }

  void add(std::vector<Span>& spans) const {
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
      if (is_nominal(tokens_.upos[i], tokens_.xpos[i]) || may_be_nominal(tokens_, i)) add_of(i, spans);
    }
  }

 private:
  // The extent of every subtree: each word widens those above it.
  void spread(const Span& sentence) {
    for (std::uint32_t i = sentence.begin; i < sentence.end; ++i) {
      std::uint32_t steps = 0;
      for (std::uint32_t up = tokens_.heads[i]; up != kNoHead && steps++ < sentence.size();
           up = tokens_.heads[up]) {
        first_[up] = std::min(first_[up], i);
        last_[up] = std::max(last_[up], i);
      }
    }
  }

  void add_of(std::uint32_t head, std::vector<Span>& spans) const {
    // To the left as far as modifiers go; adverbs at the edge may be outside.
    std::uint32_t begin = head, short_begin = head;
    const auto& children = children_[head];
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      if (*child > head) continue;
      const std::string_view relation = tokens_.relations[*child];
      const bool inner = plain(relation) == "punct" && child + 1 != children.rend() &&
                         !is_outside(tokens_.relations[*(child + 1)]);
      if (is_outside(relation) && !inner) break;
      begin = first_[*child];
      if (plain(relation) != "advmod" && !inner) short_begin = begin;
    }
    if (begin > head) begin = head;
    add_ends(head, begin, spans);
    if (short_begin != begin) add_ends(head, short_begin, spans);
  }

  // One span up to the head and what belongs to its name, and one after each further
  // dependent.
  void add_ends(std::uint32_t head, std::uint32_t begin, std::vector<Span>& spans) const {
    std::uint32_t end = head + 1;
    const auto put = [&] { spans.push_back({begin, end}); };
    for (const std::uint32_t child : children_[head]) {
      if (child < head) continue;
      const std::string_view relation = tokens_.relations[child];
      const std::string_view kind = plain(relation);
      const bool genitive = kind == "case" && child == end;
      const bool name = is_one_of(kind, {"flat", "fixed", "goeswith", "compound"});
      if (kind == "punct") continue;
      if (is_outside(relation) && !genitive && kind != "cc") {
        if (kind == "parataxis" || kind == "discourse") continue;
        break;
      }
      if (!genitive && !name) put();
      end = std::max(end, last_[child] + 1);
    }
    put();
    if (last_[head] + 1 > end && closes(last_[head], begin, end)) spans.push_back({begin, last_[head] + 1});
  }

  // Whether the last word is a bracket or quotation mark opened within the span.
  bool closes(std::uint32_t last, std::uint32_t begin, std::uint32_t end) const {
    if (last != end || !is_one_of(tokens_.forms[last], {")", "]", "\"", "”", "''"})) return false;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (is_one_of(tokens_.forms[i], {"(", "[", "\"", "“", "``"})) return true;
    }
    return false;
  }

  const Tokens& tokens_;
  std::vector<std::uint32_t> first_, last_;           // [words], of the subtree
  std::vector<std::vector<std::uint32_t>> children_;  // [words], in order
};

// Runs of nominal tags, for text without trees.
void add_chunks(const Tokens& tokens, std::vector<Span>& spans) {
  for (const Span& sentence : tokens.sentences) {
    std::uint32_t begin = sentence.begin;
    for (std::uint32_t i = sentence.begin; i <= sentence.end; ++i) {
      const bool inside = i < sentence.end && (is_nominal(tokens.upos[i], tokens.xpos[i]) ||
                                               is_one_of(tokens.upos[i], {"DET", "ADJ"}) ||
                                               is_one_of(tokens.xpos[i], {"DT", "JJ", "PRP$"}));
      if (inside) continue;
      if (begin < i) spans.push_back({begin, i});
      begin = i + 1;
    }
  }
}

// Without tags: runs of capitalized words, and articles with one to three words.
void add_guesses(const Tokens& tokens, std::vector<Span>& spans) {
  std::string buffer;
  const auto is_upper = [&](std::uint32_t i) {
    const std::string_view form = tokens.forms[i];
    return !form.empty() && form[0] >= 'A' && form[0] <= 'Z';
  };
  for (const Span& sentence : tokens.sentences) {
    for (std::uint32_t i = sentence.begin; i < sentence.end; ++i) {
      std::uint32_t end = i;
      while (end < sentence.end && is_upper(end)) ++end;
      if (end > i && (i == sentence.begin || !is_upper(i - 1))) spans.push_back({i, end});
      if (article_of(lower(tokens.forms[i], buffer)) == Article::kNone) continue;
      for (std::uint32_t more = 2; more <= 4 && i + more <= sentence.end; ++more)
        spans.push_back({i, i + more});
    }
  }
}

// Verbs stand for what their clauses say if something may refer to it.
void add_events(const Tokens& tokens, std::vector<Span>& spans) {
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    const std::string_view tag = tokens.upos[i].empty() ? tokens.xpos[i] : tokens.upos[i];
    if (tag != "VERB" && tag != "AUX" && !tag.starts_with("VB")) continue;
    if (next_demonstrative(tokens, i + 1) != kNoHead) spans.push_back({i, i + 1});
  }
}

void add_pronouns(const Tokens& tokens, std::vector<Span>& spans) {
  std::string buffer;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    const bool pronoun = tokens.upos[i] == "PRON" || tokens.xpos[i].starts_with("PRP") ||
                         (tokens.tag(i).empty() && find_pronoun(lower(tokens.forms[i], buffer)) != nullptr);
    if (pronoun) spans.push_back({i, i + 1});
  }
}

}  // namespace

std::vector<Span> candidate_spans(const Tokens& tokens) {
  std::vector<Span> spans = tokens.phrases;
  spans.insert(spans.end(), tokens.entities.begin(), tokens.entities.end());
  add_pronouns(tokens, spans);
  add_events(tokens, spans);
  if (tokens.has_tree()) TreeCandidates(tokens).add(spans);
  if (!tokens.has_tree() && tokens.phrases.empty()) {
    const bool tagged = std::ranges::any_of(tokens.upos, [](std::string_view tag) { return !tag.empty(); }) ||
                        std::ranges::any_of(tokens.xpos, [](std::string_view tag) { return !tag.empty(); });
    tagged ? add_chunks(tokens, spans) : add_guesses(tokens, spans);
  }
  std::ranges::sort(spans, precedes);
  spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
  return spans;
}

}  // namespace hinge::coref
