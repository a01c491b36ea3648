// Scores of rouge-score 0.1.2 for invented texts:
//   RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=...)
//       .score_multi(references, candidate)
// in percent, to eight digits.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace hinge::test {

struct RougeFigures {
  // [rouge1, rouge2, rougeL, rougeLsum][precision, recall, F1]
  using Table = std::array<std::array<double, 3>, 4>;
  std::string what;
  std::vector<std::string> references;
  std::string candidate;
  Table plain, stemmed;
};

inline const std::vector<RougeFigures> kRougeFigures = {
    {"the same text",
     {"The ferry left at noon."},
     "The ferry left at noon.",
     {{{100, 100, 100}, {100, 100, 100}, {100, 100, 100}, {100, 100, 100}}},
     {{{100, 100, 100}, {100, 100, 100}, {100, 100, 100}, {100, 100, 100}}}},
    {"nothing in common",
     {"Seven grey geese"},
     "otters swim upstream",
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
    {"one word, and case and punctuation",
     {"Harbour!"},
     "harbour",
     {{{100, 100, 100}, {0, 0, 0}, {100, 100, 100}, {100, 100, 100}}},
     {{{100, 100, 100}, {0, 0, 0}, {100, 100, 100}, {100, 100, 100}}}},
    {"words in another order",
     {"the keeper lit the lamp at dusk"},
     "at dusk the lamp was lit by the keeper",
     {{{77.777778, 100, 87.5},
       {37.5, 50, 42.857143},
       {33.333333, 42.857143, 37.5},
       {33.333333, 42.857143, 37.5}}},
     {{{77.777778, 100, 87.5},
       {37.5, 50, 42.857143},
       {33.333333, 42.857143, 37.5},
       {33.333333, 42.857143, 37.5}}}},
    {"endings that stem alike",
     {"The children were happily running races and agreed on rules"},
     "A child runs a race happily, agreeing on the rule",
     {{{30, 30, 30}, {0, 0, 0}, {20, 20, 20}, {20, 20, 20}}},
     {{{70, 70, 70}, {11.111111, 11.111111, 11.111111}, {50, 50, 50}, {50, 50, 50}}}},
    {"repeated words",
     {"the bell rang and rang"},
     "rang rang rang the the bell",
     {{{66.666667, 80, 72.727273},
       {20, 25, 22.222222},
       {33.333333, 40, 36.363636},
       {33.333333, 40, 36.363636}}},
     {{{66.666667, 80, 72.727273},
       {20, 25, 22.222222},
       {33.333333, 40, 36.363636},
       {33.333333, 40, 36.363636}}}},
    {"sentences on lines",
     {"The soup was cold.\nThe waiter was friendly, though.\nWe left a tip."},
     "We left a small tip.\nThe friendly waiter brought cold soup.",
     {{{81.818182, 69.230769, 75},
       {20, 16.666667, 18.181818},
       {36.363636, 30.769231, 33.333333},
       {63.636364, 53.846154, 58.333333}}},
     {{{81.818182, 69.230769, 75},
       {20, 16.666667, 18.181818},
       {36.363636, 30.769231, 33.333333},
       {63.636364, 53.846154, 58.333333}}}},
    {"two candidate sentences share a reference sentence",
     {"one two three four five"},
     "one two six seven\none three five eight",
     {{{50, 80, 61.538462}, {14.285714, 25, 18.181818}, {50, 80, 61.538462}, {50, 80, 61.538462}}},
     {{{50, 80, 61.538462}, {14.285714, 25, 18.181818}, {50, 80, 61.538462}, {50, 80, 61.538462}}}},
    {"three references",
     {"The screen is bright and sharp.", "Bright screen, but the battery dies quickly.",
      "Battery life is poor."},
     "A bright, sharp screen with poor battery life.",
     {{{37.5, 75, 50}, {14.285714, 33.333333, 20}, {37.5, 42.857143, 40}, {37.5, 42.857143, 40}}},
     {{{37.5, 75, 50}, {14.285714, 33.333333, 20}, {37.5, 42.857143, 40}, {37.5, 42.857143, 40}}}},
    {"an empty candidate",
     {"The room was clean."},
     "",
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
    {"an empty reference",
     {""},
     "The room was clean.",
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
    {"letters beyond ASCII",
     {"Cafés in \xC4\xB0"
      "zmir sell 5 \xE2\x84\xAA"
      "g of naïve bread"},
     "cafés sell 5kg bread in izmir",
     {{{71.428571, 41.666667, 52.631579},
       {16.666667, 9.0909091, 11.764706},
       {57.142857, 33.333333, 42.105263},
       {57.142857, 33.333333, 42.105263}}},
     {{{71.428571, 41.666667, 52.631579},
       {16.666667, 9.0909091, 11.764706},
       {57.142857, 33.333333, 42.105263},
       {57.142857, 33.333333, 42.105263}}}},
    {"numbers and hyphens",
     {"A well-known 3.5-inch drive from 1987"},
     "the well known 3.5 inch drives of 1987",
     {{{66.666667, 66.666667, 66.666667},
       {50, 50, 50},
       {66.666667, 66.666667, 66.666667},
       {66.666667, 66.666667, 66.666667}}},
     {{{77.777778, 77.777778, 77.777778},
       {62.5, 62.5, 62.5},
       {77.777778, 77.777778, 77.777778},
       {77.777778, 77.777778, 77.777778}}}},
    {"blank lines",
     {"\n\nFirst line here.\n\nSecond line there.\n"},
     "Second line here.\n\n\nFirst there.",
     {{{100, 83.333333, 90.909091}, {50, 40, 44.444444}, {60, 50, 54.545455}, {100, 83.333333, 90.909091}}},
     {{{100, 83.333333, 90.909091}, {50, 40, 44.444444}, {60, 50, 54.545455}, {100, 83.333333, 90.909091}}}},
};

}  // namespace hinge::test
