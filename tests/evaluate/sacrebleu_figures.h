// Scores of sacrebleu 2.6.0 for invented corpora: for "bleu"
//   BLEU(tokenize="none", smooth_method=...).corpus_score(hypotheses, references)
// with the smoothings and their default values, and CHRF(), CHRF(word_order=2)
// and TER(case_sensitive=True) likewise, to eight digits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hinge::test {

struct Segment {
  std::vector<std::string> references;
  std::string hypothesis;
};

struct SacrebleuFigures {
  double bleu_exp, bleu_none, bleu_floor, bleu_add_k;
  double chrf, chrf_plus_plus, ter;
};

struct Corpus {
  std::string what;
  std::vector<Segment> segments;
  SacrebleuFigures figures;
};

inline std::vector<Corpus> written_corpora() {
  return {
      {"one sentence, one word wrong",
       {{{"the old ferry leaves the island at nine"}, "the old ferry leaves the harbour at nine"}},
       {59.46035575, 59.46035575, 59.46035575, 65.80370065, 70.79473437, 72.96471236, 12.5}},
      {"two sentences, the second short of words",
       {{{"she counted the boats twice before supper"}, "she counted the boats twice before supper"},
        {{"nobody on the pier believed her when she said eleven"}, "nobody on the pier believed her"}},
       {73.51414806, 73.51414806, 73.51414806, 73.51414806, 80.41472567, 80.02723228, 23.52941176}},
      {"no four words in a row match",
       {{{"rain fell on the tin roof all night long"}, "all night rain fell on a roof of tin"}},
       {24.27458859, 0.0, 16.23339577, 33.33333333, 54.0818042, 55.00378781, 44.44444444}},
      {"no word matches",
       {{{"seven grey geese"}, "otters swim upstream daily"}},
       {0.0, 0.0, 0.0, 0.0, 7.45541391, 5.59156043, 133.33333333}},
      {"words repeated beyond the reference",
       {{{"the cat is on the mat"}, "the the the the the the the"},
        {{"on and on and on"}, "on on and and on on on"}},
       {10.68217516, 0.0, 5.68109683, 18.47686042, 28.48130593, 31.51213402, 72.72727273}},
      {"three references of different lengths",
       {{{"the keeper lit the lamp at dusk", "at dusk the lamp was lit by the keeper",
          "dusk came and the keeper lit his lamp early"},
         "at dusk the keeper lit his lamp"},
        {{"ships passed", "a few ships passed in the dark", "some ships went by in the darkness that night"},
         "a few ships went by in the dark"}},
       {77.65453555, 77.65453555, 77.65453555, 80.34284189, 62.82039346, 64.86215203, 27.90697674}},
      {"references as close in length on both sides",
       {{{"green apples rot slowly in there", "green apples rot"}, "green apples rot slowly"},
        {{"one two three four five six", "one two"}, "one two three four"}},
       {100.0, 100.0, 100.0, 100.0, 77.64480217, 77.39215162, 35.29411765}},
      {"empty hypotheses and references",
       {{{"somebody wrote a line here"}, ""},
        {{""}, "words for nobody"},
        {{""}, ""},
        {{"a full line of words at last"}, "a full line of words at last"}},
       {66.58641266, 66.58641266, 66.58641266, 67.66947371, 55.55555556, 57.807462, 66.66666667}},
      {"an empty reference beside another",
       {{{"", "the bell rang thrice"}, "the bell rang twice"}, {{"the bell rang thrice", ""}, ""}},
       {59.46035575, 0.0, 39.76353644, 65.80370065, 39.83937204, 39.72105339, 25.0}},
      {"one-word sentences",
       {{{"yes"}, "yes"}, {{"no"}, "yes"}, {{"maybe"}, "maybe not"}, {{"perhaps so"}, "perhaps"}},
       {0.0, 0.0, 0.0, 74.00828045, 72.34756128, 70.58406479, 60.0}},
      {"words moved, alone and together",
       {{{"in the morning the baker opened his shop near the old bridge"},
         "the baker opened his shop near the old bridge in the morning"},
        {{"he gave the letter to his sister and left"}, "he gave his sister the letter and left"},
        {{"first wash the red beets then peel and slice them thinly"},
         "then peel and slice them thinly first wash the beets red"}},
       {61.19438993, 61.19438993, 61.19438993, 62.85696162, 86.1991818, 85.95020175, 18.75}},
      {"letters beyond ASCII",
       {{{"der Müller mahlt süße Körner für die Bäckerin"}, "der Müller mahlt Körner für die süsse Bäckerin"},
        {{"日本 の 冬 は 寒い です"}, "日本 の 冬 とても 寒い"},
        {{"ελιές και ψωμί 🫒"}, "ελιές , ψωμί 🫒"}},
       {27.29088957, 0.0, 18.25051782, 33.67299806, 65.76588319, 65.07152425, 27.77777778}},
      {"punctuation in and on words",
       {{{"\"well,\" she said, (quietly) don't go..."}, "\"well\" , she said (quietly): do n't go ..."},
        {{"it's 5.30 p.m., isn't it?"}, "it's 5:30 p.m. , isn't it ?"}},
       {3.63394211, 0.0, 1.82777611, 9.66926569, 71.53338315, 63.9976279, 118.18181818}},
      {"case told apart",
       {{{"The Mill By The River"}, "the mill by the river"},
        {{"turn left at Mill Road"}, "Turn left at mill Road"}},
       {11.82177011, 0.0, 6.28716715, 20.89104546, 47.26402075, 40.76051557, 70.0}},
      {"hypotheses far too long",
       {{{"stop here"}, "please do stop somewhere around here if you can possibly manage that"},
        {{"thanks"}, "many many thanks to you and to all of your friends"}},
       {2.34125063, 0.0, 1.17758672, 6.37040523, 25.11792676, 24.21945186, 666.66666667}},
  };
}

// For corpora too long to write down: words are numbers from a generator that is
// two lines in any language.
struct Lottery {
  std::uint32_t state;

  std::size_t below(std::size_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % n;
  }
};

struct RandomCorpus {
  std::string what;
  std::uint32_t seed;
  int segments, references;
  std::size_t shortest, longest, vocabulary;
  int edits;  // from the first reference to the hypothesis; -1: they are unrelated
  SacrebleuFigures figures;
};

inline std::vector<RandomCorpus> random_corpora() {
  return {
      {"short, few words",
       1,
       300,
       1,
       0,
       6,
       3,
       -1,
       {7.74301828, 7.74301828, 7.74301828, 8.42418498, 11.15152471, 15.92404781, 101.85387132}},
      {"several references",
       2,
       200,
       3,
       1,
       12,
       8,
       -1,
       {5.19719725, 5.19719725, 5.19719725, 5.81776237, 10.10218987, 15.12409104, 82.81604845}},
      {"edited, some words moved",
       3,
       150,
       1,
       5,
       30,
       40,
       4,
       {51.1938516, 51.1938516, 51.1938516, 51.21710405, 60.20218106, 63.53797171, 22.70227808}},
      {"long, beyond the beam",
       4,
       25,
       2,
       60,
       120,
       60,
       12,
       {65.27172113, 65.27172113, 65.27172113, 65.28786135, 72.28569552, 74.96132254, 17.21973094}},
      {"more moves than are tried",
       5,
       12,
       1,
       40,
       80,
       6,
       -1,
       {24.49293227, 24.49293227, 24.49293227, 24.74573907, 28.14009084, 38.89670218, 66.57303371}},
  };
}

using Sentence = std::vector<std::string>;

inline Sentence random_sentence(const RandomCorpus& corpus, Lottery& lottery) {
  Sentence words(corpus.shortest + lottery.below(corpus.longest - corpus.shortest + 1));
  for (std::string& word : words) word = std::to_string(lottery.below(corpus.vocabulary));
  return words;
}

// Replaces a word, deletes one, or moves up to six.
inline void edit(const RandomCorpus& corpus, Lottery& lottery, Sentence& words) {
  if (words.empty()) return;
  const std::size_t at = lottery.below(words.size());
  const std::size_t what = lottery.below(3);
  const auto place = words.begin() + static_cast<std::ptrdiff_t>(at);
  if (what == 0) {
    *place = std::to_string(lottery.below(corpus.vocabulary));
  } else if (what == 1) {
    words.erase(place);
  } else {
    const std::size_t length = 1 + lottery.below(std::min<std::size_t>(6, words.size() - at));
    const Sentence moved(place, place + static_cast<std::ptrdiff_t>(length));
    words.erase(place, place + static_cast<std::ptrdiff_t>(length));
    const std::size_t target = lottery.below(words.size() + 1);
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(target), moved.begin(), moved.end());
  }
}

inline std::string joined(const Sentence& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

inline std::vector<Segment> draw(const RandomCorpus& corpus) {
  Lottery lottery{corpus.seed};
  std::vector<Segment> segments(static_cast<std::size_t>(corpus.segments));
  for (Segment& segment : segments) {
    std::vector<Sentence> references;
    for (int r = 0; r < corpus.references; ++r) references.push_back(random_sentence(corpus, lottery));
    Sentence hypothesis = corpus.edits < 0 ? random_sentence(corpus, lottery) : references[0];
    for (int e = 0; e < corpus.edits; ++e) edit(corpus, lottery, hypothesis);
    for (const Sentence& reference : references) segment.references.push_back(joined(reference));
    segment.hypothesis = joined(hypothesis);
  }
  return segments;
}

inline std::vector<Corpus> all_corpora() {
  std::vector<Corpus> corpora = written_corpora();
  for (const RandomCorpus& random : random_corpora()) {
    corpora.push_back({random.what, draw(random), random.figures});
  }
  return corpora;
}

}  // namespace hinge::test
