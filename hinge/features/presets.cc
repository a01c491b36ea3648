#include "hinge/features/presets.h"

#include <fmt/core.h>

#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/text_source.h"

namespace hinge {
namespace {

// Words up to two tokens away, word bigrams, tags up to two tokens away, tag bigrams
// and trigrams: the template that CRF++ and CRFsuite ship for CoNLL-2000.
std::string chunk() {
  std::string text = "# words in column 0, tags in column 1\n";
  for (int r = -2; r <= 2; ++r) text += fmt::format("U{:02}:%x[{},0]\n", r + 2, r);
  text += "U05:%x[-1,0]/%x[0,0]\nU06:%x[0,0]/%x[1,0]\n";
  for (int r = -2; r <= 2; ++r) text += fmt::format("U{:02}:%x[{},1]\n", r + 12, r);
  for (int r = -2; r <= 1; ++r) text += fmt::format("U{:02}:%x[{},1]/%x[{},1]\n", r + 17, r, r + 1);
  for (int r = -2; r <= 0; ++r)
    text += fmt::format("U{:02}:%x[{},1]/%x[{},1]/%x[{},1]\n", r + 22, r, r + 1, r + 2);
  return text + "B\n";
}

// From `shortest` to four consecutive tags, at most three tokens away.
std::string tag_sequences(int shortest) {
  std::string text;
  for (int length = shortest; length <= 4; ++length) {
    for (int r = -3; r + length <= 4; ++r) {
      text += fmt::format("Ug{}{}:", length, r);
      for (int k = 0; k < length; ++k) text += fmt::format("{}%x[{},1]", k > 0 ? "/" : "", r + k);
      text += "\n";
    }
  }
  return text;
}

// A word with two tags.
constexpr std::string_view kWordsWithTags =
    "Um5:%x[0,0]/%x[0,1]/%x[1,1]\nUm6:%x[-1,1]/%x[0,1]/%x[0,0]\nUm7:%x[-1,1]/%x[0,0]/%x[1,1]\n";

// Sequences of tags, pairs of words, words with tags.
std::string tag_and_word_sequences() {
  std::string text = tag_sequences(2);
  for (int r = -2; r <= 1; ++r) text += fmt::format("Ub{}:%x[{},0]/%x[{},0]\n", r, r, r + 1);
  return text +
         "Um0:%x[0,0]/%x[0,1]\nUm1:%x[-1,0]/%x[0,1]\nUm2:%x[0,1]/%x[1,0]\nUm3:%x[-1,1]/%x[0,0]\n"
         "Um4:%x[0,0]/%x[1,1]\n" +
         std::string(kWordsWithTags);
}

// Yu & Lam (COLING 2010), Table 1: every row q_k(x, t), at every distance up to
// three. Their "lexicon of words with POS p (from the Brill tagger)" is here the tags
// each word has in the training data. The rows alone, without conjunctions, give a
// point of F1 less than they report (docs/templates.md), and far fewer features than
// they report, so they must have used conjunctions: those of tags and words are
// added, and suffixes.
std::string np_chunk() {
  constexpr std::string_view kTests[] = {
      "^[A-Z]",                           // matches [A-Z]
      "^[A-Z]+$",                         // matches [A-Z]+
      "^[A-Z][a-z]+$",                    // matches [A-Z][a-z]+
      "^[A-Z]+[a-z]+[A-Z]+[a-z]",         // matches [A-Z]+[a-z]+[A-Z]+[a-z]
      "[0-9]",                            // matches .*[0-9].*
      "-",                                // contains a dash
      "-based",                           // contains "-based"
      "^[A-Z][a-z]",                      // is capitalized
      "^[A-Z.]+$",                        // is all capitals
      "^[A-Z]\\.?$",                      // is a single capital letter
      "[a-z][A-Z]|[A-Z]{2,}[a-z]",        // has mixed capitalization
      "^(1[0-9]|20)[0-9][0-9]s?$",        // is a year
      "^'?[0-9]{2,4}s?-'?[0-9]{2,4}s?$",  // is a span of years
      "^[0-9]+(\\\\?/)[0-9]+$",           // is a fraction
  };
  constexpr int kRanks = 5;  // tags per word of the lexicon
  std::string text = "# words in column 0, tags in column 1\n";
  for (int r = -3; r <= 3; ++r) {
    text += fmt::format("Uw{0}:%x[{0},0]\nUp{0}:%x[{0},1]\n", r);
    for (std::size_t k = 0; k < std::size(kTests); ++k) {
      text += fmt::format("Uq{},{}:%if[{},0,\"{}\"]\n", k, r, r, kTests[k]);
    }
    for (int k = 1; k <= kRanks; ++k) text += fmt::format("Ul{0}:%lexicon[{0},0,1,{1}]\n", r, k);
  }
  return text + tag_and_word_sequences() +
         "Us2:%suffix[0,0,2]\nUs3:%suffix[0,0,3]\nUs3-1:%suffix[-1,0,3]\nUs3+1:%suffix[1,0,3]\nUh0:%shape[0,"
         "0]\n"
         "B\n";
}

// Single facts, for kernels, which conjoin them. Chosen on a held-out tenth of CoNLL-2000
// train.
std::string plain() {
  std::string text = "# words in column 0, tags in column 1; nothing conjoined: for kernels\n";
  for (int r = -2; r <= 2; ++r) text += fmt::format("Uw{0}:%x[{0},0]\n", r);
  for (int r = -3; r <= 3; ++r) text += fmt::format("Up{0}:%x[{0},1]\n", r);
  text +=
      "Us2:%suffix[0,0,2]\nUs3:%suffix[0,0,3]\nUs3-1:%suffix[-1,0,3]\nUs3+1:%suffix[1,0,3]\nUh0:%shape[0,0]\n"
      "Uc:%if[0,0,\"^[A-Z]\"]\nUd:%if[0,0,\"[0-9]\"]\nU-:%if[0,0,\"-\"]\n";
  for (int r = -1; r <= 1; ++r)
    text += fmt::format("Ul1,{0}:%lexicon[{0},0,1,1]\nUl2,{0}:%lexicon[{0},0,1,2]\n", r);
  return text + "B\n";
}

// What pairs of `plain` cannot say: conjunctions of three and four.
std::string triples() {
  return "# words in column 0, tags in column 1; to go with paired=plain\n" + tag_sequences(3) +
         std::string(kWordsWithTags) + "B\n";
}

// Spelling, from which a tagger can guess the tag of an unknown word.
std::string spelling(int longest) {
  std::string text;
  for (int n = 1; n <= longest; ++n)
    text += fmt::format("Up{0}:%prefix[0,0,{0}]\nUs{0}:%suffix[0,0,{0}]\n", n);
  return text + "Ul0:%lower[0,0]\nUh0:%shape[0,0]\n";
}

std::string words_within_two() {
  std::string text;
  for (int r = -2; r <= 2; ++r) text += fmt::format("Uw{0}:%x[{0},0]\n", r);
  return text + "Uw-1,0:%x[-1,0]/%x[0,0]\nUw0,1:%x[0,0]/%x[1,0]\n";
}

std::string pos() {
  return "# words in column 0\n" + words_within_two() + spelling(4) +
         "Ul-1:%lower[-1,0]\nUl1:%lower[1,0]\n"
         "Us-1:%suffix[-1,0,3]\nUs+1:%suffix[1,0,3]\n"
         "Us-1,0:%suffix[-1,0,2]/%suffix[0,0,2]\nUs0,1:%suffix[0,0,2]/%suffix[1,0,2]\n"
         "Uh-1:%shape[-1,0]\nUh+1:%shape[1,0]\nUd0:%digits[0,0]\n"
         "B\n";
}

// A name is often plain from the words around it elsewhere in the document (Ratinov &
// Roth, CoNLL 2009, section 6). Only for words with a capital letter: others say nothing.
constexpr std::string_view kCapital = "%if[0,0,\"[A-Z]\"]";

std::string earlier_context() {
  std::string text;
  for (const int r : {-1, 1}) text += fmt::format("Ue{0}:{1}%lower[earlier{0:+},0]\n", r, kCapital);
  return text + fmt::format("Ueh:{0}%shape[earlier,0]\nUeh-1,1:{0}%shape[earlier-1,0]/%shape[earlier+1,0]\n", kCapital);
}

std::string ner() {
  return "# words in column 0\n" + words_within_two() + spelling(4) +
         "Ul-2:%lower[-2,0]\nUl-1:%lower[-1,0]\nUl1:%lower[1,0]\nUl2:%lower[2,0]\n"
         "Uh-2:%shape[-2,0]\nUh-1:%shape[-1,0]\nUh1:%shape[1,0]\nUh2:%shape[2,0]\n"
         "Uh-1,0:%shape[-1,0]/%shape[0,0]\nUh0,1:%shape[0,0]/%shape[1,0]\n"
         "Uh-1,0,1:%shape[-1,0]/%shape[0,0]/%shape[1,0]\n"
         "Ulh:%lower[-1,0]/%shape[0,0]\nUd0:%digits[0,0]\n" +
         earlier_context() + "B\n";
}

constexpr Preset kTable[] = {
    {"chunk", "words and tags up to 2 tokens away, their bigrams, tag trigrams (columns: word, tag)", chunk},
    {"np-chunk",
     "every row of Table 1 of Yu & Lam 2010, up to 3 tokens away, and conjunctions (columns: word, tag)",
     np_chunk},
    {"plain", "words, tags, suffixes, shape, nothing conjoined: for kernels (columns: word, tag)", plain},
    {"triples", "three or four tags, words with two tags: for kernels with paired=plain (columns: word, tag)",
     triples},
    {"pos", "words up to 2 tokens away, spelling of the word and its neighbours (column: word)", pos},
    {"ner",
     "as pos, with shapes of neighbouring words and what is around earlier occurrences of the word (column: "
     "word; other columns of tags are used if they are there)",
     ner},
};

}  // namespace

std::span<const Preset> token_preset_table() { return kTable; }

std::string preset_names(std::span<const Preset> presets) {
  std::vector<std::string_view> names;
  for (const Preset& preset : presets) names.push_back(preset.name);
  return join(names, ", ");
}

std::string template_text(const std::string& features, std::span<const Preset> presets) {
  for (const Preset& preset : presets) {
    if (preset.name == features) return preset.text();
  }
  try {
    return read_text(features);
  } catch (const InputError& error) {
    if (features.find_first_of("./") != std::string::npos) throw;
    fail<OptionError>("features: '{}' is neither a preset ({}) nor a template file that can be read ({})",
                      features, preset_names(presets), error.what());
  }
}

std::string cluster_templates(bool earlier) {
  std::string text;
  for (int r = -2; r <= 2; ++r) {
    for (const int bits : {4, 6, 10, 20}) text += fmt::format("Uc{0},{1}:%Cluster[{0},0,{1}]\n", r, bits);
  }
  text += "Uc-1,0:%Cluster[-1,0,6]/%Cluster[0,0,6]\nUc0,1:%Cluster[0,0,6]/%Cluster[1,0,6]\n";
  if (!earlier) return text;
  for (const int r : {-1, 1}) text += fmt::format("Uec{0}:{1}%Cluster[earlier{0:+},0,10]\n", r, kCapital);
  return text;
}

std::string gazetteer_templates(const std::string& path) {
  std::string quoted;
  for (const char c : path) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  std::string text;
  for (int r = -1; r <= 1; ++r) text += fmt::format("Ug{0}:%gazetteer[{0},0,\"{1}\"]\n", r, quoted);
  return text + fmt::format("Ugh:%gazetteer[0,0,\"{0}\"]/%shape[0,0]\n", quoted);
}

std::string column_templates(std::size_t column) {
  std::string text;
  for (int r = -2; r <= 2; ++r) text += fmt::format("Ux{0},{1}:%x[{0},{1}]\n", r, column);
  for (const int r : {-1, 0}) text += fmt::format("Uxx{0},{1}:%x[{0},{1}]/%x[{2},{1}]\n", r, column, r + 1);
  return text;
}

}  // namespace hinge
