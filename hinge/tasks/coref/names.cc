#include "hinge/tasks/coref/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "hinge/tasks/coref/path.h"
#include "hinge/tasks/coref/scorer.h"

namespace hinge::coref {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kKinds[] = {"pronoun", "nominal", "proper", "event"};
constexpr std::string_view kArticles[] = {"none",          "definite",   "indefinite",
                                          "demonstrative", "possessive", "quantifier"};
constexpr std::string_view kGenders[] = {"unknown", "male", "female", "neuter"};
constexpr std::string_view kNumbers[] = {"unknown", "singular", "plural"};
constexpr std::string_view kAnimates[] = {"unknown", "yes", "no"};
constexpr std::string_view kNoYes[] = {"no", "yes"};

std::string name_in(Names names, std::size_t value) {
  return value < names.size() ? std::string(names[value]) : std::to_string(value);
}

// 0 to 4, then 5-7, 8-15, 16-31, ...
std::string bin_text(std::size_t bin) {
  if (bin < 5) return std::to_string(bin);
  return fmt::format("{}-{}", bin == 5 ? 5 : std::uint64_t{1} << (bin - 3),
                     (std::uint64_t{1} << (bin - 2)) - 1);
}

// The text of number_key(value).
std::string number_text(Field field, std::size_t value) {
  switch (field) {
    case Field::kKind:
    case Field::kType:
    case Field::kForm:
      return name_in(kKinds, value);
    case Field::kArticle:
      return name_in(kArticles, value);
    case Field::kGender:
      return name_in(kGenders, value);
    case Field::kNumber:
      return name_in(kNumbers, value);
    case Field::kAnimate:
      return name_in(kAnimates, value);
    case Field::kLaterHead:
    case Field::kSpeaker:
      return name_in(kNoYes, value);
    case Field::kPerson:
    case Field::kDepth:
      return std::to_string(value);
    case Field::kScore:
      return fmt::format("{}", (static_cast<double>(value) - 6.0) / 2.0);  // see mentions.cc
    case Field::kLength:
    case Field::kSeenHead:
    case Field::kSeenText:
    case Field::kPlace:
    case Field::kOrder:
      return bin_text(value);
    case Field::kString:
      return "<rare>";
    default:
      return "<none>";
  }
}

// The values of pairs as scorer.cc numbers them.
constexpr std::uint8_t kWithPronoun = 7;
constexpr std::string_view kMatch[] = {"other", "same"};
constexpr std::string_view kStrings[] = {"other", "bare", "same"};
constexpr std::string_view kInsides[] = {"none", "m", "a", "both"};
constexpr std::string_view kOverlaps[] = {"none", "some", "m", "a", "equal", "empty", "-"};
constexpr std::string_view kNestings[] = {"no", "m", "a"};
constexpr std::string_view kAgreements[] = {"yes", "unknown", "no"};
constexpr std::string_view kSame[] = {"same", "other"};
constexpr std::string_view kParents[] = {"other", "same", "a", "m"};
constexpr std::uint8_t kLastBin = 14;

std::string path_text(const DocumentView& data, std::size_t m, const Candidate& candidate,
                      const ValueTexts& texts) {
  const MentionFacts& of_m = data.set.mentions[m];
  const MentionFacts& of_a = data.set.mentions[candidate.mention];
  if (of_m.sentence != of_a.sentence) return "<none>";
  std::string path;
  const bool met = walk_path(
      data, of_m.head, of_a.head,
      [&](std::uint32_t word) { path += fmt::format("{}>", texts.relation(data.relations[word])); },
      [&](std::uint32_t word) { path += fmt::format("<{}", texts.relation(data.relations[word])); });
  return met ? path : "<long>";
}

std::string pair_text(PairField field, std::uint8_t value) {
  switch (field) {
    case PairField::kDistance:
    case PairField::kSentences:
    case PairField::kNearer:
      return value == kLastBin ? "2048-" : bin_text(value);
    case PairField::kString:
      return name_in(kStrings, value);
    case PairField::kHead:
      return name_in(kMatch, value);
    case PairField::kInside:
      return value == kWithPronoun ? "pronoun" : name_in(kInsides, value);
    case PairField::kWords:
    case PairField::kModifiers:
      return value == kWithPronoun ? "pronoun" : name_in(kOverlaps, value);
    case PairField::kAcronym:
      return value == kWithPronoun ? "pronoun" : name_in(kNoYes, value);
    case PairField::kNested:
      return name_in(kNestings, value);
    case PairField::kPerson:
      return name_in(kSame, value);
    case PairField::kParent:
      return name_in(kParents, value);
    default:
      return name_in(kAgreements, value);
  }
}

const Template& template_of(const TemplateSet& templates, std::size_t kind) {
  const std::size_t pairs = kForms * templates.pairs.size();
  return kind < pairs ? templates.pairs[kind / kForms] : templates.starts[kind - pairs];
}

// How many types follow the atoms.
std::size_t form_of(const TemplateSet& templates, std::size_t kind) {
  return kind < kForms * templates.pairs.size() ? kind % kForms : 0;
}

std::size_t pair_atoms(const Template& of) {
  return static_cast<std::size_t>(
      std::ranges::count_if(of.of_pair, [](std::uint8_t field) { return field < kPairFields; }));
}

// record(key, text) for all texts that fields of a mention may hold.
template <typename Record>
void each_text(const Tokens& tokens, const MentionFacts& m, const Record& record) {
  std::string buffer, words;
  const auto record_word = [&](std::uint32_t i) {
    if (i >= tokens.size()) return;
    const std::string_view word = lower(tokens.forms[i], buffer);
    record(hash_text(word), word);
    record(rare_key(tokens.tag(i)), fmt::format("<{}>", tokens.tag(i)));
    record(hash_text(tokens.tag(i)), tokens.tag(i));
    record(hash_text(stem_of(word)), stem_of(word));
  };
  // The word before the first is beyond the last, as numbers have no sign.
  for (const std::uint32_t i :
       {m.head, m.span.begin, m.span.end - 1, m.span.begin - 1, m.span.end, tokens.heads[m.head]})
    record_word(i);
  for (std::uint32_t i = m.span.begin; i < m.span.end; ++i) {
    if (i > m.span.begin) words += ' ';
    words += lower(tokens.forms[i], buffer);
  }
  // The text of a pronoun is its nominative.
  const Pronoun* pronoun = m.kind == Kind::kPronoun ? find_pronoun(words) : nullptr;
  record(m.text, pronoun != nullptr ? pronoun->canonical : std::string_view(words));
  record(hash_text(tokens.relations[m.head]), tokens.relations[m.head]);
  for (const std::string_view type : tokens.entity_types) record(hash_text(type), type);
  const std::uint32_t next = next_demonstrative(tokens, m.span.end);
  if (next == kNoHead) return;
  const std::string_view word = lower(tokens.forms[next], buffer);
  for (std::uint32_t sentences = 0; sentences <= 2; ++sentences)
    record(followed_key(word, sentences), fmt::format("{}+{}", word, sentences));
}

}  // namespace

void ValueTexts::record(Key key, std::string_view text) {
  if (numbers_.add(key, static_cast<std::uint32_t>(texts_.size())).second) texts_.emplace_back(text);
}

std::string_view ValueTexts::recorded(Key key) const {
  const std::uint32_t number = numbers_.find(key);
  return number == NumberMap::kNone ? std::string_view("?") : texts_[number];
}

// Only those that some field holds: of most words only the tag is seen.
void ValueTexts::add(const Tokens& tokens, const MentionView& set) {
  for (const std::string_view relation : tokens.relations) {
    const std::string_view universal = relation.substr(0, relation.find(':'));
    record(hash_text(universal), universal);
  }
  for (std::size_t k = 0; k < set.size(); ++k) {
    const FieldKeys& fields = set.fields[k];
    each_text(tokens, set.mentions[k], [&](Key key, std::string_view text) {
      if (std::ranges::find(fields, key) != fields.end()) record(key, text);
    });
  }
}

std::string ValueTexts::text(Field field, Key value) const {
  constexpr std::size_t kMost = 64;
  static const auto kNumberKeys = [] {
    std::array<Key, kMost> keys{};
    for (std::size_t k = 0; k < kMost; ++k) keys[k] = number_key(k);
    return keys;
  }();
  const auto* const number = std::ranges::find(kNumberKeys, value);
  if (number != kNumberKeys.end())
    return number_text(field, static_cast<std::size_t>(number - kNumberKeys.begin()));
  return std::string(recorded(value));
}

std::size_t start_kind(const TemplateSet& templates, std::size_t t) {
  return kForms * templates.pairs.size() + t;
}

std::vector<std::size_t> value_counts(const TemplateSet& templates) {
  std::vector<std::size_t> counts(start_kind(templates, templates.starts.size()));
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const Template& of = template_of(templates, kind);
    counts[kind] = of.of_mention.size() + of.of_antecedent.size() + pair_atoms(of) + form_of(templates, kind);
  }
  return counts;
}

void find_values(const TemplateSet& templates, std::size_t kind, const DocumentView& data, std::size_t m,
                 const Candidate* candidate, const ValueTexts& texts, std::vector<std::string>& values) {
  values.clear();
  const Template& of = template_of(templates, kind);
  const auto put = [&](std::size_t mention, Field field) {
    values.push_back(texts.text(field, data.set.fields[mention][static_cast<std::size_t>(field)]));
  };
  for (const Field field : of.of_mention) put(m, field);
  if (candidate == nullptr) return;
  for (const Field field : of.of_antecedent) put(candidate->mention, field);
  std::array<std::uint8_t, kPairFields> numbers;
  pair_values(data, m, *candidate, numbers);
  for (std::size_t k = 0; k < pair_atoms(of); ++k) {
    const auto field = static_cast<PairField>(of.of_pair[k]);
    values.push_back(field == PairField::kPath ? path_text(data, m, *candidate, texts)
                                               : pair_text(field, numbers[of.of_pair[k]]));
  }
  const std::size_t form = form_of(templates, kind);
  if (form > 0) put(m, Field::kType);
  if (form > 1) put(candidate->mention, Field::kType);
}

std::string feature_text(const TemplateSet& templates, std::size_t kind,
                         const std::vector<std::string>& values) {
  const Template& of = template_of(templates, kind);
  std::string text = of.source.substr(0, of.source.find_first_of(" \t"));
  std::size_t next = 0;
  const auto put = [&](std::string_view side, std::string_view name) {
    text += fmt::format(" {}{}={}", side, name, values.at(next++));
  };
  for (const Field field : of.of_mention) put("m.", name_of(field));
  for (const Field field : of.of_antecedent) put("a.", name_of(field));
  for (std::size_t k = 0; k < pair_atoms(of); ++k) put("", name_of(static_cast<PairField>(of.of_pair[k])));
  const std::size_t form = form_of(templates, kind);
  if (form > 0) put("m.", name_of(Field::kType));
  if (form > 1) put("a.", name_of(Field::kType));
  return text;
}

}  // namespace hinge::coref
