// The templates of features, over values of any kind: keys to look weights up, or texts for
// people. Both see the same list, so a name cannot drift from its feature.
#pragma once

#include <fmt/core.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/features/text.h"
#include "hinge/tasks/constituents/features.h"

namespace hinge::constituents {

// The classes of lengths that behave alike.
inline constexpr std::size_t length_class(std::size_t length) {
  if (length <= 5) return length;
  return length <= 7 ? 6 : length <= 10 ? 7 : length <= 15 ? 8 : length <= 20 ? 9 : length <= 30 ? 10 : 11;
}

struct KeyValues {
  using Value = Key;

  static Key text(std::string_view text) { return hash_text(text); }
  static Key form_key(Key form) { return form; }
  static Key mark(Key number) { return number; }
  static Key constant(Key number) { return number; }
  static Key tag(const Plan& plan, const SentenceText& text, std::size_t word) {
    return combine(text.tags.empty() ? 0 : plan.symbol_keys[text.tags[word]], 0x7461);
  }
  static Key no_cluster(Key tag) { return tag; }
  static Key look(std::string_view shape, std::string_view ending) {
    return combine(hash_text(shape), hash_text(ending));
  }
  static Key length(std::size_t length) { return length_class(length); }
  static Key bound(std::size_t length) { return length <= 3 ? length : 0; }
  static Key sure(std::uint8_t said) { return said % 8; }
  static Key grade(std::uint8_t said) { return said / 8; }
  static Key both(std::uint8_t said) { return said; }
  static Key run() { return 7; }
  static void append(Key& run, Key tag) { run = combine(run, tag); }
};

struct TextValues {
  using Value = std::string;

  static std::string text(std::string_view text) { return std::string(text); }
  static Key form_key(std::string_view form) { return hash_text(form); }
  static std::string mark(Key number) { return number <= 3 ? "<start>" : "<end>"; }
  static std::string constant(Key) { return ""; }
  static std::string tag(const Plan& plan, const SentenceText& text, std::size_t word) {
    return text.tags.empty() ? "" : plan.grammars.coarse.name(text.tags[word]);
  }
  static std::string no_cluster(const std::string& tag) { return fmt::format("tag:{}", tag); }
  static std::string look(std::string_view shape, std::string_view ending) {
    return fmt::format("{}/{}", shape, ending);
  }
  static std::string length(std::size_t length) {
    constexpr std::array<std::string_view, 6> kMore{"6-7", "8-10", "11-15", "16-20", "21-30", "31+"};
    const std::size_t number = length_class(length);
    return number <= 5 ? std::to_string(number) : std::string(kMore[number - 6]);
  }
  static std::string bound(std::size_t length) {
    if (length > 3) return "(4+ words)";
    return length == 1 ? "(1 word)" : fmt::format("({} words)", length);
  }
  static std::string sure(std::uint8_t said) {
    constexpr std::array<std::string_view, 5> kRanges{"0-0.01", "0.01-0.1", "0.1-0.5", "0.5-0.9", "0.9-1"};
    return std::string(kRanges[said % 8]);
  }
  static std::string grade(std::uint8_t said) { return std::to_string(said / 8); }
  static std::string both(std::uint8_t said) { return fmt::format("{} {}", sure(said), grade(said)); }
  static std::string run() { return ""; }
  static void append(std::string& run, const std::string& tag) {
    if (!run.empty()) run += ' ';
    run += tag;
  }
};

// Two marks on either side of the words.
template <typename V>
void make_atoms(const Plan& plan, const SentenceText& text, std::string& buffer,
                std::vector<Atoms<typename V::Value>>& out) {
  const std::size_t n = text.words.size();
  out.resize(n + 4);
  const auto all = [](const auto& value) { return Atoms<typename V::Value>{value, value, value, value, value}; };
  for (const std::size_t p : {std::size_t{0}, std::size_t{1}}) out[p] = all(V::mark(2 + p));
  for (const std::size_t p : {n + 2, n + 3}) out[p] = all(V::mark(6));
  for (std::size_t i = 0; i < n; ++i) {
    auto& atoms = out[i + 2];
    const std::string_view word = text.words[i];
    atoms.form = V::text(word);
    atoms.tag = V::tag(plan, text, i);
    text_shape(word, buffer);
    atoms.look = V::look(buffer, text_suffix(word, 2));
    atoms.cluster = atoms.fine_cluster = V::no_cluster(atoms.tag);
    if (plan.clusters.empty()) continue;
    const std::string_view path = plan.clusters.path_of(V::form_key(atoms.form));
    if (path.empty()) continue;
    atoms.cluster = V::text(path.substr(0, 6));
    atoms.fine_cluster = V::text(path);
  }
}

// In all of these, `atoms` are those of a sentence, where word i is at i + 2, and
// list.add(name, values...) adds a feature.
template <typename V, typename List>
void word_templates(const Atoms<typename V::Value>* atoms, std::size_t word, std::string_view text,
                    List& list) {
  const auto *a = atoms + word + 2, *before = a - 1, *after = a + 1;
  constexpr std::array kLast{"last letter", "last 2 letters", "last 3 letters", "last 4 letters"};
  constexpr std::array kFirst{"first letter", "first 2 letters", "first 3 letters"};
  list.add("bias", V::constant(1));
  list.add("word", a->form);
  list.add("word before", before->form);
  list.add("word after", after->form);
  list.add("word and the one before", before->form, a->form);
  list.add("word and the one after", a->form, after->form);
  for (std::size_t n = 1; n <= 4; ++n) list.add(kLast[n - 1], V::text(text_suffix(text, n)));
  for (std::size_t n = 1; n <= 3; ++n) list.add(kFirst[n - 1], V::text(text_prefix(text, n)));
  list.add("look", a->look);
  list.add("cluster prefix", a->cluster);
  list.add("cluster", a->fine_cluster);
  list.add("guessed tag", a->tag);
  list.add("tags before and here", before->tag, a->tag);
  list.add("tags here and after", a->tag, after->tag);
  list.add("tags around", before->tag, after->tag);
  list.add("clusters around", before->fine_cluster, after->fine_cluster);
}

// Taskar et al. 2004, section 6. `said`: by the auxiliary classifiers, or null.
template <typename V, typename List>
void lexical_templates(const Atoms<typename V::Value>* atoms, std::size_t begin, std::size_t end,
                       const std::uint8_t* said, List& list) {
  const auto *first = atoms + begin + 2, *last = atoms + end + 1, *before = first - 1, *after = last + 1;
  const auto bound = V::bound(end - begin);
  list.add("first word", first->form, bound);
  list.add("word before", before->form, bound);
  list.add("last word", last->form, bound);
  list.add("word after", after->form, bound);
  list.add("words at the beginning", before->form, first->form, bound);
  list.add("words at the end", last->form, after->form, bound);
  if (end - begin == 3) list.add("middle word", (first + 1)->form, bound);
  if (said == nullptr) return;
  // The number of a feature is part of its key, and the middle word shifts those that follow.
  list.add(end - begin == 3 ? "probability of a phrase of 3 words" : "probability of a phrase",
           V::constant(0x6131), V::sure(*said));
  list.add("grade as a phrase", V::constant(0x6132), V::grade(*said), bound);
  list.add("probability and grade as a phrase", V::constant(0x6133), V::both(*said), bound);
}

template <typename V, typename List>
void span_templates(const Atoms<typename V::Value>* atoms, std::size_t begin, std::size_t end, List& list) {
  const auto *first = atoms + begin + 2, *last = atoms + end + 1, *before = first - 1, *after = last + 1;
  const auto length = V::length(end - begin);
  list.add("bias", V::constant(1));
  list.add("length", length);
  list.add("first word", first->form);
  list.add("last word", last->form);
  list.add("word before", before->form);
  list.add("word after", after->form);
  list.add("first word, length", first->form, length);
  list.add("last word, length", last->form, length);
  list.add("words at the beginning", before->form, first->form);
  list.add("words at the end", last->form, after->form);
  list.add("first and last word", first->form, last->form);
  list.add("words around", before->form, after->form);
  list.add("first and last tag, length", first->tag, last->tag, length);
  list.add("tags around, length", before->tag, after->tag, length);
  list.add("tags at the beginning", before->tag, first->tag);
  list.add("tags at the end", last->tag, after->tag);
  list.add("tags at both ends", before->tag, first->tag, last->tag, after->tag);
  list.add("first word, last tag", first->form, last->tag);
  list.add("first tag, last word", first->tag, last->form);
  list.add("word before, first tag", before->form, first->tag);
  list.add("last tag, word after", last->tag, after->form);
  list.add("three tags at the beginning", (before - 1)->tag, before->tag, first->tag);
  list.add("three tags at the end", last->tag, after->tag, (after + 1)->tag);
  list.add("tags of the beginning and the last", before->tag, first->tag, (first + 1)->tag, last->tag);
  list.add("tags of the end and the first", first->tag, (last - 1)->tag, last->tag, after->tag);
  list.add("cluster prefixes of first and last", first->cluster, last->cluster);
  list.add("cluster prefixes around", before->cluster, after->cluster);
  list.add("first cluster, length", first->fine_cluster, length);
  list.add("last cluster, length", last->fine_cluster, length);
  // The tags of a short span, or the run of a long one without repeats.
  auto run = V::run();
  for (std::size_t i = begin; i < end; ++i) {
    if (end - begin > 6 && i > begin && atoms[i + 2].tag == atoms[i + 1].tag) continue;
    V::append(run, atoms[i + 2].tag);
  }
  list.add(end - begin > 6 ? "all tags without repeats" : "all tags", run);
}

template <typename V, typename List>
void rule_templates(const Atoms<typename V::Value>* atoms, std::size_t begin, std::size_t end, List& list) {
  const auto *first = atoms + begin + 2, *last = atoms + end + 1, *before = first - 1, *after = last + 1;
  list.add("length", V::length(end - begin));
  list.add("first word", first->form);
  list.add("last word", last->form);
  list.add("tag before", before->tag);
  list.add("tag after", after->tag);
  list.add("first and last tag", first->tag, last->tag);
  list.add("word before", before->form);
  list.add("word after", after->form);
}

// With the rule.
template <typename V, typename List>
void split_templates(const Atoms<typename V::Value>* atoms, std::size_t begin, std::size_t split,
                     std::size_t end, List& list) {
  const auto *left = atoms + split + 1, *right = left + 1;
  list.add("word before the split", left->form);
  list.add("word after the split", right->form);
  list.add("tags at the split", left->tag, right->tag);
  list.add("lengths of the parts", V::length(split - begin), V::length(end - split));
  list.add("first tag and tag after the split", atoms[begin + 2].tag, right->tag);
  list.add("clusters at the split", left->fine_cluster, right->fine_cluster);
}

// With the phrase.
template <typename V, typename List>
void split_parent_templates(const Atoms<typename V::Value>* atoms, std::size_t begin, std::size_t split,
                            std::size_t end, List& list) {
  const auto *left = atoms + split + 1, *right = left + 1, *first = atoms + begin + 2;
  list.add("words at the split", left->form, right->form);
  list.add("tags at the ends and the split", first->tag, left->tag, right->tag, atoms[end + 1].tag);
  list.add("first word and word after the split", first->form, right->form);
}

}  // namespace hinge::constituents
