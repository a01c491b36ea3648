#include "hinge/tasks/summarize/features.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hinge/tasks/summarize/cuts.h"

namespace hinge::summarize {
namespace {

constexpr std::string_view kFirstPerson[] = {"i",  "im",  "ive", "m",  "me", "mine",
                                             "my", "our", "us",  "ve", "we"};
constexpr std::string_view kSecondPerson[] = {"you", "your", "yours"};
constexpr std::string_view kLeaning[] = {"also", "and", "because", "but",  "he",   "however", "it",   "or",
                                         "she",  "so",  "that",    "then", "they", "this",    "which"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

double log1(double x) { return std::log(std::max(x, 1.0)); }

// put(name, value) for every feature. Values are of the order of one, since all weights
// share one regularizer.
template <typename Put>
void each_feature(const BigramFacts& f, const Put& put) {
  const double log_df = log1(f.documents);
  const bool plain = f.stop_words == 0, mixed = f.stop_words == 1;
  put("one", 1.0);
  put("no-stop-word", plain);
  put("one-stop-word", mixed);
  // The unlearned system's weight (Gillick and Favre 2009): documents, if at least two.
  put("repeated-documents", f.documents >= 2 ? f.documents / 8 : 0.0);
  put("documents", f.documents / f.all_documents);
  put("log-documents", log_df);
  put("documents>=2", f.documents >= 2);
  put("documents>=3", f.documents >= 3);
  put("documents>=4", f.documents >= 4);
  put("documents>=6", f.documents >= 6);
  put("documents>=10", f.documents >= 10);
  put("documents>=20", f.documents >= 20);
  const double relative = f.documents / f.most_documents;
  put("relative-documents", relative);
  put("squared-relative-documents", relative * relative);
  put("sqrt-relative-documents", std::sqrt(relative));
  put("log-documents,log-all", log_df * std::log(f.all_documents) / 4);
  put("log-documents,no-stop-word", plain ? log_df : 0.0);
  put("log-documents,one-stop-word", mixed ? log_df : 0.0);
  put("log-repeats", log1(f.occurrences) - log_df);
  put("early", 1.0 - f.first_position);
  put("in-first", f.in_first);
  put("capitals", f.capitals);
  put("log-word-documents", log1(f.word_documents));
  put("relative-word-documents", f.word_documents / f.all_documents);
  put("sentence-length", f.sentence_length / 20);
  put("affinity", f.affinity / 2);
  put("affinity,repeated", f.documents >= 2 ? f.affinity / 2 : 0.0);
  // Gains are shares, not logarithms of shares.
  put("exp-affinity", std::exp(f.affinity) / 8);
  put("exp-word-affinity", std::exp(f.word_affinity) / 4);
  put("word-affinity", f.word_affinity);
  put("word-affinity,repeated", f.documents >= 2 ? f.word_affinity : 0.0);
}

template <typename Put>
void each_feature(const SentenceFacts& f, const Put& put) {
  put("one", 1.0);
  put("words", f.words / f.limit);
  put("short", f.words < 6);
  put("long", f.words > 25);
  put("position", f.position);
  put("first", f.first);
  put("last", f.last);
  put("similarity", f.similarity);
  put("similarity,words", f.similarity * f.words / f.limit);
  put("stop-words", f.stop_share);
  put("first-person", 5 * f.first_person);
  put("first-person>0", f.first_person > 0);
  put("second-person", 5 * f.second_person);
  put("digits", f.digits);
  put("question", f.question);
  put("exclamation", f.exclamation);
  put("leaning", f.leaning);
  put("capitals", f.capitals);
  put("affinity", f.affinity);
  put("affinity,words", f.affinity * f.words / f.limit);
  put("bigram-affinity", f.bigram_affinity);
}

template <typename Facts>
void append(const Facts& facts, std::vector<float>& rows) {
  each_feature(facts, [&](const char*, double value) { rows.push_back(static_cast<float>(value)); });
}

template <typename Facts>
std::size_t count() {
  std::size_t n = 0;
  each_feature(Facts{}, [&n](const char*, double) { ++n; });
  return n;
}

}  // namespace

std::vector<char> feature_mask(std::string_view features) {
  std::vector<char> mask;
  for (const std::string& name : feature_names()) {
    const bool bigram = name.starts_with("bigram:"), phrase = name.find("affinity") != std::string::npos;
    mask.push_back(features == "all" || (features == "no-phrases" && !phrase) ||
                   (features == "bigrams" && bigram && !phrase) ||
                   (features == "documents" && name == "bigram:repeated-documents") ||
                   (features != "documents" && name.starts_with("cut:")));
  }
  return mask;
}

Layout layout() {
  return {.bigrams = count<BigramFacts>(), .sentences = count<SentenceFacts>(), .cuts = kCutKinds.size() + 2};
}

std::vector<std::string> feature_names() {
  std::vector<std::string> names;
  each_feature(BigramFacts{},
               [&](const char* name, double) { names.push_back(fmt::format("bigram:{}", name)); });
  each_feature(SentenceFacts{},
               [&](const char* name, double) { names.push_back(fmt::format("sentence:{}", name)); });
  for (const std::string_view kind : kCutKinds) names.push_back(fmt::format("cut:{}", kind));
  names.emplace_back("cut:one");
  names.emplace_back("cut:words");
  return names;
}

void append_row(const BigramFacts& facts, std::vector<float>& rows) { append(facts, rows); }
void append_row(const SentenceFacts& facts, std::vector<float>& rows) { append(facts, rows); }

void look_at(const std::string& text, SentenceFacts& facts) {
  double words = 0, first = 0, second = 0, digits = 0, capitals = 0;
  std::string word;
  each_rouge_word(text, [&](std::string_view shown) {
    word.clear();
    bool all_capitals = shown.size() > 1;
    for (const char c : shown) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      all_capitals &= !(c >= 'a' && c <= 'z');
    }
    if (words == 0) facts.leaning = contains(kLeaning, word);
    ++words;
    first += contains(kFirstPerson, word);
    second += contains(kSecondPerson, word);
    const bool number = word[0] >= '0' && word[0] <= '9';
    digits += number;
    capitals += all_capitals && !number;
  });
  words = std::max(words, 1.0);
  facts.first_person = first / words;
  facts.second_person = second / words;
  facts.digits = digits / words;
  facts.capitals = capitals / words;
  facts.question = text.find('?') != std::string::npos;
  facts.exclamation = text.find('!') != std::string::npos;
}

}  // namespace hinge::summarize
