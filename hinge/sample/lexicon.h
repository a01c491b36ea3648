// The grammar and the words from which sampler.cc draws, as text.
//
// A word class is an endless list of words ordered by frequency. The first ranks
// are listed; any further rank is spelled from morphemes chosen by a hash of the
// rank. So a word is a pure function of its class and rank, nothing is stored, and
// a bigger corpus always has new words. Suffixes suggest the part of speech but do
// not decide it: "-er" ends things, people and comparatives, "-al" nouns and
// adjectives, and a bare stem can be a noun or a verb.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hinge::lexicon {

// A word is written "lemma", or "lemma/form" if the form is irregular.
struct WordClass {
  std::string_view name;           // capitalized if the words are
  int octaves;                     // ranks go up to 2^(octaves + 2); 0: draw the listed words evenly
  std::string_view words;          // by falling frequency
  std::string_view suffixes = {};  // of the words beyond the list, "-" for none
};

inline constexpr WordClass kClasses[] = {
    {"thing", 14,
     "company market share year price plan report stock deal bank state sale rate bond unit program issue "
     "group offer contract system business product service plant rise fall cut increase loss gain fund "
     "claim study vote order question call move change case court law bill tax budget house office city "
     "country line drug car computer project meeting decision proposal estimate review visit fear hope "
     "need run end place post name head book letter paper record result test rule ruling saw rose spring "
     "well right left light lead match play park point turn walk watch field ring check charge cost "
     "design drop figure force game hand face firm limit look mark model note promise purchase race "
     "return round sign sound stand start step store strike target team track view wave wound past "
     "present average key can trip will like forecast building painting filing offering holding warning "
     "hearing opening crisis/crises analysis/analyses series/series foot/feet shelf/shelves half/halves "
     "life/lives wing bid bet drive fly request reply answer attack battle border camp capital chance "
     "cover crash daily weekly quarter effort factor matter number power supply bottom corner",
     "- - - - ation ation ment ment ity er al ing ance age ate ive ion ure"},
    {"person", 11,
     "official man/men analyst woman/women executive person/people president director trader investor "
     "lawyer judge worker manager buyer leader doctor teacher expert critic employee customer reporter "
     "child/children senator minister partner dealer chairman/chairmen broker economist engineer member "
     "owner officer patient student scientist witness pilot coach nurse host chief guard cook guide "
     "friend native individual liberal conservative professional rival giant maker lender opponent "
     "resident general spokesman/spokesmen wife/wives head aide novice veteran",
     "er er ist or ian ant ive ate -"},
    {"mass", 0,
     "money time trade support work growth help interest debt trading research demand pressure power "
     "water funding pay training information advertising management land oil cash spending lending steel",
     "damage concern evidence traffic experience"},
    {"adjective", 10,
     "new major public recent early federal private foreign last good likely able late local current "
     "common certain sure clear ready willing open right left past present chief official executive "
     "average daily weekly friendly costly only net double fine secret key troubled leading surprising "
     "limited interested concerned expected unchanged growing national general final individual liberal "
     "conservative professional patient native rival giant capital human overall senior active aggressive "
     "effective possible profitable available nervous previous serious industrial outstanding well lively "
     "lonely orderly unlikely overdue complex direct separate",
     "al al ous ive ive able ic y less ful ed ing - ant"},
    {"gradable", 0,
     "large high low strong big small weak long old young short hard fast slow close late early cheap",
     "rich poor firm light cold warm heavy easy happy broad sharp quick tough wide deep soft tight clean"},
    {"adverb", 6,
     "also still now recently never already often soon then again probably just only once later even "
     "clearly yet so",
     "ally ously ively ably ly ily"},
    {"manner", 7,
     "early late well hard fast up down there here long back together away ahead close right over off "
     "daily sharply instead",
     "ally ously ively ably ly ily lessly fully edly ingly"},
    // word:frames or base/past/participle:frames, a frame repeated to make it more likely:
    //   i intransitive   t transitive      d two objects     p preposition         c that-clause
    //   f to-infinitive  o object + to     g gerund          r particle + object   a adjective
    {"verb", 10,
     "say/said/said:cccct make/made/made:ttttr have/had/had:tttt take/took/taken:ttttr "
     "sell/sold/sold:tttdr report:ttcip expect:tffoc plan:fffti rise/rose/risen:iiip see/saw/seen:tttc "
     "buy/bought/bought:tttd want:ffft fall/fell/fallen:iiip cut/cut/cut:tttr offer:ttfd "
     "give/gave/given:dddtr hold/held/held:ttri show/showed/shown:ttcd increase:iit "
     "think/thought/thought:cccp get/got/gotten:tta use:ttt find/found/found:ttcr work:iippr "
     "set/set/set:ttrr believe:cct agree:ffcp try:ffft come/came/come:iip go/went/gone:iip "
     "keep/kept/kept:ttg announce:ttc move:itp raise:tt close:itr trade:itp pay/paid/paid:ttdr ask:oot "
     "help:tto need:ttf begin/began/begun:ffgi continue:ffgi tell/told/told:doo start:fgti "
     "run/ran/run:itrp become/became/become:aaa remain:aai seem:aaf lose/lost/lost:ttt win/won/won:tti "
     "leave/left/left:tti meet/met/met:ttp build/built/built:ttr send/sent/sent:tdd call:tttr "
     "know/knew/known:tcc decide:ffc hope:ffc vote:iipf claim:tcf name:tt head:ttp lead/led/led:ttp "
     "fund:ttt order:tto issue:ttt study:tti review:ttt visit:tti question:tt support:ttt face:ttt "
     "back:ttr change:tti estimate:ttc forecast/forecast/forecast:ttc fear:tcc refuse:fft fail:ffi "
     "promise:ffdc allow:oot force:oot urge:oo warn:ct add:ctt argue:cci note:tcc suggest:tcc deny:ttc "
     "look:aap feel/felt/felt:aac appear:afi turn:trrp pick:trr carry:ttrr bring/brought/brought:tdrr "
     "shut/shut/shut:trr point:prr drop:itp end:iti grow/grew/grown:iita gain:tti slow:itr open:itr "
     "rule:cit land:iip return:itp approve:tt reject:tt sign:tt spend/spent/spent:tt consider:ttg "
     "avoid:tg stop:tgi strike/struck/struck:tti target:tt limit:tt check:trp watch:tt read/read/read:tti "
     "hit/hit/hit:tt cost/cost/cost:td like:tfg found:tt lie/lay/lain:iip lay/laid/laid:trr judge:ttc "
     "guide:tt pilot:tt cook:ti place:tt post:tt share:ttp design:tt charge:tt field:tt "
     "wind/wound/wound:trr ring/rang/rung:it project:tc record:tt test:tt host:tt coach:tt guard:tt "
     "sound:aai stand/stood/stood:iip double:it average:tt free:tt narrow:it bet/bet/bet:ctp "
     "drive/drove/driven:itr fly/flew/flown:iip bear/bore/borne:tr",
     "-:ttti -:ttt -:iip -:ttc -:ti -:ttr ize:ttt ate:ttti ate:iip ify:tt en:it er:tp"},
    {"said", 0, "say/said say/said say/said add/added note/noted argue/argued warn/warned report/reported"},
    {"modal", 0, "will will would could may can should might must"},
    {"woman", 0,
     "Mary Susan Jordan Anna Rose Carol Grace Helen Judith May Linda Sydney Ellen Ruth Paris Laura Joan",
     "Faith Madison Diane Karen Chelsea Olive Florence April Alice Martha Hope Brooke Ivy Virginia"},
    {"man", 0,
     "John Robert James Mark Jordan David Austin Bill Frank Paul Grant George Martin Peter Will Kevin",
     "Lincoln Jack Rich Henry Thomas Walter Carter Dallas Chase Drew Philip Roger Bob Troy Houston"},
    {"Surname", 12,
     "Smith Jordan Brown Washington Miller Baker Lincoln Hunt Young Price Jackson Hamilton Banks Stone "
     "Carter Long Madison Harlow Brandt Austin Mercer Field Marsh Fisher Grant Hayes Houston Keller Lane "
     "Monroe Novak Ortega Powers Quinn Rivers Sterling Taylor Vance Wells York Lancaster Berg Chase Dale "
     "Ellis Foster Garland Holland",
     "- son er man ski well ford ton ley berg land ez ini wood"},
    {"Place", 11,
     "Washington London Paris Texas Chicago Boston Jordan Houston Tokyo Austin Sydney Madison Lincoln "
     "Jackson York Lancaster Holland Florence Georgia Virginia Hamilton Cuba Canada Chelsea Troy Dallas "
     "Ohio Chad Turkey Reading Mobile Jefferson Garland Irving Brazil Kenya Bath Nice Cork Monroe",
     "- ton ville burg ford land ia ham port dale wood field berg stan"},
    {"Brand", 11, "Harlow Sterling Delta Apex Monroe Vance Atlas", "- ex tek co dyne net son ia ton er"},
    {"sector", 0,
     "Systems Industries Bank Motors Airlines Energy Foods Press Insurance Steel Oil Savings Power Paper",
     "Stores Drug Capital Mines Research Holdings"},
    {"corp", 0, "Corp. Corp. Inc. Co. Co. Group Ltd. Trust"},
    {"institution", 0, "University Bank Department Institute Port"},
    {"body", 0, "Times Council Museum Journal Authority Senate"},
    {"title", 0, "Mr. Mr. Mr. Ms. Ms. Mrs. Dr. Sen. Judge"},
    {"direction", 0, "New North South West Port San Fort East"},
    {"month", 0, "January March April May June July August Oct. Nov. Dec. Feb. Sept."},
    {"weekday", 0, "Monday Tuesday Wednesday Thursday Friday Sunday"},
    {"period", 0, "week year month quarter spring night fall"},
    {"last", 0, "last last next"},
    {"yesterday", 0, "yesterday yesterday today"},
    {"spelled", 0, "two three four five six seven ten"},
    {"million", 0, "million million billion"},
    {"he", 0, "he she it they we I you it he"},
    {"him", 0, "he/him she/her it they/them we/us I/me you it she/her"},
    {"his", 0, "its his her their our my your"},
    {"that", 0, "that this"},
    {"this", 0, "this that another each every no any that"},
    {"these", 0, "this/these that/those some all no any some both"},
    {"some", 0, "this that some no any all"},
    {"many", 0, "many many several other"},
    {"who", 0, "who who who who that"},
    {"which", 0, "that that that which which"},
    {"when", 0, "when when when where"},
    {"because", 0, "because if after before while since until although as unless"},
    {"and", 0, "and and and but but so"},
    {"but", 0, "but but and"},
    {"or", 0, "and and and or"},
    {"very", 0, "very too so quite pretty"},
    {"more", 0, "more more less"},
    {"able", 0, "likely able ready willing unlikely sure"},
    {"of", 0, "of of of of in for on to in with from about"},
    {"to", 0, "in to on for with at by from into as about over"},
    {"during", 0, "in in on for at with after from since under before during near until"},
    {"at", 0, "in in at near from to"},
    {"since", 0, "in in in since until before after during"},
    {"by", 0, "by after before for in"},
    {"up", 0, "up out off down over in on back"},
};

// What a symbol derives: alternatives with their weights (default 1), each a sequence of
//   (NP:obj ...)    a phrase with its relation to the word it attaches to
//   NN:obj=word     a word; =@class draws one, =~class one that the previous word
//                   prefers, =#Ddd a number (D from 1, d from 0)
//   symbol:obj      what the symbol derives, obj replacing each :* in it
//   <PER ... >      the words of an entity
// The head has no relation. ?30 makes a word or symbol optional, with 30 percent.
// + allows an alternative only if the sentence has room to grow. Written in C++:
//   plan=...        draws the clause's verb, voice and tense (sampler.cc, draw_plan)
//   subject, predicate, vp, wh, extraposed
struct Rule {
  std::string_view symbol, alternatives;
};

inline constexpr Rule kRules[] = {
    {"sentence",
     "70 (S:root main .:punct=.) | 10 (S:root front ,:punct=, main .:punct=.) | "
     "3 (S:root front main .:punct=.) | 3 (S:root CC:cc=@but main .:punct=.) | "
     "7 (S:root (S main) ,:punct=,?80 CC:cc=@and (S:conj clause) .:punct=.) | "
     "4 (SINV:root quotation (VP VBD=@said) np.agent:nsubj .:punct=.) | "
     "2 (S:root quotation np.agent:nsubj (VP VBD=@said) .:punct=.) | "
     "1 (S:root plan=gap common:obj np.agent:nsubj predicate .:punct=.)"},
    {"quotation", "``:punct=\" (S:ccomp clause) ,:punct=, '':punct=\""},
    {"main", "192 clause | 6 existential | 3 +plan=bare common:nsubj predicate extraposed"},
    {"clause", "plan=any subject adverb?7 predicate"},
    {"existential",
     "(NP:expl EX=there) (VP VBZ=be/is (NP:nsubj common.one post)) | "
     "(NP:expl EX=there) (VP VBD=be/was (NP:nsubj common.one post)) | "
     "(NP:expl EX=there) (VP VBP=be/are (NP:nsubj common.many post)) | "
     "(NP:expl EX=there) (VP VBD=be/were (NP:nsubj common.many post))"},
    {"front", "40 adjunct:obl | 25 adverbial | 15 adverb | 20 temporal"},
    {"adverbial",
     "80 (SBAR:advcl IN:mark=@because (S clause)) | 20 (SBAR:advcl (WHADVP:advmod WRB=@when) (S clause))"},
    {"that", "55 (SBAR:ccomp IN:mark=that (S clause)) | 45 (SBAR:ccomp (S clause))"},
    {"infinitive", "(S:* plan=base (VP TO:mark=to vp))"},
    {"gerund", "(S:* plan=gerund vp)"},
    {"relative", "86 relative.full | 14 (SBAR:acl:relcl plan=gap (S np.agent:nsubj predicate))"},
    {"relative.full",
     "75 (SBAR:acl:relcl plan=any (WHNP:nsubj wh) (S predicate)) | "
     "25 (SBAR:acl:relcl plan=gap (WHNP:obj wh) (S np.agent:nsubj adverb?5 predicate))"},
    {"wh.person", "80 WP=who | 20 WDT=that"},
    {"wh.thing", "WDT=@which"},

    // The complements of a verb, by frame; a capital is the passive.
    {"frame.i", ""},
    {"frame.t", "np.object:obj"},
    {"frame.T", "agent?35"},
    {"frame.d", "np.base:iobj np.predicate:obj"},
    {"frame.D", "np.predicate:obj agent?15"},
    {"frame.o", "np.object:obj infinitive:xcomp"},
    {"frame.O", "infinitive:xcomp"},
    {"frame.r", "65 particle np.object:obj | 35 np.base:obj particle"},
    {"frame.R", "particle agent?30"},
    {"frame.f", "infinitive:xcomp"},
    {"frame.g", "gerund:xcomp"},
    {"frame.c", "that"},
    {"frame.p", "pp.verb:obl"},
    {"frame.a", "adjp:xcomp"},
    {"frame.b", "55 adjp | 33 np.predicate | 12 (PP IN:case=@during np.oblique)"},
    {"modal", "MD:aux=@modal"},
    {"particle", "(PRT:compound:prt RP=~up)"},
    {"agent", "(PP:obl:agent IN:case=by np.oblique)"},
    {"adjuncts", "manner?9 adjunct:obl?36 temporal?11 adjunct:obl?10 adverbial?11 absolute?2"},
    {"absolute", ",:punct=, gerund:advcl"},

    {"np.subject",
     "4 +np.list:* | 22 +np.modified:* | 3 +np.apposed:* | 13 pronoun:* | 11 person:* | 9 organization:* | "
     "2 place:* | 1 amount:* | 6 possessed:* | 36 common:*"},
    {"np.agent",
     "4 +np.list:* | 8 +np.modified:* | 5 +np.apposed:* | 20 pronoun:* | 24 person:* | 16 organization:* | "
     "2 place:* | 4 possessed:* | 24 common:*"},
    {"np.object", "4 +np.list:* | 25 +np.modified:* | 1 +np.apposed:* | 5 amount:* | 65 np.base:*"},
    {"np.oblique",
     "4 +np.list:* | 20 +np.modified:* | 1 +np.apposed:* | 4 amount:* | 15 np.base:* | 52 np.conjunct:*"},
    {"np.predicate", "3 +np.list:* | 25 +np.modified:* | 5 amount:* | 65 np.conjunct:*"},
    {"np.base", "9 (NP:* PRP=@him) | 1 (NP:* DT=@that) | 90 np.conjunct:*"},
    {"np.conjunct", "10 person:* | 10 organization:* | 3 place:* | 11 possessed:* | 66 common:*"},
    {"np.list",
     "55 (NP:* np.conjunct CC:cc=and np.conjunct:conj) | "
     "15 (NP:* np.conjunct ,:punct=, np.conjunct:conj CC:cc=and np.conjunct:conj) | "
     "30 (NP:* np.conjunct CC:cc=@or common.many:conj)"},
    {"np.modified", "86 (NP:* common post) | 14 (NP:* common post post)"},
    {"np.apposed",
     "60 (NP:* person ,:punct=, appositive ,:punct=,) | "
     "40 (NP:* organization ,:punct=, appositive ,:punct=,)"},
    {"appositive", "38 common.one:appos | 37 (NP:appos common.one pp.noun:nmod) | 25 relative.full"},
    {"post",
     "62 pp.noun:nmod | 18 +relative | 10 +plan=passive vp:acl | 4 +plan=gerund vp:acl | 6 +infinitive:acl"},
    {"pronoun", "92 (NP:* PRP=@he) | 8 (NP:* DT=@that)"},

    {"common", "53 common.one:* | 37 common.many:* | 10 (NP:* det.mass pre NN=@mass)"},
    {"common.one", "96 (NP:* det.one pre noun.one) | 6 (NP:* det.one pre noun.one CC:cc=and noun.one:conj)"},
    {"common.many",
     "87 (NP:* det.many pre noun.many) | 5 (NP:* quantity pre noun.many) | "
     "2 (NP:* DT:det=the quantity pre noun.many) | 12 (NP:* det.many pre noun.many CC:cc=@or "
     "noun.many:conj)"},
    {"noun.one", "75 NN:*=@thing | 25 NN:*=@person"},
    {"noun.many", "72 NNS:*=@thing | 28 NNS:*=@person"},
    {"noun", "50 noun.one | 38 noun.many | 12 NN=@mass"},
    {"det.one", "40 DT:det=the JJS:amod=@gradable?4 | 42 DT:det=a | 18 DT:det=@this"},
    {"det.many", "32 DT:det=the JJS:amod=@gradable?4 | 42 | 10 JJ:amod=@many | 16 DT:det=@these"},
    {"det.mass", "35 DT:det=the | 50 | 15 DT:det=@some"},
    {"pre", "attributive?4 adjective:amod?24 adjective:amod?6 participle?5 name?4 compound?16"},
    {"attributive",
     "80 (ADJP:amod degree JJ=@adjective) | 20 (ADJP:amod adjective CC:cc=and adjective:conj)"},
    {"participle", "VBN:amod=@verb | VBG:amod=@verb"},
    {"name",
     "50 <LOC NNP:compound=@Place > | 25 <ORG NNP:compound=@Brand > | 25 <ORG NNP:compound=@Surname >"},
    {"compound", "85 NN:compound=@thing | 15 NN:compound=@mass"},
    {"possessed",
     "50 (NP:* PRP$:nmod:poss=@his pre noun) | 48 (NP:* owner pre noun) | "
     "2 (NP:* owner JJS:amod=@gradable noun)"},
    {"owner",
     "34 (NP:nmod:poss person.name POS:case='s) | 28 (NP:nmod:poss organization.name POS:case='s) | "
     "6 (NP:nmod:poss place.name POS:case='s) | 20 (NP:nmod:poss det.one noun.one POS:case='s) | "
     "12 (NP:nmod:poss det.many noun.many POS:case='s)"},

    {"person", "(NP:* person.name)"},
    {"person.name",
     "22 <PER NNP=@woman NNP:flat=@Surname > | 22 <PER NNP=@man NNP:flat=@Surname > | "
     "25 NNP:compound=@title <PER NNP=@Surname > | 31 <PER NNP=@Surname >"},
    {"organization", "(NP:* organization.name)"},
    {"organization.name",
     "18 <ORG NNP=@Brand > | 14 <ORG NNP=@Surname > | 8 <ORG NNP:compound=@Surname NNP=@corp > | "
     "12 <ORG NNP:compound=@Brand NNP:compound=@sector NNP=@corp > | "
     "10 <ORG NNP:compound=@Surname NNP=@sector > | 6 <ORG NNP:compound=@Place NNP=@sector > | "
     "8 <ORG NNP:compound=@Surname CC:cc=& NNP=@Surname > | "
     "14 DT:det=the <ORG NNP:compound=@Place NNP=@body > | "
     "10 (NP <ORG NNP=@institution) (PP:nmod IN:case=of (NP NNP=@Place >))"},
    {"place", "95 (NP:* place.name) | 5 (NP:* (NP place.name) ,:punct=, (NP:appos place.name) ,:punct=,?50)"},
    {"place.name", "85 <LOC NNP=@Place > | 15 <LOC NNP:compound=@direction NNP=@Place >"},

    {"number", "25 CD:*=@spelled | 75 digits:*"},
    {"digits", "35 CD:*=#Dd | 10 CD:*=#D | 15 CD:*=#Ddd | 20 CD:*=#D,ddd | 20 CD:*=#Dd.d"},
    {"quantity",
     "70 number:nummod | 18 (QP:nummod RB:advmod=about number) | "
     "12 (QP:nummod JJR:advmod=more IN:case=than number)"},
    {"amount",
     "40 (NP:* digits:nummod NN=%) | 24 (NP:* <MONEY $=$ digits:nummod >) | "
     "36 (NP:* <MONEY $=$ (QP:nummod digits:compound CD=@million) >)"},
    {"temporal",
     "33 (NP:obl:tmod <DATE JJ:amod=@last NN=@period >) | 12 (NP:obl:tmod <DATE DT:det=this NN=@period >) | "
     "25 (NP:obl:tmod <DATE NNP=@weekday >) | 15 (NP:obl:tmod <DATE NN=@yesterday >) | "
     "15 (ADVP:advmod <DATE (NP:obl:npmod CD:nummod=@spelled NNS=@period) RB=ago >)"},
    {"date",
     "40 (NP <DATE CD=#19dd >) | 40 (NP <DATE NNP=@month >) | 20 (NP <DATE NNP=@month CD:nummod=#19dd >)"},
    {"day",
     "60 (NP <DATE NNP=@weekday >) | 28 (NP <DATE NNP=@month CD:nummod=#1d >) | "
     "12 (NP <DATE NNP=@month CD:nummod=#2d ,:punct=, CD:nummod=#19dd >)"},

    {"pp.noun", "84 (PP:* IN:case=~of np.oblique) | 10 (PP:* IN:case=@at place) | 6 (PP:* IN:case=in date)"},
    {"pp.verb", "86 (PP:* IN:case=~to np.oblique) | 14 (PP:* IN:case=@at place)"},
    {"adjunct",
     "62 (PP:* IN:case=@during np.oblique) | 15 (PP:* IN:case=@at place) | 9 (PP:* IN:case=@since date) | "
     "9 (PP:* IN:case=on day) | 5 +(PP:advcl IN:mark=@by gerund)"},
    {"adjective", "30 JJ:*=@gradable | 5 JJR:*=@gradable | 65 JJ:*=@adjective"},
    {"degree", "65 RB:advmod=@very | 25 RBR:advmod=@more | 10 RBS:advmod=most"},
    {"adjp",
     "45 (ADJP:* adjective) | 20 (ADJP:* degree JJ=@adjective) | "
     "5 (ADJP:* adjective CC:cc=@or adjective:conj) | "
     "5 +(ADJP:* JJR=@gradable (PP:obl IN:case=than np.oblique)) | "
     "15 +(ADJP:* JJ=@able infinitive:xcomp) | 10 +(ADJP:* adjective pp.verb:obl)"},
    {"adverb", "(ADVP:advmod RB=@adverb)"},
    {"manner",
     "30 adverb | 50 (ADVP:advmod RB=@manner) | 10 (ADVP:advmod degree RB=@manner) | "
     "10 (ADVP:advmod RBR=@gradable)"},
};

// SplitMix64's finalizer: neighbouring ranks get unrelated words.
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The stem of a word beyond the list: a syllable that can take any suffix, with a
// prefix unless it is a name. The rest of the hash is left for further choices.
inline std::string spell_stem(std::uint64_t& hash, bool is_name) {
  static constexpr std::string_view kPrefixes[] = {"",    "",    "",      "re",    "de",  "con",
                                                   "pro", "sub", "ex",    "dis",   "per", "com",
                                                   "in",  "ad",  "inter", "trans", "un",  "over"};
  static constexpr std::string_view kOnsets[] = {"b",  "c",  "d",  "f",  "g",  "h",  "l",  "m",  "n",  "p",
                                                 "r",  "s",  "t",  "v",  "w",  "br", "cl", "cr", "dr", "fl",
                                                 "gr", "pl", "pr", "sc", "sp", "st", "tr", "sh", "ch", "str"};
  static constexpr std::string_view kNuclei[] = {"a", "e", "i", "o", "u", "a", "e", "o", "ea", "oo", "ai"};
  static constexpr std::string_view kCodas[] = {"b",  "ct", "d",  "ft", "g",  "l",  "lt", "m", "mp", "n",
                                                "nd", "nt", "pt", "r",  "rm", "rt", "st", "t", "v",  "ck"};
  const auto take = [&hash](std::span<const std::string_view> table) {
    const std::string_view chosen = table[hash % table.size()];
    hash /= table.size();
    return chosen;
  };
  std::string stem(is_name ? "" : take(kPrefixes));
  stem += take(kOnsets);
  stem += take(kNuclei);
  stem += take(kCodas);
  if (is_name) stem.front() = static_cast<char>(stem.front() - 'a' + 'A');
  return stem;
}

inline bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }
inline bool ends_in_consonant_y(std::string_view stem) {
  return stem.ends_with('y') && stem.size() > 1 && !is_vowel(stem[stem.size() - 2]);
}

// drop, plan, big: the last letter doubles after a single vowel.
inline bool doubles_last_letter(std::string_view stem) {
  if (std::count_if(stem.begin(), stem.end(), is_vowel) != 1 || stem.size() < 3) return false;
  return is_vowel(stem[stem.size() - 2]) &&
         std::string_view("wxy").find(stem.back()) == std::string_view::npos;
}

// -ed, -er, -est, -ing.
inline std::string add_suffix(std::string stem, std::string_view suffix) {
  const bool is_ing = suffix == "ing";
  if (is_ing && stem.ends_with("ie")) {
    stem.replace(stem.size() - 2, 2, "y");
  } else if (stem.ends_with('e') && !(is_ing && stem.ends_with("ee"))) {
    stem.pop_back();
  } else if (ends_in_consonant_y(stem) && !is_ing) {
    stem.back() = 'i';
  } else if (doubles_last_letter(stem)) {
    stem += stem.back();
  }
  return stem += suffix;
}

// The plural of a noun and the third person of a verb.
inline std::string add_s(std::string stem) {
  if (stem == "have") return "has";
  if (ends_in_consonant_y(stem)) {
    stem.back() = 'i';
    return stem += "es";
  }
  const bool hisses = std::string_view("sxzo").find(stem.back()) != std::string_view::npos;
  return stem += hisses || stem.ends_with("ch") || stem.ends_with("sh") ? "es" : "s";
}

// Splits off the text before the first separator; all of it if there is none.
inline std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

struct Verb {
  std::string base, past, participle, frames;
  std::uint64_t rank = 0;
};

// "base:frames" or "base/past/participle:frames"
inline Verb parse_verb(std::string_view entry, std::uint64_t rank) {
  std::string_view forms = take_until(entry, ':');
  Verb verb{std::string(take_until(forms, '/')), std::string(take_until(forms, '/')), std::string(forms),
            std::string(entry), rank};
  if (verb.past.empty()) verb.past = verb.participle = add_suffix(verb.base, "ed");
  return verb;
}

inline std::string inflect_verb(const Verb& verb, std::string_view tag) {
  if (tag == "VBD") return verb.past;
  if (tag == "VBN") return verb.participle;
  if (tag == "VBZ") return add_s(verb.base);
  return tag == "VBG" ? add_suffix(verb.base, "ing") : verb.base;
}

struct Inflected {
  std::string form, lemma;
};

// The form of a listed or spelled word that fits a Penn tag.
inline Inflected inflect(std::string_view entry, std::string_view tag) {
  if (tag.starts_with("VB") && entry.find(':') != std::string_view::npos) {
    const Verb verb = parse_verb(entry, 0);
    return {inflect_verb(verb, tag), verb.base};
  }
  std::string_view irregular = entry;
  std::string lemma(take_until(irregular, '/'));
  if (!irregular.empty() && tag != "NN") return {std::string(irregular), std::move(lemma)};
  const bool is_compared = (tag == "JJR" || tag == "RBR") && lemma != "more" && lemma != "less";
  if (tag == "NNS") return {add_s(lemma), lemma};
  if (tag == "JJS") return {add_suffix(lemma, "est"), lemma};
  return {is_compared ? add_suffix(lemma, "er") : lemma, lemma};
}

}  // namespace hinge::lexicon
