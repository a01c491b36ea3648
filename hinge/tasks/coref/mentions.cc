#include "hinge/tasks/coref/mentions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

namespace hinge::coref {
namespace {

constexpr std::string_view kFieldNames[kFields] = {
    "kind",   "type",   "form",   "string",  "head",     "stem",      "first",      "last",
    "before", "after",  "length", "tag",     "relation", "parent",    "parent_tag", "article",
    "gender", "number", "person", "animate", "entity",   "seen_head", "seen_text",  "later_head",
    "place",  "order",  "depth",  "speaker", "score",    "followed"};

// 0, 1, 2, 3, 4, 5-7, 8-15, 16-31, ...
std::uint64_t bin(std::uint64_t n) {
  if (n < 5) return n;
  std::uint64_t bins = 5;
  for (std::uint64_t end = 8; n >= end; end *= 2) ++bins;
  return bins;
}

bool starts_upper(std::string_view word) { return !word.empty() && word[0] >= 'A' && word[0] <= 'Z'; }
bool all_upper(std::string_view word) {
  return word.size() > 1 &&
         std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || c == '.'; });
}

bool is_proper_tag(std::string_view tag) { return tag == "PROPN" || tag.starts_with("NNP"); }
bool is_noun_tag(std::string_view tag) { return tag == "NOUN" || tag == "NN" || tag == "NNS"; }

// Words that say nothing about what is meant.
bool is_content(std::string_view tag, std::string_view word) {
  if (word.size() == 1 && !(word[0] >= '0' && word[0] <= '9')) return false;
  if (article_of(word) != Article::kNone || find_pronoun(word) != nullptr) return false;
  for (const std::string_view small :
       {"of", "and", "in", "on", "to", "for", "with", "at", "'s", "’s", "by", "from", "or"}) {
    if (word == small) return false;
  }
  return tag != "PUNCT";
}

// Describes the mentions of one document.
class Describer {
 public:
  Describer(const Tokens& tokens, const FrequentWords& frequent, MentionSet& set)
      : tokens_(tokens), frequent_(frequent), set_(set) {}

  void describe(const Span& span) {
    MentionFacts m{.span = span, .head = head_of(tokens_, span), .sentence = tokens_.sentence_of[span.begin]};
    head_.assign(lower(tokens_.forms[m.head], buffer_));
    first_.assign(lower(tokens_.forms[span.begin], buffer_));
    set_kind(m);
    set_texts(m);
    set_words(m);
    if (!pronoun_) set_noun_facts(m);
    m.speaker = tokens_.speakers[span.begin];
    set_.fields.push_back(fields_of(m));
    set_.mentions.push_back(m);
  }

  // Facts that need all mentions of the document.
  void finish() {
    count_before(Field::kSeenHead, [](const MentionFacts& m) { return m.stem; });
    count_before(Field::kSeenText, [](const MentionFacts& m) { return m.bare; });
    std::unordered_map<Key, std::uint32_t> last;  // head of each stem
    for (const MentionFacts& m : set_.mentions) last[m.stem] = std::max(last[m.stem], m.head);
    std::uint32_t sentence = 0xFFFFFFFF, order = 0;
    std::vector<Span> open;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      const MentionFacts& m = set_.mentions[k];
      order = m.sentence == sentence ? order + 1 : 0;
      sentence = m.sentence;
      while (!open.empty() && open.back().end < m.span.end) open.pop_back();
      while (!open.empty() && open.back().end <= m.span.begin) open.pop_back();
      put(k, Field::kLaterHead, number_key(last[m.stem] > m.head));
      put(k, Field::kOrder, number_key(bin(order)));
      put(k, Field::kDepth, number_key(std::min<std::size_t>(open.size(), 3)));
      open.push_back(m.span);
    }
  }

 private:
  void put(std::size_t k, Field field, Key key) { set_.fields[k][static_cast<std::size_t>(field)] = key; }

  template <typename Of>
  void count_before(Field field, const Of& of) {
    std::unordered_map<Key, std::vector<std::uint32_t>> seen;  // heads, each once
    for (std::size_t k = 0; k < set_.size(); ++k) {
      const std::uint32_t head = set_.mentions[k].head;
      std::vector<std::uint32_t>& heads = seen[of(set_.mentions[k])];
      const bool again = std::find(heads.rbegin(), heads.rend(), head) != heads.rend();
      put(k, field, number_key(bin(heads.size() - again)));
      if (!again) heads.push_back(head);
    }
  }

  void set_kind(MentionFacts& m) {
    const std::string_view tag = tokens_.tag(m.head);
    pronoun_ = m.span.size() == 1 && !is_proper_tag(tag) && !is_noun_tag(tag) ? find_pronoun(head_) : nullptr;
    if (m.span.size() == 2 && pronoun_ == nullptr && (first_ == "each" || first_ == "one"))
      pronoun_ = find_pronoun(first_ + " " + std::string(lower(tokens_.forms[m.span.end - 1], buffer_)));
    if (pronoun_ != nullptr) {
      m.kind = Kind::kPronoun;
      m.gender = pronoun_->gender;
      m.number = pronoun_->number;
      m.person = pronoun_->person;
      m.animate = pronoun_->animate;
      m.inanimate = pronoun_->gender == Gender::kNeuter;
    } else {
      m.kind = is_proper_tag(tag) || (tag.empty() && starts_upper(tokens_.forms[m.head])) ? Kind::kProper
                                                                                          : Kind::kNominal;
      if (tag == "VERB" || tag == "AUX" || tag.starts_with("VB") || tag == "MD") m.kind = Kind::kEvent;
      m.article = article_of(first_);
      if (has_genitive(m)) m.article = Article::kPossessive;
    }
    m.type =
        pronoun_ != nullptr ? hash_text(pronoun_->canonical) : number_key(static_cast<std::uint64_t>(m.kind));
  }

  // "Anna's book": a possessor before the head.
  bool has_genitive(const MentionFacts& m) const {
    for (std::uint32_t i = m.span.begin; i < m.head; ++i) {
      if (tokens_.forms[i] == "'s" || tokens_.forms[i] == "’s") return true;
    }
    return false;
  }

  void set_texts(MentionFacts& m) {
    m.stem = hash_text(pronoun_ != nullptr ? pronoun_->canonical : stem_of(head_));
    m.text = m.bare = 1;
    initials_.clear();
    for (std::uint32_t i = m.span.begin; i < m.span.end; ++i) {
      const Key word = hash_text(lower(tokens_.forms[i], buffer_));
      m.text = combine(m.text, word);
      const bool article = i == m.span.begin && m.span.size() > 1 && m.article != Article::kNone;
      const bool genitive = i + 1 == m.span.end && (tokens_.forms[i] == "'s" || tokens_.forms[i] == "’s");
      if (!article && !genitive) m.bare = combine(m.bare, word);
      if (starts_upper(tokens_.forms[i])) initials_ += tokens_.forms[i][0];
    }
    if (m.kind == Kind::kPronoun) m.text = m.bare = m.stem;
    if (initials_.size() > 1) m.initials = hash_text(initials_);
    const std::string_view only = tokens_.forms[m.head];
    if (!all_upper(only) || m.span.size() - (m.article != Article::kNone ? 1 : 0) != 1) return;
    initials_.assign(only);
    std::erase(initials_, '.');
    m.acronym = hash_text(initials_);
  }

  void set_words(MentionFacts& m) {
    m.words_begin = static_cast<std::uint32_t>(set_.words.size());
    for (std::uint32_t i = m.span.begin; i < m.span.end && m.kind != Kind::kPronoun; ++i) {
      const std::string_view word = lower(tokens_.forms[i], buffer_);
      if (is_content(tokens_.upos[i], word)) set_.words.push_back(hash_text(stem_of(word)));
    }
    const auto begin = set_.words.begin() + m.words_begin;
    std::sort(begin, set_.words.end());
    set_.words.erase(std::unique(begin, set_.words.end()), set_.words.end());
    m.words_end = static_cast<std::uint32_t>(set_.words.size());
  }

  void set_noun_facts(MentionFacts& m) {
    const std::string_view tag = tokens_.tag(m.head);
    const NounFacts noun = noun_facts(head_);
    m.gender = noun.gender;
    m.animate = noun.animate;
    const bool coordinated = is_coordination(m);
    if (tag == "NNS" || tag == "NNPS" || coordinated)
      m.number = Number::kPlural;
    else if (tag == "NN" || tag == "NNP")
      m.number = Number::kSingular;
    if (head_ == "people" || head_ == "children") m.number = Number::kPlural;
    if (m.kind == Kind::kProper && m.gender == Gender::kUnknown && !coordinated) set_name_facts(m);
    if (is_group(head_)) m.number = Number::kUnknown;
    for (std::size_t e = 0; e < tokens_.entities.size(); ++e) {
      if (tokens_.entities[e].begin > m.head || tokens_.entities[e].end <= m.head) continue;
      m.animate |= tokens_.entity_types[e].starts_with("PER") || tokens_.entity_types[e] == "person";
    }
    if (coordinated) m.gender = Gender::kUnknown;
    m.inanimate = !m.animate && m.kind == Kind::kNominal;
  }

  // Titles and first names before or at the head of a name.
  void set_name_facts(MentionFacts& m) {
    for (std::uint32_t i = m.span.begin; i < m.span.end; ++i) {
      const std::string_view word = lower(tokens_.forms[i], buffer_);
      if (!starts_upper(tokens_.forms[i])) break;
      const NounFacts title = noun_facts(word);
      const Gender name = name_gender(word);
      m.animate |= title.animate || name != Gender::kUnknown;
      if (m.gender == Gender::kUnknown) m.gender = title.gender != Gender::kUnknown ? title.gender : name;
    }
  }

  bool is_coordination(const MentionFacts& m) const {
    for (std::uint32_t i = m.span.begin; i < m.span.end; ++i) {
      if (tokens_.relations[i] == "conj" && tokens_.heads[i] == m.head) return true;
    }
    return false;
  }

  Key word_key(std::uint32_t i) {
    const Key word = hash_text(lower(tokens_.forms[i], buffer_));
    return frequent_.has(word) ? word : rare_key(tokens_.tag(i));
  }
  static Key text_key(std::string_view text) { return text.empty() ? number_key(0) : hash_text(text); }

  std::string_view entity_of(const MentionFacts& m) const {
    for (std::size_t e = 0; e < tokens_.entities.size(); ++e) {
      if (tokens_.entities[e].begin <= m.head && m.head < tokens_.entities[e].end)
        return tokens_.entity_types[e];
    }
    return "";
  }

  Key next_key(const MentionFacts& m) {
    const std::uint32_t next = next_demonstrative(tokens_, m.span.end);
    if (next == kNoHead) return number_key(0);
    const std::uint32_t sentences = tokens_.sentence_of[next] - m.sentence;
    return sentences > 2 ? number_key(0) : followed_key(lower(tokens_.forms[next], buffer_), sentences);
  }

  FieldKeys fields_of(const MentionFacts& m) {
    FieldKeys keys{};
    const auto set = [&keys](Field field, Key key) { keys[static_cast<std::size_t>(field)] = key; };
    const Span sentence = tokens_.sentences[m.sentence];
    const std::uint32_t parent = tokens_.heads[m.head];
    set(Field::kKind, number_key(static_cast<std::uint64_t>(m.kind)));
    set(Field::kType, m.type);
    set(Field::kForm, pronoun_ != nullptr ? hash_text(head_) : m.type);
    set(Field::kString, pronoun_ != nullptr ? m.type : frequent_.has(m.text) ? m.text : number_key(0));
    set(Field::kHead, word_key(m.head));
    set(Field::kStem, frequent_.has(hash_text(head_)) ? m.stem : word_key(m.head));
    set(Field::kFirst, word_key(m.span.begin));
    set(Field::kLast, word_key(m.span.end - 1));
    set(Field::kBefore, m.span.begin > sentence.begin ? word_key(m.span.begin - 1) : number_key(0));
    set(Field::kAfter, m.span.end < sentence.end ? word_key(m.span.end) : number_key(0));
    set(Field::kLength, number_key(bin(m.span.size())));
    set(Field::kTag, text_key(tokens_.tag(m.head)));
    set(Field::kRelation, text_key(tokens_.relations[m.head]));
    set(Field::kParent, parent == kNoHead ? number_key(0) : word_key(parent));
    set(Field::kParentTag, parent == kNoHead ? number_key(0) : text_key(tokens_.tag(parent)));
    set(Field::kArticle, number_key(static_cast<std::uint64_t>(m.article)));
    set(Field::kGender, number_key(static_cast<std::uint64_t>(m.gender)));
    set(Field::kNumber, number_key(static_cast<std::uint64_t>(m.number)));
    set(Field::kPerson, number_key(m.person));
    set(Field::kAnimate, number_key(m.animate ? 1 : m.inanimate ? 2 : 0));
    set(Field::kEntity, text_key(entity_of(m)));
    set(Field::kFollowed, next_key(m));
    set(Field::kPlace, number_key(bin(m.sentence)));
    set(Field::kSpeaker, number_key(tokens_.speakers[m.span.begin] != kAbsent));
    return keys;
  }

  const Tokens& tokens_;
  const FrequentWords& frequent_;
  MentionSet& set_;
  const Pronoun* pronoun_ = nullptr;  // of the current mention
  std::string head_, first_, buffer_, initials_;
};

}  // namespace

std::string_view stem_of(std::string_view word) {
  if (word.size() > 4 && word.ends_with("ies")) return word.substr(0, word.size() - 3);
  if (word.size() > 4 && word.ends_with("y")) return word.substr(0, word.size() - 1);
  if (word.size() > 4 &&
      (word.ends_with("ches") || word.ends_with("shes") || word.ends_with("sses") || word.ends_with("xes")))
    return word.substr(0, word.size() - 2);
  if (word.size() > 3 && word.ends_with("s") && !word.ends_with("ss") && !word.ends_with("us"))
    return word.substr(0, word.size() - 1);
  return word;
}

std::string_view name_of(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

bool FrequentWords::has(Key word) const { return !limited_ || std::ranges::binary_search(keys_, word); }

std::uint32_t next_demonstrative(const Tokens& tokens, std::uint32_t from) {
  if (from >= tokens.size()) return kNoHead;
  const std::uint32_t sentence = std::min<std::uint32_t>(
      tokens.sentence_of[from] + 1, static_cast<std::uint32_t>(tokens.sentences.size() - 1));
  for (std::uint32_t i = from; i < tokens.sentences[sentence].end; ++i) {
    const std::string_view form = tokens.forms[i];
    for (const std::string_view word : {"this", "that", "it", "This", "That", "It"}) {
      if (form == word && tokens.upos[i] != "DET" && tokens.upos[i] != "SCONJ") return i;
    }
  }
  return kNoHead;
}

void describe_mentions(const Tokens& tokens, const FoundSpans& found, const FrequentWords& frequent,
                       MentionSet& set) {
  set.mentions.clear();
  set.fields.clear();
  set.words.clear();
  Describer describer(tokens, frequent, set);
  for (const Span& span : found.spans) describer.describe(span);
  describer.finish();
  for (std::size_t k = 0; k < set.size(); ++k) {
    const float score = found.scores.empty() ? 0.0f : found.scores[k];
    const float bins = std::clamp(std::floor(score * 2.0f), -6.0f, 12.0f);
    set.fields[k][static_cast<std::size_t>(Field::kScore)] =
        number_key(static_cast<std::uint64_t>(bins + 6.0f));
  }
}

void append_visible_words(const Tokens& tokens, const Span& span, std::vector<Key>& words) {
  std::string buffer;
  const Span sentence = tokens.sentences[tokens.sentence_of[span.begin]];
  const auto add = [&](std::uint32_t i) { words.push_back(hash_text(lower(tokens.forms[i], buffer))); };
  const std::uint32_t head = head_of(tokens, span);
  add(head);
  add(span.begin);
  add(span.end - 1);
  if (span.begin > sentence.begin) add(span.begin - 1);
  if (span.end < sentence.end) add(span.end);
  if (tokens.heads[head] != kNoHead) add(tokens.heads[head]);
  Key text = 1;
  for (std::uint32_t i = span.begin; i < span.end; ++i)
    text = combine(text, hash_text(lower(tokens.forms[i], buffer)));
  words.push_back(text);
}

}  // namespace hinge::coref
