#include "hinge/tasks/coref/cast.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace hinge::coref {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

constexpr std::string_view kWomen[] = {"Mary",  "Susan", "Anna",  "Carol",  "Helen", "Judith",
                                       "Linda", "Ellen", "Laura", "Martha", "Karen", "Alice"};
constexpr std::string_view kMen[] = {"John",  "Robert", "James",  "David", "Paul",   "George",
                                     "Peter", "Kevin",  "Thomas", "Henry", "Philip", "Walter"};
constexpr std::string_view kSurnames[] = {"Smith",  "Miller", "Baker",  "Hunt",  "Carter", "Harlow", "Brandt",
                                          "Mercer", "Fisher", "Keller", "Novak", "Ortega", "Quinn",  "Taylor",
                                          "Vance",  "Wells",  "Berg",   "Ellis", "Foster", "Hayes"};

// A pronoun of the third person, for women and for men.
struct Pronoun {
  std::string_view woman, man;
};
constexpr std::array<Pronoun, 3> kPronouns = {{{"she", "he"}, {"her", "him"}, {"her", "his"}}};

std::string lower(std::string_view word) {
  std::string result(word);
  if (!result.empty() && result[0] >= 'A' && result[0] <= 'Z')
    result[0] = static_cast<char>(result[0] - 'A' + 'a');
  return result;
}

// With a capital if the word it replaces has one.
void replace(SampleToken& token, std::string_view form) {
  const bool capital = token.form[0] >= 'A' && token.form[0] <= 'Z';
  token.form = form;
  if (capital && form[0] >= 'a' && form[0] <= 'z') token.form[0] = static_cast<char>(form[0] - 'a' + 'A');
}

bool is_among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The word of [begin, end) that is governed from outside.
std::uint32_t head_of(const SampleSentence& sentence, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t word = begin; word < end; ++word) {
    const int head = sentence.tokens[word].head - 1;
    if (head < static_cast<int>(begin) || head >= static_cast<int>(end)) return word;
  }
  return begin;
}

}  // namespace

std::size_t Cast::add_member(Kind kind, std::vector<std::string> names) {
  members_.push_back({kind, std::move(names)});
  return members_.size() - 1;
}

// Nobody has the surname of another.
std::size_t Cast::add_person() {
  const bool woman = flip(0.5);
  const std::string_view first =
      woman ? kWomen[random_.below(std::size(kWomen))] : kMen[random_.below(std::size(kMen))];
  std::vector<std::string_view> free;
  for (const std::string_view name : kSurnames) {
    const bool taken = std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
      return (member.kind == Kind::kWoman || member.kind == Kind::kMan) && member.names[1] == name;
    });
    if (!taken) free.push_back(name);
  }
  if (free.empty()) return kNobody;
  const std::string_view surname = free[random_.below(free.size())];
  return add_member(woman ? Kind::kWoman : Kind::kMan, {std::string(first), std::string(surname)});
}

std::vector<std::string> Cast::add_speakers() {
  std::vector<std::string> names;
  for (int k = 0; k < 2; ++k) {
    speakers_.push_back(add_person());
    const Member& member = members_[speakers_.back()];
    names.push_back(member.names[0] + "_" + member.names[1]);
  }
  return names;
}

// The name that has the head of the phrase. False if it is not within the phrase, as in "University of
// Texas", which is no base phrase.
bool Cast::find_name(const SampleSentence& sentence, Candidate& phrase) {
  const auto continues = [&](std::uint32_t word) {
    return word < sentence.tokens.size() && sentence.tokens[word].entity.starts_with("I-");
  };
  phrase.name = phrase.head;
  while (phrase.name > phrase.begin && continues(phrase.name)) --phrase.name;
  phrase.name_end = phrase.head + 1;
  while (phrase.name_end < phrase.end && continues(phrase.name_end)) ++phrase.name_end;
  return !continues(phrase.name) && !continues(phrase.name_end);
}

// Base noun phrases of common nouns, phrases that are names, and pronouns, by begin.
std::vector<Cast::Candidate> Cast::find_candidates(const SampleSentence& sentence,
                                                   const BracketTree& tree) const {
  std::vector<Candidate> found;
  for (std::uint32_t k = 0; k < tree.nodes.size(); ++k) {
    const BracketNode& node = tree.nodes[k];
    if (node.word) {
      if (sentence.tokens[node.begin].xpos == "PRP$")
        found.push_back({node.begin, node.end, node.end, node.end, node.begin});
      continue;
    }
    const bool base = node.next - k - 1 == node.end - node.begin;  // only words below it
    if (node.label != "NP" || !base) continue;
    const std::uint32_t head = head_of(sentence, node.begin, node.end);
    Candidate candidate{node.begin, node.end, node.end, node.end, head};
    if (sentence.tokens[head].entity != "O" && !find_name(sentence, candidate)) continue;
    found.push_back(candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.begin < b.begin; });
  return found;
}

void Cast::play(SampleSentence& sentence, const BracketTree& tree, std::size_t speaker) {
  in_sentence_ = mentions_.size();
  for (const Candidate& phrase : find_candidates(sentence, tree)) {
    const std::size_t member = refer(sentence, phrase, speaker);
    if (member == kNobody) continue;
    members_[member].last = static_cast<std::int64_t>(mentions_.size());
    mentions_.push_back({tokens_ + phrase.begin, tokens_ + phrase.end, static_cast<std::uint32_t>(member),
                         tokens_ + phrase.head});
  }
  tokens_ += static_cast<std::uint32_t>(sentence.tokens.size());
}

std::size_t Cast::refer(SampleSentence& sentence, const Candidate& phrase, std::size_t speaker) {
  const SampleToken& head = sentence.tokens[phrase.head];
  if (head.xpos.starts_with("PRP")) return refer_by_pronoun(sentence, phrase, speaker);
  if (phrase.name == phrase.name_end) return refer_to_noun(sentence, phrase);
  const std::string_view type = std::string_view(head.entity).substr(2);
  if (type == "PER") return refer_to_person(sentence, phrase);
  if (type == "ORG") return refer_to_name(sentence, phrase, Kind::kOrganization);
  return type == "LOC" ? refer_to_name(sentence, phrase, Kind::kPlace) : kNobody;
}

// One of the members of these kinds with so many names, those mentioned last more often; kNobody if
// there is none.
std::size_t Cast::draw_recent(Kind kind, Kind other, std::size_t words) {
  std::vector<std::size_t> fitting;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Member& member = members_[k];
    if ((member.kind == kind || member.kind == other) && member.names.size() == words) fitting.push_back(k);
  }
  std::stable_sort(fitting.begin(), fitting.end(),
                   [&](std::size_t a, std::size_t b) { return members_[a].last > members_[b].last; });
  for (const std::size_t k : fitting) {
    if (flip(0.5)) return k;
  }
  return fitting.empty() ? kNobody : fitting.front();
}

std::size_t Cast::refer_to_person(SampleSentence& sentence, const Candidate& phrase) {
  std::size_t who = flip(0.35) ? add_person() : kNobody;
  if (who == kNobody) who = draw_recent(Kind::kWoman, Kind::kMan, 2);
  if (who == kNobody) who = add_person();
  const Member& member = members_[who];
  SampleToken& surname = sentence.tokens[phrase.name_end - 1];
  surname.form = surname.lemma = member.names[1];
  if (phrase.name_end - phrase.name > 1) {
    SampleToken& first = sentence.tokens[phrase.name];
    first.form = first.lemma = member.names[0];
  }
  if (phrase.name > phrase.begin) {
    SampleToken& title = sentence.tokens[phrase.name - 1];
    if (is_among(title.form, {"Mr.", "Ms.", "Mrs."}))
      title.form = title.lemma = member.kind == Kind::kWoman ? "Ms." : "Mr.";
  }
  return who;
}

std::size_t Cast::refer_to_name(SampleSentence& sentence, const Candidate& phrase, Kind kind) {
  const std::size_t words = phrase.name_end - phrase.name;
  const std::size_t known = flip(0.6) ? draw_recent(kind, kind, words) : kNobody;
  std::vector<std::string> names;
  for (std::uint32_t word = phrase.name; word < phrase.name_end; ++word) {
    SampleToken& token = sentence.tokens[word];
    if (known != kNobody) token.form = token.lemma = members_[known].names[word - phrase.name];
    names.push_back(token.form);
  }
  if (known != kNobody) return known;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (members_[k].kind == kind && members_[k].names == names) return k;
  }
  return add_member(kind, std::move(names));
}

// "a plan" is new, "the plan" often is not.
std::size_t Cast::refer_to_noun(SampleSentence& sentence, const Candidate& phrase) {
  SampleToken& noun = sentence.tokens[phrase.head];
  for (std::uint32_t word = phrase.begin; word < phrase.end; ++word) {
    if (sentence.tokens[word].xpos == "CC") return kNobody;  // "the plan and report"
  }
  const std::string determiner = lower(sentence.tokens[phrase.begin].form);
  if (noun.xpos == "NNS") return add_member(Kind::kThings, {noun.form, noun.lemma});
  if (noun.xpos != "NN" || phrase.end - phrase.begin < 2) return kNobody;
  if (determiner == "the" && flip(0.6)) {
    const std::size_t known = draw_recent(Kind::kThing, Kind::kThing, 2);
    if (known != kNobody) {
      replace(noun, members_[known].names[0]);
      noun.lemma = members_[known].names[1];
      return known;
    }
  }
  if (!is_among(determiner, {"the", "a", "an"})) return kNobody;
  return add_member(Kind::kThing, {noun.form, noun.lemma});
}

std::size_t Cast::refer_by_pronoun(SampleSentence& sentence, const Candidate& phrase, std::size_t speaker) {
  SampleToken& token = sentence.tokens[phrase.head];
  const std::string form = lower(token.form);
  if (is_among(form, {"it", "its"}))
    return last_mentioned(sentence, phrase, {Kind::kOrganization, Kind::kThing});
  if (is_among(form, {"they", "them", "their"})) return last_mentioned(sentence, phrase, {Kind::kThings});
  const bool object = token.xpos == "PRP" && token.lemma != form;
  const Pronoun& pronoun = kPronouns[token.xpos == "PRP$" ? 2 : object ? 1 : 0];
  if (form != pronoun.woman && form != pronoun.man) return find_self(form, speaker);
  const std::size_t who = last_mentioned(sentence, phrase, {Kind::kWoman, Kind::kMan});
  if (who == kNobody) return kNobody;
  const bool woman = members_[who].kind == Kind::kWoman;
  replace(token, woman ? pronoun.woman : pronoun.man);
  if (token.xpos == "PRP") token.lemma = woman ? "she" : "he";
  return who;
}

// "I" and "you" of a conversation; in other documents those who write and read it.
std::size_t Cast::find_self(std::string_view pronoun, std::size_t speaker) {
  const bool first = is_among(pronoun, {"i", "me", "my"});
  const bool second = is_among(pronoun, {"you", "your"});
  if (!speakers_.empty() && (first || second)) return speakers_[first ? speaker : 1 - speaker];
  const char* who = first ? "I" : second ? "you" : "we";
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (members_[k].kind == Kind::kSelf && members_[k].names[0] == who) return k;
  }
  return add_member(Kind::kSelf, {who});
}

// Not an argument of the word that the pronoun is an argument of: in "he saw him" they differ.
std::size_t Cast::last_mentioned(const SampleSentence& sentence, const Candidate& phrase,
                                 std::initializer_list<Kind> kinds) const {
  std::vector<std::uint32_t> excluded;
  for (std::size_t k = in_sentence_; k < mentions_.size(); ++k) {
    const std::uint32_t head = mentions_[k].head - tokens_;
    if (sentence.tokens[head].head == sentence.tokens[phrase.head].head)
      excluded.push_back(mentions_[k].cluster);
  }
  for (auto mention = mentions_.rbegin(); mention != mentions_.rend(); ++mention) {
    const Kind kind = members_[mention->cluster].kind;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    if (std::find(excluded.begin(), excluded.end(), mention->cluster) == excluded.end())
      return mention->cluster;
  }
  return kNobody;
}

std::vector<Mention> Cast::mentions() const {
  std::vector<std::uint32_t> counts(members_.size(), 0), numbers(members_.size(), kNoToken);
  for (const Mention& mention : mentions_) ++counts[mention.cluster];
  std::vector<Mention> kept;
  std::uint32_t clusters = 0;
  for (Mention mention : mentions_) {
    if (counts[mention.cluster] < 2) continue;
    std::uint32_t& number = numbers[mention.cluster];
    if (number == kNoToken) number = clusters++;
    mention.cluster = number;
    kept.push_back(mention);
  }
  return kept;
}

}  // namespace hinge::coref
