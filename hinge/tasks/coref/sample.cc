#include "hinge/tasks/coref/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hinge/corpus/brackets.h"
#include "hinge/tasks/coref/cast.h"

namespace hinge::coref {
namespace {

// Of one document.
struct Heading {
  std::string name;
  std::vector<std::string> speakers;
};

void append_conllu(const SampleSentence& sentence, const Heading& heading, std::size_t number,
                   std::string& out) {
  if (number == 0)
    out += fmt::format("# newdoc id = {}\n# global.Entity = eid-etype-head-other\n", heading.name);
  out += fmt::format("# sent_id = {}-{}\n", heading.name, number + 1);
  if (!heading.speakers.empty()) out += fmt::format("# speaker = {}\n", heading.speakers[number % 2]);
  std::size_t id = 0;
  for (const SampleToken& token : sentence.tokens) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t_\t{}\t{}\t_\t_\n", ++id, token.form, token.lemma, token.upos,
                       token.xpos, token.head, token.deprel);
  }
  out += '\n';
}

// "(TOP(S(NP*" for each word.
std::vector<std::string> parse_bits(const BracketTree& tree) {
  std::vector<std::string> opening(tree.words.size()), closing(tree.words.size());
  for (const BracketNode& node : tree.nodes) {
    if (node.word) continue;
    opening[node.begin] += '(';
    opening[node.begin] += node.label;
    closing[node.end - 1] += ')';
  }
  opening.front().insert(0, "(TOP");
  closing.back() += ')';
  for (std::size_t word = 0; word < opening.size(); ++word) opening[word] += '*' + closing[word];
  return opening;
}

// "(PERSON*", "*)", "(ORG)" or "*".
std::string entity_bit(const std::vector<SampleToken>& tokens, std::size_t word) {
  const std::string& entity = tokens[word].entity;
  if (entity == "O") return "*";
  const bool ends = word + 1 == tokens.size() || !tokens[word + 1].entity.starts_with("I-");
  if (entity.starts_with("I-")) return ends ? "*)" : "*";
  const std::string type = entity.substr(2);
  const std::string label = type == "PER" ? "PERSON" : type == "LOC" ? "GPE" : type;
  return '(' + label + (ends ? ")" : "*");
}

void append_conll2012(const SampleSentence& sentence, const BracketTree& tree, const Heading& heading,
                      std::size_t number, std::string& out) {
  if (number == 0) out += fmt::format("#begin document ({}); part 000\n", heading.name);
  const std::string speaker = heading.speakers.empty() ? "-" : heading.speakers[number % 2];
  const std::vector<std::string> bits = parse_bits(tree);
  for (std::size_t word = 0; word < sentence.tokens.size(); ++word) {
    const SampleToken& token = sentence.tokens[word];
    out += fmt::format("{}   0   {:>2}   {:>14}   {:>5}   {:>16}   {}   -   -   {}   {:>9}   -\n",
                       heading.name, word, token.form, token.xpos, bits[word], token.lemma, speaker,
                       entity_bit(sentence.tokens, word));
  }
  out += '\n';
}

}  // namespace

std::string DocumentSampler::next(std::int64_t most) {
  const std::int64_t range = kMostSentences - kFewestSentences + 1;
  const auto drawn = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(range)));
  const std::int64_t count = std::clamp(kFewestSentences + drawn, std::int64_t{1}, most);
  Heading heading{fmt::format("made/up/{:04}", ++documents_), {}};
  Cast cast(random_);
  if (random_.uniform() < 0.25) heading.speakers = cast.add_speakers();
  DocumentText text;
  text.format = format_ == DocumentFormat::kConll2012 ? format_ : DocumentFormat::kConllu;
  text.number = static_cast<std::size_t>(documents_);
  for (std::size_t number = 0; number < static_cast<std::size_t>(count); ++number) {
    SampleSentence sentence = sampler_.next();
    BracketTree tree;
    parse_brackets(sentence.tree, "sample", {}, tree);
    cast.play(sentence, tree, number % 2);
    if (text.format == DocumentFormat::kConll2012) {
      append_conll2012(sentence, tree, heading, number, text.text);
    } else {
      append_conllu(sentence, heading, number, text.text);
    }
  }
  if (text.format == DocumentFormat::kConll2012) text.text += "#end document\n";
  sentences_ += count;
  std::string out;
  write_document(parse_document(std::move(text)), cast.mentions(), {}, out);
  return out;
}

void sample_documents(std::int64_t sentences, std::uint64_t seed, DocumentFormat format, OutputFile& out) {
  DocumentSampler sampler(seed, format);
  while (sampler.sentences() < sentences) {
    out.write(sampler.next(std::min(sentences - sampler.sentences(), DocumentSampler::kMostSentences)));
  }
}

}  // namespace hinge::coref
