#include "hinge/corpus/brackets.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

constexpr BracketCleaning kAsIs{.keep_functions = true, .keep_empty = true};

std::string written(const BracketTree& tree) {
  std::string out;
  append_brackets(tree, out);
  return out;
}

// Nodes are nested and in preorder, and every word has one tag.
void expect_sound(const BracketTree& tree) {
  ASSERT_FALSE(tree.nodes.empty());
  ASSERT_EQ(tree.nodes[0].begin, 0u);
  ASSERT_EQ(tree.nodes[0].end, tree.words.size());
  ASSERT_EQ(tree.nodes[0].next, tree.nodes.size());
  std::size_t tags = 0;
  for (std::uint32_t k = 0; k < tree.nodes.size(); ++k) {
    const BracketNode& node = tree.nodes[k];
    if (node.word) {
      ASSERT_EQ(node.begin, tags++) << "node " << k;
      ASSERT_EQ(node.end, node.begin + 1) << "node " << k;
      ASSERT_EQ(node.next, k + 1) << "node " << k;
      continue;
    }
    std::uint32_t at = node.begin, child = k + 1;
    ASSERT_LT(child, node.next) << "node " << k;
    for (; child < node.next; child = tree.nodes[child].next) {
      ASSERT_EQ(tree.nodes[child].begin, at) << "node " << child;
      at = tree.nodes[child].end;
    }
    ASSERT_EQ(child, node.next) << "node " << k;
    ASSERT_EQ(at, node.end) << "node " << k;
  }
  ASSERT_EQ(tags, tree.words.size());
}

struct Found {
  std::size_t line;
  std::string tree;

  bool operator==(const Found&) const = default;
};

void PrintTo(const Found& found, std::ostream* out) { *out << found.line << ": " << found.tree; }

std::vector<Found> trees_in(const TextInput& input, BracketCleaning cleaning = {}) {
  BracketReader reader(input, cleaning);
  BracketTree tree;
  std::vector<Found> found;
  while (reader.next(tree)) {
    EXPECT_NO_FATAL_FAILURE(expect_sound(tree));
    EXPECT_EQ(reader.where(), input.name + ":" + std::to_string(reader.line()));
    found.push_back({reader.line(), written(tree)});
  }
  EXPECT_FALSE(reader.next(tree)) << "a tree after the end";
  return found;
}

std::vector<Found> read(std::string_view text, BracketCleaning cleaning = {}) {
  return trees_in(TextInput(text, "t.mrg"), cleaning);
}

// The only tree of a text; "" if there is none.
std::string read_one(std::string_view text, BracketCleaning cleaning = {}) {
  const std::vector<Found> found = read(text, cleaning);
  EXPECT_LE(found.size(), 1u);
  return found.empty() ? "" : found[0].tree;
}

// The error message for a text; "" if it is valid.
std::string message_of(std::string_view text) {
  try {
    read(text);
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return "";
}

const std::string kDog = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))";

// ---- Valid input

TEST(Brackets, AreNodesInPreorder) {
  BracketTree tree;
  BracketReader reader(TextInput(kDog, "t.mrg"));
  ASSERT_TRUE(reader.next(tree));
  EXPECT_EQ(tree.words, (std::vector<std::string_view>{"The", "dog", "barks"}));
  struct Expected {
    std::string_view label;
    std::uint32_t begin, end, next;
    bool word;
  };
  const std::vector<Expected> expected = {{"S", 0, 3, 6, false},  {"NP", 0, 2, 4, false},
                                          {"DT", 0, 1, 3, true},  {"NN", 1, 2, 4, true},
                                          {"VP", 2, 3, 6, false}, {"VBZ", 2, 3, 6, true}};
  ASSERT_EQ(tree.nodes.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(tree.nodes[k].label, expected[k].label);
    EXPECT_EQ(tree.nodes[k].begin, expected[k].begin) << k;
    EXPECT_EQ(tree.nodes[k].end, expected[k].end) << k;
    EXPECT_EQ(tree.nodes[k].next, expected[k].next) << k;
    EXPECT_EQ(tree.nodes[k].word, expected[k].word) << k;
  }
  EXPECT_EQ(reader.where(), "t.mrg:1");
  EXPECT_FALSE(reader.next(tree));
}

TEST(Brackets, MaySpanLinesAndShareThem) {
  const std::vector<Found> one{{1, kDog}};
  EXPECT_EQ(read(kDog), one);
  EXPECT_EQ(read(kDog + "\n"), one);
  EXPECT_EQ(read("(S(NP(DT The)(NN dog))(VP(VBZ barks)))"), one);
  EXPECT_EQ(read("(S\n  (NP (DT The)\n\t(NN dog))\n\n (VP\n(VBZ\nbarks\n)))\n\n"), one);
  EXPECT_EQ(read("(S\r\n (NP (DT The) (NN dog))\r\n (VP (VBZ barks)))\r\n"), one);
  EXPECT_EQ(
      read("\n\n" + kDog + "(A a) (B b)\n(C\nc)(D d)\n\n\n(E e)"),
      (std::vector<Found>{{3, kDog}, {3, "(A a)"}, {3, "(B b)"}, {4, "(C c)"}, {5, "(D d)"}, {8, "(E e)"}}));
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read(" \n\t\r\n").empty());
}

TEST(Brackets, CountLinesFromTheFirstLineOfATextInMemory) {
  EXPECT_EQ(trees_in(TextInput(std::string_view("\n(A a)\n(B b)"), "t.mrg", 10)),
            (std::vector<Found>{{11, "(A a)"}, {12, "(B b)"}}));
}

TEST(Brackets, LoseTheFunctionsOfPhrasesUnlessTheyAreKept) {
  const std::string text = "(S-TPC-1 (NP-SBJ=2 (N-N-X líf)) (VP|<x> (V=a er)) (-X-Y (A a)) (=X (A-B b)))";
  EXPECT_EQ(read_one(text), "(S (NP (N-N-X líf)) (VP (V=a er)) (-X-Y (A a)) (=X (A-B b)))");
  EXPECT_EQ(read_one(text, {.keep_functions = true}), text);
}

TEST(Brackets, LoseEmptyElementsAndWhatTheyLeaveEmptyUnlessTheyAreKept) {
  const std::string text =
      "(S (NP-1 (-NONE- *)) (VP (TO to) (VP (VB go) (ADVP (X (-NONE- *T*-2)) (Y (-NONE- 0))))))";
  EXPECT_EQ(read_one(text), "(S (VP (TO to) (VP (VB go))))");
  EXPECT_EQ(read_one(text, {.keep_functions = true}), "(S (VP (TO to) (VP (VB go))))");
  EXPECT_EQ(read_one(text, kAsIs), text);
  EXPECT_EQ(read_one("(S (-NONE- a) (A a) (-NONE- b) (B b) (-NONE- c))"), "(S (A a) (B b))");
  EXPECT_EQ(read_one("(A -NONE-)"), "(A -NONE-)");
}

TEST(Brackets, OfTreesThatAreAllEmptyAreSkipped) {
  const std::string text = "(S (-NONE- *))\n(A a) (-NONE- *)\n(S (NP (-NONE- *)) (VP (-NONE- *)))(B b)\n";
  EXPECT_EQ(read(text), (std::vector<Found>{{2, "(A a)"}, {3, "(B b)"}}));
  EXPECT_EQ(read(text, kAsIs).size(), 5u);
  EXPECT_TRUE(read("(S (-NONE- *))").empty());
}

TEST(Brackets, MayHaveARootWithoutALabel) {
  for (const std::string text : {"( (S (A a)))", "((S (A a)))", "(\n (S (A a))\n)"})
    EXPECT_EQ(read_one(text), "( (S (A a)))") << text;
  EXPECT_EQ(read_one("( (S (A a)) (. .))"), "( (S (A a)) (. .))");
}

TEST(Brackets, MayHoldAnythingElseInWordsAndLabels) {
  const std::string text =
      "(S (, ,) (`` ``) (-LRB- -LRB-) ($ $) (PRP$ its) (CD 3\\/4) (日本 語\xC2\xA0語) (^@+ a+b@c^d))";
  EXPECT_EQ(read_one(text), text);
}

TEST(Brackets, UpToTheLimitsAreRead) {
  std::string deep = "(A a)";
  for (std::size_t level = 1; level < kMostBracketDepth; ++level) deep = "(X " + deep + ")";
  EXPECT_EQ(read_one(deep), deep);
  std::string wide = "(S";
  for (std::size_t word = 0; word < kMostTreeWords; ++word) wide += " (A a)";
  wide += ")";
  EXPECT_EQ(read_one(wide), wide);
}

// ---- Refused input

TEST(Brackets, RefuseWhatIsNotBalanced) {
  const std::string never = ": the brackets that begin here are never closed; add the missing ')'";
  EXPECT_EQ(message_of("(A a)\n\n(S\n (A a)\n"), "t.mrg:3" + never);
  EXPECT_EQ(message_of("("), "t.mrg:1" + never);
  EXPECT_EQ(message_of("\n(A"), "t.mrg:2" + never);
  EXPECT_EQ(message_of("(A a"), "t.mrg:1" + never);
  const std::string extra = ": ')' without '('; remove it or add the missing '('";
  EXPECT_EQ(message_of("(A a))"), "t.mrg:1" + extra);
  EXPECT_EQ(message_of("(A a)\n(B b)\n )"), "t.mrg:3" + extra);
}

TEST(Brackets, RefuseEmptyBracketsNamingTheLineOfTheirBeginning) {
  EXPECT_EQ(message_of("(S\n(NP\n\n)\n(A a))"),
            "t.mrg:2: the bracket '(NP)' is empty; expected a word or brackets in it");
  EXPECT_EQ(message_of("\n()"), "t.mrg:2: the bracket '()' is empty; expected a word or brackets in it");
  EXPECT_EQ(message_of("(S ( ))"), "t.mrg:1: the bracket '()' is empty; expected a word or brackets in it");
}

TEST(Brackets, RefuseTextOutside) {
  EXPECT_EQ(message_of("The dog"), "t.mrg:1: 'The' is outside the brackets; expected '('");
  EXPECT_EQ(message_of("(A a)\nand (B b)"), "t.mrg:2: 'and' is outside the brackets; expected '('");
  EXPECT_EQ(message_of("(A a) and(B b)"), "t.mrg:1: 'and' is outside the brackets; expected '('");
}

TEST(Brackets, RefuseAWordBesideAPhraseOrAnotherWord) {
  const std::string phrase = ": a bracket holds a word and a phrase; expected (TAG word) or (LABEL (...))";
  EXPECT_EQ(message_of("(S\n(NP dog\n(DT The)))"), "t.mrg:3" + phrase);
  EXPECT_EQ(message_of("(NP dog(DT The))"), "t.mrg:1" + phrase);
  const std::string more = ": a bracket holds a word and more; expected (TAG word)";
  EXPECT_EQ(message_of("(S\n(NP (DT The)\ndog))"), "t.mrg:3" + more);
  EXPECT_EQ(message_of("(NN big\n\ndog)"), "t.mrg:3" + more);
  // Also where the phrase has been left out.
  EXPECT_EQ(message_of("(NP (-NONE- *) dog)"), "t.mrg:1" + more);
}

TEST(Brackets, RefuseAWordWithoutATag) {
  for (const std::string text : {"(S (A a)\n(dog))", "(S (A a)\n( dog))"})
    EXPECT_EQ(message_of(text), "t.mrg:2: the bracket '(dog)' is empty; expected a word or brackets in it");
}

TEST(Brackets, RefuseTreesThatAreTooDeepOrTooLong) {
  std::string deep = "\n";
  for (std::size_t level = 0; level <= kMostBracketDepth; ++level) deep += "(X\n";
  EXPECT_EQ(message_of(deep), "t.mrg:1002: the brackets are more than 1000 deep");
  std::string wide = "(S\n";
  for (std::size_t word = 0; word <= kMostTreeWords; ++word) wide += "(A a)\n";
  EXPECT_EQ(message_of(wide), "t.mrg:1002: a tree has more than 1000 words");
}

TEST(Brackets, RefuseBytesThatAreNotText) {
  EXPECT_TRUE(message_of("(A a)\n(B \xFF)").starts_with("t.mrg:2: ")) << message_of("(A a)\n(B \xFF)");
  EXPECT_TRUE(message_of(std::string_view("(A a)\n\n(B \0)", 12)).starts_with("t.mrg:3: "));
}

TEST(Brackets, ComeOutUpToTheFirstError) {
  BracketReader reader(TextInput(std::string_view("(A a)\n(B b)\n(C)\n(D d)\n"), "t.mrg"));
  BracketTree tree;
  EXPECT_TRUE(reader.next(tree));
  EXPECT_TRUE(reader.next(tree));
  EXPECT_EQ(written(tree), "(B b)");
  EXPECT_THROW(reader.next(tree), InputError);
}

// ---- Random trees

const std::vector<std::string> kLabels = {"S", "NP", "VP", "@X", "A+B", "X^S", "-X-", "日", "PP"};
const std::vector<std::string> kWords = {"a", "dog", "-LRB-", "*", "0", "1/2", "naïve", "語", "-NONE-", "'s"};

// One tree, with random blanks between its brackets if there are any to choose from.
std::string random_tree(Random& random, std::size_t depth, const std::vector<std::string>& blanks) {
  const auto any_of = [&random](const std::vector<std::string>& list) {
    return list[random.below(list.size())];
  };
  const auto blank = [&] { return blanks.empty() ? std::string(" ") : any_of(blanks); };
  if (depth == 0 || random.below(4) == 0) return "(" + any_of(kLabels) + blank() + any_of(kWords) + ")";
  std::string text = "(" + any_of(kLabels);
  for (std::size_t children = 1 + random.below(4); children > 0; --children)
    text += blank() + random_tree(random, depth - 1, blanks);
  return text + ")";
}

TEST(Brackets, WrittenAndReadAgainAreTheSame) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::string text = random_tree(random, random.below(7), {});
    BracketTree tree, again;
    ASSERT_TRUE(parse_brackets(text, "here", kAsIs, tree));
    ASSERT_NO_FATAL_FAILURE(expect_sound(tree));
    const std::string out = written(tree);
    ASSERT_EQ(out, text);
    ASSERT_TRUE(looks_like_brackets(out));
    ASSERT_TRUE(parse_brackets(out, "here", kAsIs, again));
    ASSERT_EQ(written(again), text);
  }
}

TEST(Brackets, AreLinkedByTheirWords) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::string text = random_tree(random, random.below(7), {});
    BracketTree tree;
    ASSERT_TRUE(parse_brackets(text, "here", kAsIs, tree));
    for (BracketNode& node : tree.nodes) node.next = 0;
    link_nodes(tree);
    ASSERT_NO_FATAL_FAILURE(expect_sound(tree)) << "seed " << seed;
    ASSERT_EQ(written(tree), text) << "seed " << seed;
  }
  BracketTree nothing;
  link_nodes(nothing);
  EXPECT_TRUE(nothing.nodes.empty());
}

// Trees over many lines, with the number of the first; about as many bytes as asked for.
std::vector<Found> random_text(std::uint64_t seed, std::size_t bytes, std::string& text) {
  Random random(seed);
  std::vector<Found> expected;
  while (text.size() < bytes) {
    const std::string tree = random_tree(random, 6, {" ", "\n", "\t", "\n\n  ", "   ", "\r\n"});
    BracketTree parsed;
    EXPECT_TRUE(parse_brackets(tree, "here", kAsIs, parsed));
    expected.push_back({count_lines(text) + 1, written(parsed)});
    text += tree + (random.below(3) == 0 ? " " : "\n");
  }
  return expected;
}

// Files are read in chunks of a megabyte.
TEST(Brackets, AreWholeWhereverAChunkEnds) {
  const TemporaryFolder folder;
  std::string text;
  const std::vector<Found> small = random_text(1, 3000, text);
  EXPECT_EQ(read(text, kAsIs), small) << "seed 1";
  text.clear();
  // Counting the lines of all the text before each tree takes a while, so most of it comes without.
  std::string large = "(S";
  while (large.size() < (std::size_t{3} << 20)) large += " (A " + std::string(10000, 'x') + ")\n";
  large += ")\n";
  const std::vector<Found> rest = random_text(2, 100000, text);
  std::vector<Found> expected = trees_in(TextInput(large, "t.mrg"), kAsIs);
  ASSERT_EQ(expected.size(), 1u);
  for (const Found& found : rest) expected.push_back({found.line + count_lines(large), found.tree});
  EXPECT_TRUE(trees_in(folder.write("large.mrg", large + text), kAsIs) == expected) << "seed 2";
}

TEST(Brackets, OfManyChunksAreAllThere) {
  const TemporaryFolder folder;
  std::string block;
  const std::vector<Found> once = random_text(3, 30000, block);
  block += "\n";
  std::string text;
  for (int time = 0; time < 100; ++time) text += block;
  const std::vector<Found> found = trees_in(folder.write("large.mrg", text), kAsIs);
  ASSERT_EQ(found.size(), 100 * once.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].tree, once[i % once.size()].tree) << "seed 3, tree " << i;
    ASSERT_EQ(found[i].line, once[i % once.size()].line + i / once.size() * count_lines(block))
        << "tree " << i;
  }
}

TEST(Brackets, InAFileOfManyChunksAreRefusedNamingTheLine) {
  const TemporaryFolder folder;
  std::string text;
  while (text.size() < (std::size_t{3} << 20)) text += kDog + "\n";
  const std::string path = folder.write("large.mrg", text + "(S\n(NP))\n");
  const std::string expected =
      path + ":" + std::to_string(count_lines(text) + 2) + ": the bracket '(NP)' is empty";
  try {
    trees_in(path);
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with(expected)) << error.what();
  }
}

// Writes like an interactive program: a tree and a part of the next, then waits.
TEST(Brackets, FromAPipeComeAsSoonAsTheyAreWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::promise<void> first_read;
  std::atomic<int> in_vain = 0;
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    const auto send = [&](std::string_view text) {
      if (write(fd, text.data(), text.size()) < 0) ++in_vain;
    };
    send("\n(A a)\n(S\n(NP (DT The)\n (N");
    if (first_read.get_future().wait_for(std::chrono::seconds(5)) != std::future_status::ready) ++in_vain;
    for (const char c : std::string_view("N dog))\n(VP (V\n\nran)))\n(B b)")) send(std::string_view(&c, 1));
    close(fd);
  });
  BracketReader reader(path);
  BracketTree tree;
  EXPECT_TRUE(reader.next(tree));
  EXPECT_EQ(reader.where(), path + ":2");
  EXPECT_EQ(written(tree), "(A a)");
  first_read.set_value();
  EXPECT_TRUE(reader.next(tree));
  EXPECT_EQ(reader.where(), path + ":3");
  EXPECT_EQ(written(tree), "(S (NP (DT The) (NN dog)) (VP (V ran)))");
  EXPECT_TRUE(reader.next(tree));
  EXPECT_EQ(reader.where(), path + ":9");
  EXPECT_EQ(written(tree), "(B b)");
  EXPECT_FALSE(reader.next(tree));
  writer.join();
  EXPECT_EQ(in_vain, 0);
}

// ---- A single line

std::string parsed(std::string_view text, BracketCleaning cleaning = {}) {
  BracketTree tree;
  if (!parse_brackets(text, "here", cleaning, tree)) return "nothing";
  EXPECT_NO_FATAL_FAILURE(expect_sound(tree));
  return written(tree);
}

TEST(ParseBrackets, GivesARowOfTreesARoot) {
  EXPECT_EQ(parsed(kDog), kDog);
  EXPECT_EQ(parsed("  " + kDog + " \n"), kDog);
  EXPECT_EQ(parsed("(DT The) (NN dog)"), "( (DT The) (NN dog))");
  EXPECT_EQ(parsed("(NP (DT The))(VP (-NONE- *))(NN dog)"), "( (NP (DT The)) (NN dog))");
  EXPECT_EQ(parsed("( (S (A a)))"), "( (S (A a)))");
  EXPECT_EQ(parsed(""), "nothing");
  EXPECT_EQ(parsed(" \t"), "nothing");
  EXPECT_EQ(parsed("(S (-NONE- *))"), "nothing");
  EXPECT_EQ(parsed("(S-X (-NONE- *) (A a))", kAsIs), "(S-X (-NONE- *) (A a))");
}

TEST(ParseBrackets, BeginsMessagesWithThePlace) {
  for (const std::string text :
       {"(", "(A a", "(A a))", ")", "()", "(A)", "(A a) b", "b (A a)", "(S a (A a))"}) {
    try {
      parsed(text);
      FAIL() << "was taken: " << text;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("here: ")) << error.what();
    }
  }
}

TEST(ParseBrackets, AreToldFromPlainWords) {
  for (const std::string text :
       {"(S (A a))", "( (S (A a)))", "((S (A a)))", " (S", "\t( \t(S", "(S)", "(see below)"})
    EXPECT_TRUE(looks_like_brackets(text)) << text;
  for (const std::string text :
       {"", " ", "(", "()", "( )", ")", "( see below )", "The dog", "a (b)", "( ) (", "see (S"})
    EXPECT_FALSE(looks_like_brackets(text)) << text;
}

TEST(AppendBrackets, EscapesBracketsInWords) {
  BracketTree tree;
  tree.words = {"(", "a)b(c", "[", "{a}"};
  tree.nodes.push_back({"S", 0, 4, 5, false});
  for (std::uint32_t i = 0; i < 4; ++i) tree.nodes.push_back({"X", i, i + 1, i + 2, true});
  EXPECT_EQ(written(tree), "(S (X -LRB-) (X a-RRB-b-LRB-c) (X [) (X {a}))");
  EXPECT_EQ(parsed(written(tree)), written(tree));
}

TEST(AppendBrackets, Appends) {
  BracketTree tree;
  ASSERT_TRUE(parse_brackets(kDog, "here", {}, tree));
  std::string out = "before ";
  append_brackets(tree, out);
  EXPECT_EQ(out, "before " + kDog);
  append_brackets({}, out);
  EXPECT_EQ(out, "before " + kDog);
}

}  // namespace
}  // namespace hinge
