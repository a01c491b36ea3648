// What single English words tell about who or what they mean: pronouns, and small
// lists of nouns, names and titles. Words of other languages are simply unknown.
#pragma once

#include <cstdint>
#include <string_view>

namespace hinge::coref {

enum class Gender : std::uint8_t { kUnknown, kMale, kFemale, kNeuter };
enum class Number : std::uint8_t { kUnknown, kSingular, kPlural };

// `canonical` is shared by all cases of a pronoun: "he" for he, him, his, himself.
struct Pronoun {
  std::string_view canonical;
  Gender gender;
  Number number;
  std::uint8_t person;  // 1 to 3
  bool animate;
};

// Null if the word is none. Words are in lower case.
const Pronoun* find_pronoun(std::string_view word);

struct NounFacts {
  Gender gender = Gender::kUnknown;
  bool animate = false;  // known to mean people
};
// Nouns such as "woman" or "doctor", and titles such as "mrs.".
NounFacts noun_facts(std::string_view word);
// First names.
Gender name_gender(std::string_view word);

enum class Article : std::uint8_t { kNone, kDefinite, kIndefinite, kDemonstrative, kPossessive, kQuantifier };
Article article_of(std::string_view word);

// Nouns that mean a group of people, to which "they" and "it" may refer.
bool is_group(std::string_view word);

}  // namespace hinge::coref
