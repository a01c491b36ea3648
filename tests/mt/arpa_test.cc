#include "hinge/mt/arpa.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <map>

#include "hinge/core/error.h"
#include "hinge/mt/ngram_estimate.h"
#include "hinge/mt/perplexity.h"
#include "tests/mt/ngram_reference.h"
#include "tests/support/data.h"

namespace hinge::mt {
namespace {

using hinge::test::TemporaryFolder;
using Weights = NgramModel::Weights;

// n-gram -> its weights, to compare models bit by bit; NaN becomes 1.
using Listing = std::map<test::Gram, std::pair<float, float>>;

Listing listing_of(const NgramModel& model, const Words& words) {
  Listing listing;
  for (std::size_t order = 1; order <= model.order(); ++order) {
    model.each(order, [&](std::span<const Word> ngram, const Weights& weights) {
      test::Gram texts;
      for (const Word word : ngram)
        texts.emplace_back(word == NgramModel::kEnd       ? "</s>"
                           : word == NgramModel::kBegin   ? "<s>"
                           : word == NgramModel::kUnknown ? "<unk>"
                                                          : words.text(word));
      listing[texts] = {weights.log_prob, std::isnan(weights.back_off) ? 1.0f : weights.back_off};
    });
  }
  return listing;
}

NgramModel read(const std::string& text, Words& words) {
  return read_arpa(TextInput(std::string_view(text), "lm.arpa"), words);
}

std::string message_of(const std::string& text) {
  try {
    Words words;
    read(text, words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// A small model, with what follows the 1-grams replaced.
std::string arpa(const std::string& counts, const std::string& sections) {
  return "\\data\\\nngram 1=4\n" + counts +
         "\n\\1-grams:\n-99\t<s>\t-0.3\n-1\t</s>\n-0.5\ta\t-0.2\n-0.7\tb\t-0.1\n\n" + sections;
}

TEST(Arpa, WrittenAndReadGivesTheSameModel) {
  const TemporaryFolder folder;
  for (std::int64_t order = 1; order <= 6; ++order) {
    Workers workers(1);
    const auto text = test::random_text(400, 60, static_cast<std::uint64_t>(order));
    const Side side = test::side_of(text);
    const NgramModel model = estimate_ngrams(side, {.order = order}, workers);
    const std::string path = folder.path("lm.arpa");
    write_arpa(model, side.words, path);
    Words words;
    words.add("some other word first");
    const NgramModel again = read_arpa(path, words);
    EXPECT_EQ(again.order(), model.order());
    EXPECT_TRUE(listing_of(again, words) == listing_of(model, side.words)) << order;
    for (std::size_t k = 1; k <= 6; ++k) EXPECT_EQ(again.size(k), model.size(k));
    const Side other = test::side_of(test::random_text(100, 70, 7));
    EXPECT_EQ(perplexity(again, words, other, workers).log_prob,
              perplexity(model, side.words, other, workers).log_prob);
  }
}

TEST(Arpa, IsReadThroughGzip) {
  const TemporaryFolder folder;
  const std::string text = arpa("ngram 2=0\n", "\\2-grams:\n\\end\\\n");
  const gzFile file = gzopen(folder.path("lm.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  Words words, same;
  EXPECT_TRUE(listing_of(read_arpa(folder.path("lm.gz"), words), words) ==
              listing_of(read(text, same), same));
}

TEST(Arpa, MeansWhatItSays) {
  Words words;
  const NgramModel model =
      read("made by hand\n\n" +
               arpa("ngram 2=3\n", "\\2-grams:\n-0.25 <s> a\n-0.125\ta b\r\n-0.4\tb\t</s>\n\\end\\\n"),
           words);
  const double ln10 = std::log(10.0);
  const Word a = words.find("a"), b = words.find("b");
  NgramModel::State state = model.begin();
  EXPECT_FLOAT_EQ(model.score(state, a, state), static_cast<float>(-0.25 * ln10));
  EXPECT_FLOAT_EQ(model.end(state), static_cast<float>((-0.2 - 1) * ln10));
  EXPECT_FLOAT_EQ(model.score(state, a, state), static_cast<float>((-0.2 - 0.5) * ln10));
  EXPECT_FLOAT_EQ(model.score(state, b, state), static_cast<float>(-0.125 * ln10));
  EXPECT_FLOAT_EQ(model.end(state), static_cast<float>(-0.4 * ln10));
  EXPECT_FLOAT_EQ(model.score(state, words.add("c"), state), static_cast<float>((-0.1 - 100) * ln10));
  EXPECT_EQ(state.length, 0u);
}

TEST(Arpa, KeepsTheProbabilityOfUnknownWords) {
  Words words;
  const NgramModel model = read(
      "\\data\\\nngram 1=3\nngram 2=1\n\\1-grams:\n-2 <unk> -0.5\n-1 </s>\n-1 a\n\\2-grams:\n-0.5 <unk> "
      "a\n\\end\\\n",
      words);
  const double ln10 = std::log(10.0);
  NgramModel::State state = model.begin();
  EXPECT_EQ(state.length, 0u);
  EXPECT_FLOAT_EQ(model.score(state, NgramModel::kUnknown, state), static_cast<float>(-2 * ln10));
  EXPECT_FLOAT_EQ(model.score(state, words.find("a"), state), static_cast<float>(-0.5 * ln10));
  EXPECT_EQ(state.length, 0u);
}

// Pruned files may have a b c without b c. A back-off weight counts even where nothing
// follows in the file.
TEST(Arpa, CompletesNgramsWhoseEndIsMissing) {
  Words words;
  const NgramModel model =
      read(arpa("ngram 2=2\nngram 3=1\n",
                "\\2-grams:\n-0.3 a b -0.4\n-0.6 b b -0.7\n\\3-grams:\n-0.2 a b a\n\\end\\\n"),
           words);
  const double ln10 = std::log(10.0);
  const Word a = words.find("a"), b = words.find("b");
  NgramModel::State empty, after_b, after_ab, after_bb, next;
  model.score(empty, a, after_ab);
  model.score(after_ab, b, after_ab);
  model.score(empty, b, after_b);
  model.score(after_b, b, after_bb);
  EXPECT_EQ(after_ab.length, 2u);
  EXPECT_EQ(after_bb.length, 2u);
  EXPECT_FLOAT_EQ(model.score(after_ab, a, next), static_cast<float>(-0.2 * ln10));
  EXPECT_EQ(next.length, 1u);
  EXPECT_FLOAT_EQ(model.score(after_b, a, next), static_cast<float>((-0.1 - 0.5) * ln10));
  EXPECT_FLOAT_EQ(model.score(after_bb, a, next), static_cast<float>((-0.7 - 0.1 - 0.5) * ln10));
  EXPECT_FLOAT_EQ(model.score(after_ab, b, next), static_cast<float>((-0.4 - 0.6) * ln10));
  EXPECT_EQ(model.size(2), 3u);
}

TEST(Arpa, IsRefusedWithFileAndLine) {
  EXPECT_EQ(message_of(""), "lm.arpa: has no line \\data\\; expected a language model in ARPA format");
  EXPECT_EQ(message_of("a\nb\n"), "lm.arpa: has no line \\data\\; expected a language model in ARPA format");
  EXPECT_EQ(message_of("\\data\\\n\\1-grams:\n"),
            "lm.arpa:2: has no counts after \\data\\; expected 'ngram 1=COUNT'");
  EXPECT_EQ(message_of("\\data\\\nngram 1=x\n"), "lm.arpa:2: 'ngram 1=x' is not 'ngram ORDER=COUNT'");
  EXPECT_EQ(message_of("\\data\\\nngram 2=5\n"),
            "lm.arpa:2: has the count of 2-grams where that of 1-grams is expected");
  EXPECT_EQ(message_of("\\data\\\nngram 7=5\n"), "lm.arpa:2: has n-grams of order 7; at most 6 is possible");
  EXPECT_EQ(message_of("\\data\\\nngram 1=0\n\\1-grams:\n\\end\\\n"),
            "lm.arpa:4: has no 1-gram </s>; a model of sentences needs it");
  EXPECT_EQ(message_of(arpa("ngram 2=0\n", "\\2-grams:\n")),
            "lm.arpa:11: '' where \\end\\ is expected; the file may be cut short");
  EXPECT_EQ(message_of(arpa("ngram 2=1\n", "\\3-grams:\n")),
            "lm.arpa:11: '\\3-grams:' where \\2-grams: is expected");
}

TEST(Arpa, IsRefusedForANgramThatMakesNoSense) {
  const auto bigrams = [](const std::string& lines, int count = 1) {
    return message_of(arpa("ngram 2=" + std::to_string(count) + "\n", "\\2-grams:\n" + lines + "\\end\\\n"));
  };
  EXPECT_EQ(bigrams("-1 a b\n"), "accepted");
  EXPECT_EQ(bigrams("-1 a b\n", 2),
            "lm.arpa:13: has 1 2-grams, but 2 according to \\data\\; the file may be cut short");
  EXPECT_EQ(bigrams("-1 a\n"), "lm.arpa:12: has 2 fields; expected a number, 2 words");
  EXPECT_EQ(bigrams("-1 a b -1\n"), "lm.arpa:12: has 4 fields; expected a number, 2 words");
  EXPECT_EQ(bigrams("x a b\n"),
            "lm.arpa:12: the log probability is 'x'; expected a finite number (at most 3.4e38)");
  for (const char* number : {"nan", "-inf", "-1e39", "-1e999", "1-", "0x1"})
    EXPECT_NE(bigrams(std::string(number) + " a b\n").find("expected a finite number"), std::string::npos)
        << number;
  EXPECT_EQ(bigrams("0.5 a b\n"), "lm.arpa:12: the log probability is 0.5 but cannot be above 0");
  EXPECT_EQ(bigrams("-1 a c\n"), "lm.arpa:12: 'c' is not among the 1-grams");
  EXPECT_EQ(bigrams("-1 a b\n-1 a b\n", 2), "lm.arpa:13: the 2-gram occurs twice");
  EXPECT_EQ(bigrams("-1 a <s>\n"), "lm.arpa:12: <s> follows another word");
  EXPECT_EQ(bigrams("-1 </s> a\n"), "lm.arpa:12: </s> precedes another word");
  EXPECT_EQ(message_of(arpa("ngram 2=1\nngram 3=1\n", "\\2-grams:\n-1 a b\n\\3-grams:\n-1 b a b\n\\end\\\n")),
            "lm.arpa:15: its first 2 words are not among the 2-grams");
  EXPECT_EQ(message_of("\\data\\\nngram 1=2\n\\1-grams:\n-1 a\n-1 a\n"), "lm.arpa:5: 'a' occurs twice");
  EXPECT_EQ(message_of("\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n-1 a b\n"),
            "lm.arpa:5: the back-off weight is 'b'; expected a finite number (at most 3.4e38)");
}

TEST(Arpa, WritesLiteralMarksAsUnknownWords) {
  const TemporaryFolder folder;
  const Side side = test::side_of({{"a", "<s>"}, {"</s>", "<unk>", "a"}});
  Workers workers(1);
  const NgramModel model = estimate_ngrams(side, {.order = 3}, workers);
  write_arpa(model, side.words, folder.path("lm"));
  Words words;
  const NgramModel again = read_arpa(folder.path("lm"), words);
  EXPECT_EQ(words.size(), 1u);
  EXPECT_TRUE(listing_of(again, words) == listing_of(model, side.words));
}

}  // namespace
}  // namespace hinge::mt
