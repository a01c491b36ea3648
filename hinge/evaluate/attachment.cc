#include "hinge/evaluate/attachment.h"

#include "hinge/core/state_bytes.h"

#include <utf8proc.h>

#include <algorithm>
#include <cassert>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/dependencies.h"

namespace hinge {
namespace {

constexpr std::string_view kUniversalTags[] = {"ADJ",   "ADP",   "ADV", "AUX",  "CCONJ", "DET",
                                               "INTJ",  "NOUN",  "NUM", "PART", "PRON",  "PROPN",
                                               "PUNCT", "SCONJ", "SYM", "VERB", "X"};
constexpr std::string_view kContent[] = {
    "acl",       "advcl",      "advmod",    "amod",       "appos",  "ccomp", "compound", "conj",
    "csubj",     "dep",        "discourse", "dislocated", "expl",   "fixed", "flat",     "goeswith",
    "iobj",      "list",       "nmod",      "nsubj",      "nummod", "obj",   "obl",      "orphan",
    "parataxis", "reparandum", "root",      "vocative",   "xcomp"};

template <std::size_t N>
bool is_among(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_punctuation(utf8proc_int32_t code) {
  const utf8proc_category_t category = utf8proc_category(code);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

std::string_view universal(std::string_view relation) { return relation.substr(0, relation.find(':')); }

template <typename Map>
auto& entry(Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found != map.end() ? found->second : map[std::string(key)];
}

}  // namespace

bool is_punctuation(std::string_view upos, std::string_view form) {
  if (is_among(upos, kUniversalTags)) return upos == "PUNCT";
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(form.data());
  const auto* end = at + form.size();
  while (at < end) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, end - at, &code);
    if (length < 1 || !is_punctuation(code)) return false;
    at += length;
  }
  return !form.empty();
}

void AttachmentScorer::add(const AttachmentSentence& sentence) {
  const std::size_t size = sentence.gold_heads.size();
  assert(sentence.system_heads.size() == size && sentence.is_punctuation.size() == size);
  if (size <= 1) return;
  std::int64_t right = 0;
  for (std::size_t word = 1; word < size; ++word) {
    const bool head = sentence.gold_heads[word] == sentence.system_heads[word];
    const bool punctuation = sentence.is_punctuation[word] != 0;
    right += head;
    heads_nopunct_ += head && !punctuation;
    punctuation_ += punctuation;
  }
  const auto words = static_cast<std::int64_t>(size - 1);
  heads_ += right;
  words_ += words;
  ++sentences_;
  trees_ += right == words;
  labelled_ = labelled_ && !sentence.gold_labels.empty() && !sentence.system_labels.empty();
  if (labelled_) add_labels(sentence);
}

void AttachmentScorer::Counts::add(const Counts& other) {
  gold += other.gold;
  found += other.found;
  correct += other.correct;
}

void AttachmentScorer::add(const AttachmentScorer& other) {
  constexpr std::int64_t AttachmentScorer::*kCounts[] = {
      &AttachmentScorer::words_,         &AttachmentScorer::punctuation_,   &AttachmentScorer::heads_,
      &AttachmentScorer::heads_nopunct_, &AttachmentScorer::labels_,        &AttachmentScorer::arcs_,
      &AttachmentScorer::arcs_nopunct_,  &AttachmentScorer::arcs_full_,     &AttachmentScorer::sentences_,
      &AttachmentScorer::trees_,         &AttachmentScorer::labelled_trees_};
  for (const auto count : kCounts) this->*count += other.*count;
  for (const auto& [relation, counts] : other.relations_) relations_[relation].add(counts);
  confusions_.add(other.confusions_);
  labelled_ = labelled_ && other.labelled_;
}

void AttachmentScorer::add_labels(const AttachmentSentence& sentence) {
  const std::size_t size = sentence.gold_heads.size();
  assert(sentence.gold_labels.size() == size && sentence.system_labels.size() == size);
  bool all_right = true;
  for (std::size_t word = 1; word < size; ++word) {
    const std::string_view gold = universal(sentence.gold_labels[word]);
    const std::string_view system = universal(sentence.system_labels[word]);
    const bool head = sentence.gold_heads[word] == sentence.system_heads[word];
    const bool arc = head && gold == system;
    labels_ += gold == system;
    arcs_ += arc;
    arcs_nopunct_ += arc && sentence.is_punctuation[word] == 0;
    arcs_full_ += head && sentence.gold_labels[word] == sentence.system_labels[word];
    Counts& counts = entry(relations_, gold);
    ++counts.gold;
    counts.correct += arc;
    ++entry(relations_, system).found;
    confusions_.add(gold, system);
    all_right = all_right && arc;
  }
  labelled_trees_ += all_right;
}

// A correct arc has the same relation in gold and system, so summing over
// relations gives the counts of the shared task.
AttachmentScorer::Counts AttachmentScorer::content() const {
  Counts sum;
  for (const auto& [relation, counts] : relations_) {
    if (is_among(relation, kContent)) sum.add(counts);
  }
  return sum;
}

Scores AttachmentScorer::scores_of(const Counts& counts) {
  return {{"f1", percent(2 * counts.correct, counts.gold + counts.found)},
          {"precision", percent(counts.correct, counts.found)},
          {"recall", percent(counts.correct, counts.gold)}};
}

void AttachmentScorer::visit(State& state) {
  state(words_, punctuation_, heads_, heads_nopunct_, labels_, arcs_, arcs_nopunct_, arcs_full_, sentences_,
        trees_, labelled_trees_, labelled_);
  visit_map(state, relations_);
}

Evaluation AttachmentScorer::evaluate() const {
  Evaluation result;
  const auto add = [&result](std::string_view name, std::int64_t right, std::int64_t of) {
    result.scores.emplace_back(name, percent(right, of));
  };
  const std::int64_t nopunct = words_ - punctuation_;
  const Counts content = this->content();
  add("uas", heads_, words_);
  if (labelled_) add("las", arcs_, words_);
  if (labelled_ && content.gold > 0) add("clas", 2 * content.correct, content.gold + content.found);
  add("exact", trees_, sentences_);
  if (labelled_) add("exact_labelled", labelled_trees_, sentences_);
  if (labelled_) add("label", labels_, words_);
  add("uas_nopunct", heads_nopunct_, nopunct);
  if (labelled_) add("las_nopunct", arcs_nopunct_, nopunct);
  if (labelled_) add("las_full", arcs_full_, words_);
  result.text = text();
  if (!labelled_) return result;
  result.confusion = confusions_.table(relations_);
  for (const auto& [relation, counts] : relations_) {
    Scores scores = scores_of(counts);
    scores.emplace_back("gold", static_cast<double>(counts.gold));
    scores.emplace_back("found", static_cast<double>(counts.found));
    result.detail.emplace_back(relation, std::move(scores));
  }
  return result;
}

std::string AttachmentScorer::text() const {
  std::string text =
      fmt::format("{} words in {} sentences, {} of them punctuation\n", words_, sentences_, punctuation_);
  const auto line = [&text](std::string_view what, std::int64_t right, std::int64_t of) {
    text += fmt::format("{:>17}: {:6.2f}%  {} of {}\n", what, percent(right, of), right, of);
  };
  const std::int64_t nopunct = words_ - punctuation_;
  line("UAS", heads_, words_);
  if (labelled_) {
    line("LAS", arcs_, words_);
    line("LAS with subtypes", arcs_full_, words_);
    if (const Counts sum = content(); sum.gold > 0) {
      const Scores clas = scores_of(sum);
      text += fmt::format("{:>17}: {:6.2f}%  precision: {:6.2f}%; recall: {:6.2f}%\n", "CLAS", clas[0].second,
                          clas[1].second, clas[2].second);
    }
    line("labels", labels_, words_);
  }
  line("UAS, no punct.", heads_nopunct_, nopunct);
  if (labelled_) line("LAS, no punct.", arcs_nopunct_, nopunct);
  line("whole trees", trees_, sentences_);
  if (!labelled_) return text;
  line("with labels", labelled_trees_, sentences_);
  text += "labelled attachment by relation:\n";
  for (const auto& [relation, counts] : relations_) {
    const Scores scores = scores_of(counts);
    text += fmt::format("{:>17}: precision: {:6.2f}%; recall: {:6.2f}%; F1: {:6.2f}  {}\n", relation,
                        scores[1].second, scores[2].second, scores[0].second, counts.gold);
  }
  return text;
}

// ---- Files

namespace {

// A file read for its trees, and its labels if it has any.
class TreeFile {
 public:
  explicit TreeFile(const std::string& path) : reader_(path, /*annotated=*/true, /*labelled=*/false) {}

  bool next() {
    if (!reader_.next()) return false;
    labels_.assign(1, {});
    for (std::size_t word = 1; word <= reader_.words(); ++word) add_label(word);
    ++sentences_;
    return true;
  }

  const DependencyReader& reader() const { return reader_; }
  std::span<const std::string_view> labels() const {
    return labelled_ ? std::span<const std::string_view>(labels_) : std::span<const std::string_view>();
  }
  std::size_t sentences() const { return sentences_; }

 private:
  // The first word decides for the whole file: if only some labels are missing,
  // that is an error.
  void add_label(std::size_t word) {
    const std::string_view label = reader_.label(word);
    const bool present = !label.empty() && label != "_";
    if (sentences_ == 0 && word == 1) labelled_ = present;
    if (present != labelled_) {
      fail<InputError>(
          "{}: the DEPREL of word {} is '{}', but the words before it have {}; give a relation to all words "
          "of "
          "the file, or _ to all",
          reader_.where(word), word, label, labelled_ ? "relations" : "none");
    }
    labels_.push_back(label);
  }

  DependencyReader reader_;
  std::vector<std::string_view> labels_;  // [words + 1]
  std::size_t sentences_ = 0;
  bool labelled_ = false;
};

void check_same_words(const DependencyReader& gold, const DependencyReader& system) {
  const std::size_t both = std::min(gold.words(), system.words());
  for (std::size_t word = 1; word <= both; ++word) {
    if (gold.cell(word, kForm) == system.cell(word, kForm)) continue;
    fail<InputError>("{}: the FORM is '{}', but '{}' at {}; both files must have the same words",
                     system.where(word), system.cell(word, kForm), gold.cell(word, kForm), gold.where(word));
  }
  if (gold.words() == system.words()) return;
  fail<InputError>("{}: the sentence has {} words, but {} at {}; both files must have the same words",
                   system.where(1), system.words(), gold.words(), gold.where(1));
}

[[noreturn]] void fail_shorter(const DependencyReader& shorter, std::size_t sentences,
                               const DependencyReader& longer) {
  fail<InputError>(
      "{}: ends after {} sentence{}, but {} begins another; both files must have the same sentences",
      shorter.name(), sentences, sentences == 1 ? "" : "s", longer.where(1));
}

}  // namespace

Evaluation evaluate_dependency_files(const std::string& gold_path, const std::string& system_path) {
  TreeFile gold(gold_path);
  TreeFile system(system_path);
  AttachmentScorer scorer;
  std::vector<char> punctuation;
  while (gold.next()) {
    const DependencyReader& reader = gold.reader();
    if (!system.next()) fail_shorter(system.reader(), system.sentences(), reader);
    check_same_words(reader, system.reader());
    punctuation.assign(1, 0);
    for (std::size_t word = 1; word <= reader.words(); ++word) {
      punctuation.push_back(is_punctuation(reader.cell(word, kUpos), reader.cell(word, kForm)));
    }
    scorer.add({.gold_heads = reader.heads(),
                .system_heads = system.reader().heads(),
                .gold_labels = gold.labels(),
                .system_labels = system.labels(),
                .is_punctuation = punctuation});
  }
  if (gold.sentences() == 0) {
    fail<InputError>(
        "{}: has no sentences to evaluate; one word per line was expected, an empty line after each sentence",
        gold.reader().name());
  }
  if (system.next()) fail_shorter(gold.reader(), gold.sentences(), system.reader());
  return scorer.evaluate();
}

}  // namespace hinge
