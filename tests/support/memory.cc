#include "tests/support/memory.h"

#include <fmt/core.h>

#include "hinge/corpus/dependencies.h"
#include "tests/support/data.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

template <typename Each>
void each_sentence(const std::string& text, const Each& each) {
  const TemporaryFolder folder;
  ColumnReader reader(folder.write("text", text), ColumnFormat::kAuto);
  ColumnSentence sentence;
  while (reader.next(sentence)) each(sentence);
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == ':' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

tag::Sentences cells_of(const std::string& text, bool labelled) {
  auto sentences = tag::Sentences::of_cells(1, labelled);
  bool first = true;
  each_sentence(text, [&](const ColumnSentence& sentence) {
    const std::size_t observed = sentence.columns - 1;
    if (std::exchange(first, false)) sentences = tag::Sentences::of_cells(observed, labelled);
    for (std::size_t t = 0; t < sentence.tokens(); ++t) {
      for (std::size_t c = 0; c < observed; ++c) sentences.add_cell(sentence.cell(t, c));
      if (labelled) sentences.add_label(sentence.cell(t, observed));
      sentences.end_token();
    }
    sentences.end_sentence();
  });
  return sentences;
}

AttributeSentences attribute_sentences(std::int64_t count, std::uint64_t seed) {
  AttributeSentences all;
  each_sentence(sample_text("tag", count, seed), [&](const ColumnSentence& sentence) {
    auto& tokens = all.emplace_back();
    for (std::size_t t = 0; t < sentence.tokens(); ++t) {
      AttributeToken& token = tokens.emplace_back();
      token.label = sentence.cell(t, 2);
      const std::string word(sentence.cell(t, 0));
      if (word == "the") continue;  // none
      token.attributes = {{"word:" + word, 1.0},
                          {"tag\\" + std::string(sentence.cell(t, 1)), 0.5},
                          {"length", static_cast<double>(word.size()) / 8.0},
                          {"nothing", 0.0}};
      if (t > 0) token.attributes.emplace_back("before:" + std::string(sentence.cell(t - 1, 1)), 1.0);
    }
  });
  return all;
}

tag::Sentences attributes_of(const AttributeSentences& all, bool labelled) {
  auto sentences = tag::Sentences::of_attributes(labelled);
  for (const auto& sentence : all) {
    for (const AttributeToken& token : sentence) {
      for (const auto& [name, value] : token.attributes) {
        if (name.starts_with("word:"))
          sentences.add_attribute("word", std::string_view(name).substr(5));
        else
          sentences.add_attribute(name, value);
      }
      if (labelled) sentences.add_label(token.label);
      sentences.end_token();
    }
    sentences.end_sentence();
  }
  return sentences;
}

std::string attribute_text(const AttributeSentences& all) {
  std::string text;
  for (const auto& sentence : all) {
    for (const AttributeToken& token : sentence) {
      text += token.label;
      for (const auto& [name, value] : token.attributes)
        text += fmt::format("\t{}{}", escaped(name), value == 1.0 ? "" : fmt::format(":{}", value));
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

dep::Trees trees_of(const std::string& conllu, bool annotated) {
  dep::Trees trees(annotated, annotated);
  const TemporaryFolder folder;
  DependencyReader reader(folder.write("trees.conllu", conllu), /*annotated=*/true);
  while (reader.next()) {
    for (std::size_t m = 1; m <= reader.words(); ++m) {
      const WordCells word{.form = reader.cell(m, kForm),
                           .lemma = reader.cell(m, kLemma),
                           .upos = reader.cell(m, kUpos),
                           .xpos = reader.cell(m, kXpos),
                           .feats = reader.cell(m, kFeats)};
      if (annotated)
        trees.add_word(word, reader.heads()[m], reader.label(m));
      else
        trees.add_word(word);
    }
    trees.end_sentence();
  }
  return trees;
}

}  // namespace hinge::test
