#include "hinge/tasks/coref/words.h"

#include <algorithm>
#include <span>

namespace hinge::coref {
namespace {

constexpr Gender kMale = Gender::kMale;
constexpr Gender kFemale = Gender::kFemale;
constexpr Gender kNeuter = Gender::kNeuter;
constexpr Number kSingular = Number::kSingular;
constexpr Number kPlural = Number::kPlural;

struct PronounRow {
  std::string_view word;
  Pronoun facts;
};

constexpr Pronoun kI{"i", Gender::kUnknown, kSingular, 1, true};
constexpr Pronoun kWe{"we", Gender::kUnknown, kPlural, 1, true};
constexpr Pronoun kYou{"you", Gender::kUnknown, Number::kUnknown, 2, true};
constexpr Pronoun kHe{"he", kMale, kSingular, 3, true};
constexpr Pronoun kShe{"she", kFemale, kSingular, 3, true};
constexpr Pronoun kIt{"it", kNeuter, kSingular, 3, false};
constexpr Pronoun kThey{"they", Gender::kUnknown, kPlural, 3, false};
constexpr Pronoun kOne{"one", Gender::kUnknown, kSingular, 3, false};
constexpr Pronoun kThis{"this", kNeuter, kSingular, 3, false};
constexpr Pronoun kThat{"that", kNeuter, kSingular, 3, false};
constexpr Pronoun kThese{"these", Gender::kUnknown, kPlural, 3, false};
constexpr Pronoun kThose{"those", Gender::kUnknown, kPlural, 3, false};
constexpr Pronoun kWho{"who", Gender::kUnknown, Number::kUnknown, 3, true};
constexpr Pronoun kWhich{"which", kNeuter, Number::kUnknown, 3, false};
constexpr Pronoun kSome{"someone", Gender::kUnknown, kSingular, 3, true};
constexpr Pronoun kThing{"something", kNeuter, kSingular, 3, false};
constexpr Pronoun kEach{"each other", Gender::kUnknown, kPlural, 3, false};

constexpr PronounRow kPronouns[] = {
    {"i", kI},
    {"me", kI},
    {"my", kI},
    {"mine", kI},
    {"myself", kI},
    {"we", kWe},
    {"us", kWe},
    {"our", kWe},
    {"ours", kWe},
    {"ourselves", kWe},
    {"'s", kWe},
    {"’s", kWe},
    {"you", kYou},
    {"your", kYou},
    {"yours", kYou},
    {"yourself", kYou},
    {"yourselves", kYou},
    {"ya", kYou},
    {"y'all", kYou},
    {"u", kYou},
    {"ye", kYou},
    {"thou", kYou},
    {"thee", kYou},
    {"thy", kYou},
    {"he", kHe},
    {"him", kHe},
    {"his", kHe},
    {"himself", kHe},
    {"she", kShe},
    {"her", kShe},
    {"hers", kShe},
    {"herself", kShe},
    {"it", kIt},
    {"its", kIt},
    {"itself", kIt},
    {"they", kThey},
    {"them", kThey},
    {"their", kThey},
    {"theirs", kThey},
    {"themselves", kThey},
    {"themself", kThey},
    {"'em", kThey},
    {"em", kThey},
    {"one", kOne},
    {"one's", kOne},
    {"oneself", kOne},
    {"this", kThis},
    {"that", kThat},
    {"these", kThese},
    {"those", kThose},
    {"who", kWho},
    {"whom", kWho},
    {"whose", kWho},
    {"which", kWhich},
    {"someone", kSome},
    {"somebody", kSome},
    {"anyone", kSome},
    {"anybody", kSome},
    {"everyone", kSome},
    {"everybody", kSome},
    {"nobody", kSome},
    {"something", kThing},
    {"anything", kThing},
    {"everything", kThing},
    {"nothing", kThing},
    {"each other", kEach},
    {"one another", kEach},
};

constexpr std::string_view kMen[] = {
    "actor",       "bachelor",    "baron",    "bishop",        "boy",        "boyfriend", "bro",
    "brother",     "businessman", "chairman", "count",         "cowboy",     "dad",       "daddy",
    "duke",        "dude",        "emperor",  "father",        "gentleman",  "god",       "godfather",
    "grandfather", "grandpa",     "grandson", "groom",         "guy",        "hero",      "husband",
    "king",        "knight",      "lad",      "landlord",      "lord",       "man",       "monk",
    "mr",          "mr.",         "nephew",   "pope",          "priest",     "prince",    "rabbi",
    "salesman",    "sir",         "son",      "spokesman",     "stepfather", "stepson",   "uncle",
    "waiter",      "widower",     "wizard",   "father-in-law", "fisherman",  "policeman", "fireman",
    "congressman", "statesman",   "nobleman", "sultan",        "tsar",       "sheikh",    "grandad",
};
constexpr std::string_view kWomen[] = {
    "actress",       "aunt",          "auntie",
    "ballerina",     "baroness",      "bride",
    "businesswoman", "chairwoman",    "countess",
    "dame",          "daughter",      "duchess",
    "empress",       "female",        "gal",
    "girl",          "girlfriend",    "goddess",
    "godmother",     "granddaughter", "grandma",
    "grandmother",   "heiress",       "heroine",
    "hostess",       "housewife",     "lady",
    "landlady",      "lass",          "ma'am",
    "madam",         "maid",          "mistress",
    "mom",           "mommy",         "mother",
    "mrs",           "mrs.",          "ms",
    "ms.",           "miss",          "mum",
    "mummy",         "niece",         "nun",
    "princess",      "queen",         "sis",
    "sister",        "spokeswoman",   "stepmother",
    "waitress",      "widow",         "wife",
    "witch",         "woman",         "congresswoman",
    "policewoman",   "mother-in-law", "saleswoman",
    "granny",        "stepdaughter",  "ballet-mistress",
};
constexpr std::string_view kPeople[] = {
    "activist",
    "adult",
    "advisor",
    "agent",
    "analyst",
    "applicant",
    "architect",
    "artist",
    "astronaut",
    "athlete",
    "attorney",
    "author",
    "baby",
    "banker",
    "biologist",
    "boss",
    "buyer",
    "candidate",
    "captain",
    "carpenter",
    "celebrity",
    "chef",
    "chemist",
    "child",
    "citizen",
    "client",
    "clerk",
    "coach",
    "colleague",
    "colonel",
    "commander",
    "composer",
    "consumer",
    "cook",
    "cop",
    "correspondent",
    "cousin",
    "creator",
    "critic",
    "customer",
    "dancer",
    "dean",
    "defendant",
    "delegate",
    "designer",
    "detective",
    "developer",
    "diplomat",
    "director",
    "doctor",
    "dr",
    "dr.",
    "driver",
    "economist",
    "editor",
    "employee",
    "employer",
    "enemy",
    "engineer",
    "entrepreneur",
    "expert",
    "explorer",
    "fan",
    "farmer",
    "fellow",
    "fighter",
    "filmmaker",
    "founder",
    "friend",
    "gardener",
    "general",
    "governor",
    "guard",
    "guest",
    "guide",
    "historian",
    "host",
    "human",
    "hunter",
    "immigrant",
    "individual",
    "inhabitant",
    "instructor",
    "interviewer",
    "inventor",
    "investor",
    "journalist",
    "judge",
    "juror",
    "kid",
    "killer",
    "lawyer",
    "leader",
    "learner",
    "lecturer",
    "librarian",
    "lieutenant",
    "linguist",
    "listener",
    "lover",
    "magistrate",
    "major",
    "manager",
    "master",
    "mathematician",
    "mayor",
    "member",
    "merchant",
    "minister",
    "missionary",
    "musician",
    "native",
    "neighbor",
    "neighbour",
    "novelist",
    "nurse",
    "observer",
    "officer",
    "official",
    "operator",
    "opponent",
    "owner",
    "painter",
    "parent",
    "participant",
    "partner",
    "passenger",
    "patient",
    "person",
    "philosopher",
    "photographer",
    "physician",
    "physicist",
    "pilot",
    "pioneer",
    "plaintiff",
    "player",
    "poet",
    "politician",
    "president",
    "prisoner",
    "producer",
    "prof",
    "prof.",
    "professor",
    "programmer",
    "psychologist",
    "pupil",
    "reader",
    "reporter",
    "representative",
    "researcher",
    "resident",
    "respondent",
    "reverend",
    "rev.",
    "rider",
    "ruler",
    "runner",
    "sailor",
    "scholar",
    "scientist",
    "secretary",
    "senator",
    "sergeant",
    "servant",
    "sibling",
    "singer",
    "slave",
    "soldier",
    "speaker",
    "specialist",
    "student",
    "subject",
    "supervisor",
    "surgeon",
    "suspect",
    "teacher",
    "teenager",
    "thief",
    "tourist",
    "trader",
    "translator",
    "traveler",
    "user",
    "veteran",
    "victim",
    "viewer",
    "visitor",
    "volunteer",
    "voter",
    "warrior",
    "winner",
    "witness",
    "worker",
    "writer",
    "youth",
    "spouse",
    "sheriff",
    "sculptor",
};
constexpr std::string_view kGroups[] = {
    "agency",  "army",      "association",  "audience",     "band",       "board",      "business",
    "club",    "coalition", "committee",    "community",    "company",    "congress",   "corporation",
    "council", "couple",    "court",        "crew",         "crowd",      "department", "family",
    "firm",    "gang",      "government",   "group",        "household",  "industry",   "institution",
    "jury",    "league",    "majority",     "media",        "military",   "ministry",   "minority",
    "nation",  "navy",      "organization", "organisation", "pair",       "panel",      "parliament",
    "party",   "police",    "population",   "public",       "school",     "senate",     "society",
    "staff",   "team",      "tribe",        "union",        "university", "village",
};
constexpr std::string_view kMaleNames[] = {
    "aaron",    "adam",     "adrian",  "alan",      "albert",   "alex",      "alexander",   "alfred",
    "andrew",   "anthony",  "antonio", "arthur",    "barack",   "ben",       "benjamin",    "bernard",
    "bill",     "billy",    "bob",     "bobby",     "brad",     "brandon",   "brian",       "bruce",
    "carl",     "carlos",   "charles", "charlie",   "chris",    "christian", "christopher", "craig",
    "dan",      "daniel",   "dave",    "david",     "dennis",   "diego",     "donald",      "douglas",
    "edgar",    "edmund",   "eduardo", "edward",    "edwin",    "eric",      "ernest",      "eugene",
    "felix",    "fernando", "francis", "francisco", "frank",    "franklin",  "fred",        "frederick",
    "gabriel",  "gary",     "george",  "gerald",    "gilbert",  "gordon",    "graham",      "greg",
    "gregory",  "gustav",   "guy",     "hans",      "harold",   "harry",     "henry",       "herbert",
    "howard",   "hugh",     "hugo",    "ian",       "isaac",    "ivan",      "jack",        "jacob",
    "jacques",  "jake",     "james",   "jason",     "jean",     "jeff",      "jeffrey",     "jeremy",
    "jerome",   "jim",      "jimmy",   "joe",       "joel",     "johann",    "john",        "johnny",
    "jon",      "jonathan", "jorge",   "jose",      "josé",     "joseph",    "joshua",      "juan",
    "karl",     "keith",    "ken",     "kenneth",   "kevin",    "larry",     "lawrence",    "leo",
    "leon",     "leonard",  "lewis",   "louis",     "luis",     "luke",      "marc",        "marcus",
    "mark",     "martin",   "matt",    "matthew",   "max",      "michael",   "miguel",      "mike",
    "mohammed", "muhammad", "nathan",  "neil",      "nicholas", "nick",      "noah",        "oliver",
    "oscar",    "otto",     "pablo",   "patrick",   "paul",     "pedro",     "peter",       "phil",
    "philip",   "pierre",   "ralph",   "ray",       "raymond",  "richard",   "rob",         "robert",
    "roger",    "roland",   "ron",     "ronald",    "ross",     "roy",       "russell",     "ryan",
    "sam",      "samuel",   "scott",   "sean",      "simon",    "stanley",   "stephen",     "steve",
    "steven",   "stuart",   "ted",     "theodore",  "thomas",   "tim",       "timothy",     "tom",
    "tommy",    "tony",     "victor",  "vincent",   "walter",   "warren",    "wayne",       "wilhelm",
    "will",     "william",  "winston", "wolfgang",  "zachary",
};
constexpr std::string_view kFemaleNames[] = {
    "abigail",  "agnes",     "alexandra", "alice",     "alison",    "amanda",    "amelia",    "amy",
    "andrea",   "angela",    "anita",     "ann",       "anna",      "anne",      "annie",     "audrey",
    "barbara",  "beatrice",  "becky",     "betty",     "beverly",   "bonnie",    "brenda",    "carla",
    "carmen",   "carol",     "caroline",  "catherine", "charlotte", "christina", "christine", "claire",
    "clara",    "cynthia",   "daisy",     "deborah",   "denise",    "diana",     "diane",     "dolores",
    "donna",    "dora",      "doris",     "dorothy",   "edith",     "eleanor",   "elena",     "elisabeth",
    "eliza",    "elizabeth", "ella",      "ellen",     "emily",     "emma",      "erica",     "esther",
    "eva",      "eve",       "evelyn",    "fiona",     "florence",  "frances",   "georgia",   "gloria",
    "grace",    "hannah",    "harriet",   "heather",   "helen",     "helena",    "hillary",   "ida",
    "irene",    "isabel",    "isabella",  "jane",      "janet",     "janice",    "jean",      "jennifer",
    "jenny",    "jessica",   "jill",      "joan",      "josephine", "joyce",     "judith",    "judy",
    "julia",    "julie",     "karen",     "kate",      "katherine", "kathleen",  "kathy",     "katie",
    "kelly",    "laura",     "lauren",    "leah",      "lillian",   "lily",      "linda",     "lisa",
    "lois",     "louise",    "lucy",      "lydia",     "madeleine", "margaret",  "maria",     "marie",
    "marilyn",  "martha",    "mary",      "matilda",   "maya",      "megan",     "melissa",   "michelle",
    "molly",    "monica",    "nancy",     "natalie",   "nicole",    "nora",      "olivia",    "pamela",
    "patricia", "paula",     "pauline",   "penelope",  "phyllis",   "rachel",    "rebecca",   "rita",
    "rosa",     "rose",      "ruby",      "ruth",      "sally",     "samantha",  "sandra",    "sara",
    "sarah",    "sharon",    "shirley",   "silvia",    "sofia",     "sonia",     "sophia",    "sophie",
    "stella",   "stephanie", "susan",     "susanna",   "sylvia",    "teresa",    "theresa",   "tina",
    "ursula",   "vanessa",   "vera",      "veronica",  "victoria",  "violet",    "virginia",  "wendy",
    "yvonne",   "zoe",
};

struct ArticleRow {
  std::string_view word;
  Article kind;
};
constexpr ArticleRow kArticles[] = {
    {"the", Article::kDefinite},        {"a", Article::kIndefinite},       {"an", Article::kIndefinite},
    {"this", Article::kDemonstrative},  {"that", Article::kDemonstrative}, {"these", Article::kDemonstrative},
    {"those", Article::kDemonstrative}, {"such", Article::kDemonstrative}, {"my", Article::kPossessive},
    {"your", Article::kPossessive},     {"his", Article::kPossessive},     {"her", Article::kPossessive},
    {"its", Article::kPossessive},      {"our", Article::kPossessive},     {"their", Article::kPossessive},
    {"whose", Article::kPossessive},    {"some", Article::kQuantifier},    {"any", Article::kQuantifier},
    {"no", Article::kQuantifier},       {"every", Article::kQuantifier},   {"each", Article::kQuantifier},
    {"many", Article::kQuantifier},     {"several", Article::kQuantifier}, {"few", Article::kQuantifier},
    {"more", Article::kQuantifier},     {"most", Article::kQuantifier},    {"all", Article::kQuantifier},
    {"both", Article::kQuantifier},     {"another", Article::kIndefinite}, {"other", Article::kIndefinite},
    {"what", Article::kQuantifier},     {"which", Article::kQuantifier},   {"one", Article::kIndefinite},
};

// The lists are in no order, so that they are easy to extend; lookups happen once
// per mention.
bool contains(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Whether the list has the word, or its singular.
bool contains_noun(std::span<const std::string_view> list, std::string_view word) {
  if (contains(list, word)) return true;
  if (word.size() > 3 && word.ends_with("men")) {
    return std::ranges::any_of(list, [&](std::string_view noun) {
      return noun.size() == word.size() && noun.ends_with("man") &&
             noun.substr(0, noun.size() - 3) == word.substr(0, word.size() - 3);
    });
  }
  if (!word.ends_with('s')) return false;
  word.remove_suffix(1);
  return contains(list, word) || (word.ends_with('e') && contains(list, word.substr(0, word.size() - 1)));
}

}  // namespace

const Pronoun* find_pronoun(std::string_view word) {
  const auto* row = std::ranges::find(kPronouns, word, &PronounRow::word);
  return row == std::end(kPronouns) ? nullptr : &row->facts;
}

NounFacts noun_facts(std::string_view word) {
  if (contains_noun(kMen, word) || word == "men") return {.gender = kMale, .animate = true};
  if (contains_noun(kWomen, word)) return {.gender = kFemale, .animate = true};
  if (contains_noun(kPeople, word) || word == "people" || word == "children")
    return {.gender = Gender::kUnknown, .animate = true};
  return {};
}

Gender name_gender(std::string_view word) {
  const bool male = contains(kMaleNames, word);
  const bool female = contains(kFemaleNames, word);
  if (male == female) return Gender::kUnknown;
  return male ? kMale : kFemale;
}

Article article_of(std::string_view word) {
  const auto* row = std::ranges::find(kArticles, word, &ArticleRow::word);
  return row == std::end(kArticles) ? Article::kNone : row->kind;
}

bool is_group(std::string_view word) { return contains_noun(kGroups, word); }

}  // namespace hinge::coref
