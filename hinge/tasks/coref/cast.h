// Who and what a made-up document is about; for sample.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/corpus/brackets.h"
#include "hinge/corpus/documents.h"
#include "hinge/sample/sampler.h"

namespace hinge::coref {

// Gives noun phrases and pronouns of one sentence after the other their referents, and changes words
// to fit: a name into that of another of the cast, "he" into "she".
class Cast {
 public:
  explicit Cast(Random& random) : random_(random) {}

  // Two who talk to each other; returns their names, "Mary_Smith".
  std::vector<std::string> add_speakers();

  // tree: of the sentence. speaker: 0 or 1, if there are speakers.
  void play(SampleSentence& sentence, const BracketTree& tree, std::size_t speaker);

  // Of all sentences so far; clusters of one are left out, the others are numbered by first mention.
  std::vector<Mention> mentions() const;

 private:
  enum class Kind { kWoman, kMan, kOrganization, kPlace, kThing, kThings, kSelf };

  struct Member {
    Kind kind;
    std::vector<std::string> names;  // first and last name; the words of an organization or place; a noun
    std::int64_t last = -1;          // its last mention, as an index into mentions_
  };

  // A phrase of the sentence that may be a mention.
  struct Candidate {
    std::uint32_t begin, end;      // words of the sentence
    std::uint32_t name, name_end;  // words of the name in it; equal if there is none
    std::uint32_t head;
  };

  static bool find_name(const SampleSentence& sentence, Candidate& phrase);
  std::vector<Candidate> find_candidates(const SampleSentence& sentence, const BracketTree& tree) const;
  std::size_t refer(SampleSentence& sentence, const Candidate& phrase, std::size_t speaker);
  std::size_t refer_to_person(SampleSentence& sentence, const Candidate& phrase);
  std::size_t refer_to_name(SampleSentence& sentence, const Candidate& phrase, Kind kind);
  std::size_t refer_to_noun(SampleSentence& sentence, const Candidate& phrase);
  std::size_t refer_by_pronoun(SampleSentence& sentence, const Candidate& phrase, std::size_t speaker);
  std::size_t find_self(std::string_view pronoun, std::size_t speaker);
  std::size_t last_mentioned(const SampleSentence& sentence, const Candidate& phrase,
                             std::initializer_list<Kind> kinds) const;
  std::size_t draw_recent(Kind kind, Kind other, std::size_t words);
  std::size_t add_member(Kind kind, std::vector<std::string> names);
  std::size_t add_person();
  bool flip(double probability) { return random_.uniform() < probability; }

  Random& random_;
  std::vector<Member> members_;
  std::vector<std::size_t> speakers_;  // members
  std::vector<Mention> mentions_;      // cluster: the member
  std::size_t in_sentence_ = 0;        // the first of mentions_ in this sentence
  std::uint32_t tokens_ = 0;           // of the sentences before
};

}  // namespace hinge::coref
