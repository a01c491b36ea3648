#include "hinge/sample/sampler.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "hinge/sample/grammar.h"
#include "hinge/sample/layers.h"
#include "hinge/sample/lexicon.h"

namespace hinge::sampling {
namespace {

bool contains(std::string_view letters, char letter) {
  return letters.find(letter) != std::string_view::npos;
}

// What a verb needs to know of its subject, and a relative pronoun of its noun.
struct Agreement {
  bool is_plural = false;   // also of "I" and "you"
  bool is_speaker = false;  // "I"
  bool is_pronoun = false;
  bool is_human = false;
};

// A clause is planned before its subject is drawn, because the voice decides the
// subject's relation.
struct Plan {
  lexicon::Verb verb;
  char frame = 'i';              // as in lexicon.h, or b: "be" with a predicate
  std::string_view tag = "VBD";  // of the next word of the verb group
  bool has_modal = false, is_perfect = false, is_progressive = false, is_negated = false;
  bool is_passive = false, lacks_be = false;  // lacks_be: passive, with its auxiliary still to come
  bool has_gap = false;                       // its object is elsewhere ...
  int filler = -1;                            // ... at this node; -1: nowhere, as in "the man I saw"
  Agreement subject;
};

std::string inflect_be(std::string_view tag, const Agreement& subject) {
  if (tag == "VBD") return subject.is_plural && !subject.is_speaker ? "were" : "was";
  if (tag == "VBP") return subject.is_speaker ? "am" : "are";
  if (tag == "VBZ") return "is";
  return tag == "VBG" ? "being" : tag == "VBN" ? "been" : "be";
}

// No expression makes two random draws whose order matters: C++ leaves it unspecified.
class Deriver {
 public:
  explicit Deriver(Random& random) : random_(random) {
    derivation_.nodes.reserve(160);
    derivation_.words.reserve(Sampler::kMaxWords);
  }

  Derivation sentence() {
    call("sentence");
    char& first = derivation_.words[derivation_.words.front().form == "\"" ? 1 : 0].form.front();
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
    return std::move(derivation_);
  }

 private:
  // -- Drawing.

  bool flip(int percent) { return random_.below(100) < static_cast<std::uint64_t>(percent); }
  // Long sentences get no optional material, which limits their length.
  bool has_room() const { return derivation_.words.size() < 38; }

  const Alternative& choose(int symbol) {
    const std::vector<Alternative>& all = grammar_.alternatives(symbol);
    const auto weight = [room = has_room()](const Alternative& a) {
      return a.needs_room && !room ? 0 : a.weight;
    };
    int total = 0;
    for (const Alternative& a : all) total += weight(a);
    int left = static_cast<int>(random_.below(static_cast<std::uint64_t>(total)));
    std::size_t chosen = 0;
    while (left >= weight(all[chosen])) left -= weight(all[chosen++]);
    return all[chosen];
  }

  // Zipf-like: ranks are uniform within an octave, the first octave has four ranks,
  // and each further octave is less likely. In integers, because libraries differ in
  // the last bit of pow.
  std::uint64_t draw_rank(const WordClass& words) {
    if (words.octaves == 0) return random_.below(words.words.size());
    const std::uint64_t octave = std::min(random_.below(words.octaves), random_.below(words.octaves));
    const std::uint64_t size = std::uint64_t{4} << octave;
    return size - 4 + random_.below(size);
  }

  static std::string entry_at(const WordClass& words, std::uint64_t rank) {
    if (rank < words.words.size()) return std::string(words.words[rank]);
    std::uint64_t hash = lexicon::scramble(rank);
    std::string entry = lexicon::spell_stem(hash, words.is_name);
    const std::string_view suffix = words.suffixes[hash % words.suffixes.size()];
    return entry += suffix.starts_with('-') ? suffix.substr(1) : suffix;
  }

  lexicon::Verb draw_verb() {
    const WordClass& verbs = grammar_.word_class(grammar_.class_index("verb"));
    const std::uint64_t rank = draw_rank(verbs);
    return lexicon::parse_verb(entry_at(verbs, rank), rank);
  }

  // -- Building.

  int next_node() const { return static_cast<int>(derivation_.nodes.size()); }
  void open(std::string_view label, std::string_view relation) {
    const int governor = std::exchange(next_governor_, -1);
    derivation_.nodes.push_back({label, relation, current_, governor < 0 ? current_ : governor});
    current_ = next_node() - 1;
  }
  void close() { current_ = derivation_.nodes[current_].parent; }
  void set_entity(std::string_view kind) {
    entity_ = kind;
    begins_entity_ = !kind.empty();
  }

  void add(std::string_view tag, std::string_view relation, std::string form, std::string lemma,
           std::uint64_t rank = 0, bool is_human = false) {
    std::vector<Word>& words = derivation_.words;
    if (!words.empty() && words.back().form == "a" && lexicon::is_vowel(form.front()))
      words.back().form = "an";
    if (tag == "POS" && words.back().xpos == "NNS" && words.back().form.ends_with('s')) form = "'";
    if (form == "to") tag = "TO";
    derivation_.nodes.push_back({tag, relation, current_, current_, static_cast<int>(words.size()), true});
    words.push_back(
        {std::move(form), std::move(lemma), relation, tag, entity_, begins_entity_, is_human, rank});
    begins_entity_ = false;
  }

  void add_word(const Step& step, std::string_view relation) {
    if (step.target < 0) return add_entry(step.label, relation, step.word);
    const WordClass& words = grammar_.word_class(step.target);
    const bool prefers = step.is_preferred && flip(70);
    const std::uint64_t rank =
        prefers ? lexicon::scramble(derivation_.words.back().rank) % words.words.size() : draw_rank(words);
    add_entry(step.label, relation, entry_at(words, rank), rank, words.is_human || entity_ == "PER");
  }

  void add_entry(std::string_view tag, std::string_view relation, std::string_view entry,
                 std::uint64_t rank = 0, bool is_human = false) {
    if (entry.starts_with('#')) return add_number(tag, relation, entry.substr(1));
    auto [form, lemma] = lexicon::inflect(entry, tag);
    add(tag, relation, std::move(form), std::move(lemma), rank, is_human);
  }

  void add_number(std::string_view tag, std::string_view relation, std::string_view pattern) {
    std::string number(pattern);
    for (char& digit : number) {
      if (digit == 'D') digit = static_cast<char>('1' + random_.below(9));
      if (digit == 'd') digit = static_cast<char>('0' + random_.below(10));
    }
    add(tag, relation, number, number);
  }

  // -- Expanding rules. A plan is used by the rule that draws it and those it calls.

  void call(std::string_view symbol, std::string_view relation = {}, Plan* plan = nullptr) {
    expand(grammar_.symbol(symbol), relation, plan);
  }

  void expand(int symbol, std::string_view relation, Plan* plan) {
    Plan own;
    for (const Step& step : choose(symbol).steps) {
      if (step.percent < 100 && !(flip(step.percent) && has_room())) continue;
      std::string_view own_relation = step.relation == "*" ? relation : step.relation;
      if (own_relation == "nsubj" && plan != nullptr && plan->is_passive) own_relation = "nsubj:pass";
      if (plan == &own && own.has_gap && own_relation == "obj") own.filler = next_node();
      if (step.kind == Step::Kind::kPlan) {
        own = draw_plan(step.label, relation == "xcomp" ? plan : nullptr);
        plan = &own;
      } else {
        perform(step, own_relation, plan);
      }
    }
  }

  void perform(const Step& step, std::string_view relation, Plan* plan) {
    using Kind = Step::Kind;
    if (step.kind == Kind::kOpen) return open(step.label, relation);
    if (step.kind == Kind::kClose) return close();
    if (step.kind == Kind::kEntity) return set_entity(step.label);
    if (step.kind == Kind::kWord) return add_word(step, relation);
    if (step.kind == Kind::kCall) return expand(step.target, relation, plan);
    perform_built_in(step.label, relation, plan);
  }

  void perform_built_in(std::string_view name, std::string_view relation, Plan* plan) {
    if (name == "extraposed") {  // "a man came who knew her": the clause crosses the verb
      next_governor_ = child(current_, "nsubj");
      return call("relative.full");
    }
    if (name == "wh") return call(described().is_human ? "wh.person" : "wh.thing");
    assert(plan != nullptr);
    if (name == "vp") return verb_phrase(*plan, relation);
    if (name == "predicate") return predicate(*plan);
    assert(name == "subject");
    const bool acts = contains("cfog", plan->frame) && !plan->is_passive;
    call(acts ? "np.agent" : "np.subject", plan->is_passive ? "nsubj:pass" : "nsubj");
  }

  // -- Agreement, read from what has been derived so far.

  int child(int node, std::string_view relation) const {
    for (int i = node + 1; i < next_node(); ++i) {
      const Node& candidate = derivation_.nodes[i];
      const bool fits =
          relation.empty() ? candidate.relation.empty() : candidate.relation.starts_with(relation);
      if (candidate.parent == node && fits) return i;
    }
    return -1;
  }

  Agreement agreement(int phrase) const {
    Agreement found;
    int node = phrase;
    for (; !derivation_.nodes[node].is_leaf; node = child(node, "")) {
      if (child(node, "conj") >= 0) found.is_plural = true;
    }
    const Word& head = derivation_.words[derivation_.nodes[node].word];
    found.is_pronoun = head.xpos == "PRP";
    found.is_speaker = head.lemma == "I";
    found.is_human = head.is_human;
    found.is_plural |= head.xpos == "NNS" || found.is_speaker || head.lemma == "they" || head.lemma == "we" ||
                       head.lemma == "you";
    return found;
  }

  // The noun that the current relative clause describes.
  Agreement described() const {
    int clause = current_;
    while (derivation_.nodes[clause].label != "SBAR") clause = derivation_.nodes[clause].parent;
    return agreement(derivation_.nodes[clause].attach);
  }

  // -- Verbs.

  // kind: any; base, gerund, passive: not finite; gap: the object is elsewhere;
  // bare: no object or clause after the verb.
  Plan draw_plan(std::string_view kind, const Plan* outer) {
    // "the plan that he wants to sell": the gap in an outer clause is passed down.
    const bool passes_gap = kind == "base" && outer != nullptr && outer->has_gap && outer->frame == 'f';
    char frame = passes_gap || kind == "passive" ? 't' : '\0';
    if (kind == "gap") frame = flip(12) ? 'f' : 't';
    if (kind == "bare") frame = flip(70) ? 'i' : 't';
    Plan plan;
    plan.tag = flip(55) ? "VBD" : "VBP";
    plan.has_modal = flip(13);
    plan.is_perfect = flip(10);
    plan.is_negated = flip(6);
    frame == '\0' ? draw_any_frame(plan) : draw_verb_with(frame, plan);
    plan.has_gap = passes_gap || kind == "gap";
    plan.filler = passes_gap ? outer->filler : -1;
    if (kind == "bare") plan.is_passive = plan.lacks_be = frame == 't';
    if (kind == "base") make_nonfinite(plan, "VB");
    if (kind == "gerund") make_nonfinite(plan, "VBG");
    if (kind == "passive") make_nonfinite(plan, "VBN");
    plan.is_passive |= kind == "passive";
    return plan;
  }

  static void make_nonfinite(Plan& plan, std::string_view tag) {
    plan.tag = tag;
    plan.has_modal = plan.is_perfect = plan.is_progressive = plan.is_negated = false;
    if (tag != "VB") plan.is_passive = plan.lacks_be = false;
  }

  void draw_verb_with(char frame, Plan& plan) {
    plan.frame = frame;
    do {
      plan.verb = draw_verb();
    } while (!contains(plan.verb.frames, frame));
  }

  void draw_any_frame(Plan& plan) {
    plan.frame = 'b';
    if (flip(15)) return;
    do {
      plan.verb = draw_verb();
      plan.frame = plan.verb.frames[random_.below(plan.verb.frames.size())];
    } while (!has_room() && contains("cfog", plan.frame));
    plan.is_progressive = plan.frame != 'a' && flip(7);
    plan.is_passive = plan.lacks_be = contains("tdor", plan.frame) && flip(14);
  }

  void predicate(Plan& plan) {
    const int subject = child(current_, "nsubj");
    plan.subject = subject >= 0 ? agreement(subject) : described();
    if (plan.tag == "VBP" && !plan.subject.is_plural) plan.tag = "VBZ";
    if (plan.has_gap || !flip(6) || !has_room()) return verb_phrase(plan, "");
    open("VP", "");
    verb_phrase(plan, "");
    add_entry("CC", "cc", flip(80) ? "and" : "or");
    Plan second = draw_plan("any", nullptr);
    make_nonfinite(second, plan.tag);
    second.subject = plan.subject;
    verb_phrase(second, "conj");
    close();
  }

  // One auxiliary per level; the head is the lexical verb at the bottom.
  void verb_phrase(Plan plan, std::string_view relation) {
    open("VP", relation);
    std::string_view inner = "VB";
    const bool is_finite = plan.tag == "VBD" || plan.tag == "VBP" || plan.tag == "VBZ";
    if (std::exchange(plan.has_modal, false)) {
      call("modal");
    } else if (std::exchange(plan.is_perfect, false)) {
      auxiliary("have", "aux", plan);
      inner = "VBN";
    } else if (std::exchange(plan.is_progressive, false)) {
      auxiliary("be", "aux", plan);
      inner = "VBG";
    } else if (std::exchange(plan.lacks_be, false)) {
      auxiliary("be", "aux:pass", plan);
      inner = "VBN";
    } else if (plan.is_negated && is_finite && plan.frame != 'b') {
      auxiliary("do", "aux", plan);
    } else {
      main_verb(plan);
      return close();
    }
    if (std::exchange(plan.is_negated, false)) negation();
    if (flip(8)) call("adverb");
    plan.tag = inner;
    verb_phrase(std::move(plan), "");
    close();
  }

  void auxiliary(std::string_view lemma, std::string_view relation, const Plan& plan) {
    const auto form_of = [&](std::string_view entry) { return lexicon::inflect(entry, plan.tag).form; };
    std::string form = lemma == "be"     ? inflect_be(plan.tag, plan.subject)
                       : lemma == "have" ? form_of("have/had/had:t")
                                         : form_of("do/did/done:t");
    const bool can_contract = plan.subject.is_pronoun && derivation_.words.back().xpos == "PRP";
    if (can_contract && (form == "is" || form == "has") && flip(35)) form = "'s";
    add(plan.tag, relation, std::move(form), std::string(lemma));
  }

  void negation() {
    const Word& before = derivation_.words.back();
    const bool contracts = before.form != "am" && before.form != "'s" && before.xpos != "MD" && flip(40);
    add("RB", "advmod", contracts ? "n't" : "not", "not");
  }

  void main_verb(const Plan& plan) {
    if (plan.frame == 'b') {
      auxiliary("be", "cop", plan);
      if (plan.is_negated) negation();
      if (flip(8)) call("adverb");
    } else {
      add(plan.tag, "", lexicon::inflect_verb(plan.verb, plan.tag), plan.verb.base, plan.verb.rank);
    }
    if (plan.frame == 't' && plan.has_gap) {
      if (plan.filler >= 0) derivation_.nodes[plan.filler].attach = current_;
    } else {
      expand_frame(plan);
    }
    if (plan.frame != 'b') call("adjuncts");
  }

  void expand_frame(Plan plan) {
    std::string name = "frame.";
    name += plan.is_passive ? static_cast<char>(plan.frame - 'a' + 'A') : plan.frame;
    call(name, "", &plan);
  }

  const Grammar& grammar_ = grammar();
  Random& random_;
  Derivation derivation_;
  int current_ = -1;        // the phrase being filled
  int next_governor_ = -1;  // of the next phrase, if not its parent
  std::string_view entity_;
  bool begins_entity_ = false;
};

}  // namespace
}  // namespace hinge::sampling

namespace hinge {

SampleSentence Sampler::next() {
  sampling::Derivation derivation;
  do derivation = sampling::Deriver(random_).sentence();
  while (derivation.words.size() > kMaxWords);
  return sampling::write_layers(std::move(derivation));
}

}  // namespace hinge
