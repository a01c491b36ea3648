// Training from a cache: for every task that has one, the same bytes as without; other data
// or options, damage and interrupts.
#include "hinge/pipeline/compiled_set.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/pipeline/resume.h"
#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/tag/compiled.h"
#include "tests/support/data.h"
#include "tests/support/systems.h"

namespace hinge {
namespace {

using test::sample_examples;
using test::sample_text;
using test::TemporaryFolder;
using Values = std::vector<std::pair<std::string, std::string>>;

struct Heard final : JobObserver {
  void say(const std::string& line) override { lines += line + "\n"; }
  std::string lines;
};

struct Training {
  std::string task, train, cache;
  std::string learner = "mira";
  Values options = {};
  int threads = 1;
  std::int64_t window = 256;
  std::string init = "";
};

Job job_of(const Training& run) {
  Job job({.task = run.task,
           .learner = run.learner,
           .train = run.train,
           .init = run.init,
           .cache = run.cache,
           .cache_window = run.window,
           .spelling = Spelling::kFlag});
  for (const auto& [name, value] : run.options) options_with(job, name).set(name, value);
  job.learner->options().set("epochs", "3");
  return job;
}

std::string train(const Training& run, std::string* lines = nullptr) {
  Job job = job_of(run);
  Workers workers(run.threads);
  Heard heard;
  const JobData data = load(job, workers, heard);
  const Learned learned = learn(job, data, workers, heard);
  if (lines != nullptr) *lines = heard.lines;
  return model_bytes(job, data, learned);
}

std::string message_of(const Training& run) {
  try {
    train(run);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

void expect_same_model(Training run, const std::string& cache) {
  const std::string plain = train(run);
  run.cache = cache;
  EXPECT_EQ(train(run), plain) << "compiling";
  run.threads = 2;
  std::string lines;
  EXPECT_EQ(train(run, &lines), plain) << "opened, two threads";
  EXPECT_EQ(lines.find("compiled"), std::string::npos) << "the cache is not made again";
}

TEST(CompiledSet, GivesTheModelOfMemoryForEveryTaskThatHasIt) {
  for (const TaskRow& row : task_table()) {
    const auto choice = row.choose();
    if (dynamic_cast<const Cacheable*>(choice.get()) == nullptr) continue;
    SCOPED_TRACE(row.name);
    const TemporaryFolder folder;
    const std::string name(row.name);
    const std::string text = folder.write("train", sample_examples(name, 25, 1));
    for (const std::string& learner : test::learners_for(name))
      expect_same_model(
          {.task = name, .train = text, .cache = "", .learner = learner, .options = test::options_for(name)},
          folder.path("cache"));
  }
}

TEST(CompiledSet, GivesTheModelOfMemoryWithEveryKindOfFeature) {
  const std::vector<std::pair<std::string, Values>> kinds = {
      {"tag", {{"hash_bits", "12"}}},
      {"tag", {{"hash_bits", "12"}, {"names", "true"}}},
      {"classify", {{"names", "true"}}},
      {"dep", {{"names", "true"}}},
      {"coref", {{"mentions", "gold"}, {"names", "true"}}},
      {"const", {{"names", "true"}, {"hash_bits", "14"}}},
      {"const", {{"names", "true"}, {"grammar", "none"}}},
      {"tag", {{"features", "pos"}, {"min_count", "2"}}},
      {"tag", {{"features", "np-chunk"}, {"constraints", "none"}}},
      {"classify", {{"hash_bits", "0"}, {"chars", "2-3"}, {"min_count", "2"}}},
      {"dep", {{"hash_bits", "0"}}},
      {"dep", {{"order", "2"}}},
      {"dep", {{"labelled", "false"}, {"decoder", "chu-liu-edmonds"}}},
      {"const", {{"features", "lexical+aux"}, {"hash_bits", "12"}}},
      {"const", {{"features", "generative"}, {"tags", "gold"}}},
      {"const", {{"vertical", "2"}, {"horizontal", "2"}, {"hash_bits", "12"}, {"errors", "constituents"}}},
      {"const", {{"exact", "true"}, {"features", "basic"}, {"hash_bits", "12"}}},
      {"const", {{"grammar", "none"}, {"min_count", "2"}}},
      {"coref", {{"hash_bits", "0"}, {"min_count", "1"}}},
      {"coref", {{"mentions", "gold"}, {"window", "5"}}},
      {"summarize", {{"word_cost", "0.07"}, {"features", "no-phrases"}}},
      {"summarize", {{"solver", "greedy"}, {"words", "30"}}},
      {"rerank", {{"cost", "lm"}, {"ngrams", "3"}}},
      {"rerank", {{"cost", "lm"}, {"pairs", "20"}, {"sampled", "100"}}}};
  for (const auto& [task, options] : kinds) {
    SCOPED_TRACE(task + " " + options[0].first + "=" + options[0].second);
    const TemporaryFolder folder;
    const std::string text = folder.write("train", sample_examples(task, 20, 2));
    expect_same_model({.task = task, .train = text, .cache = "", .options = options}, folder.path("cache"));
  }
}

TEST(CompiledSet, KeepsPartlyKnownLabelsValuesAndTheModelItBeginsFrom) {
  const TemporaryFolder folder;
  const std::string partial = folder.write("partial", "a X\nb ?\nc X|Y\n\nb Y\na X\n\n");
  expect_same_model({.task = "tag", .train = partial, .cache = "", .options = {{"partial", "true"}}},
                    folder.path("c1"));
  const std::string valued = folder.write("valued", "X\tw=a:0.5\tcap\nY\tw=b\n\nY\tw=b:2\n\n");
  expect_same_model({.task = "tag", .train = valued, .cache = "", .options = {{"features", "attributes"}}},
                    folder.path("c2"));
  const std::string init = folder.write("init", train({.task = "tag", .train = partial, .cache = ""}));
  const std::string more = folder.write("more", "a Z\nb Y\n\n");
  expect_same_model({.task = "tag", .train = more, .cache = "", .init = init}, folder.path("c3"));
}

TEST(CompiledSet, KeepsTheGrammarVectorsAndRowsThatAParserBeginsFrom) {
  const TemporaryFolder folder;
  const std::string text = folder.write("train", sample_text("const", 20, 1));
  const std::string more = folder.write("more", sample_text("const", 12, 9));
  const std::string vectors = folder.write("vectors", "the 1 0 -1\nsold -1 0.5 1\n");
  const Values network = {{"features", "span+neural"}, {"hidden", "16"}, {"hash_bits", "10"}};
  Values with_vectors = network;
  with_vectors.emplace_back("embeddings", vectors);
  int number = 0;
  for (const Values& options : {Values{{"grammar", "none"}}, network, with_vectors}) {
    const auto name = [&](const std::string& kind) { return kind + std::to_string(number); };
    Training run{.task = "const", .train = text, .cache = "", .learner = "ops", .options = options};
    expect_same_model(run, folder.path(name("first")));
    run.init = folder.write(name("init"), train(run));
    run.train = more;
    expect_same_model(run, folder.path(name("second")));
    ++number;
  }
}

TEST(CompiledSet, SaysWhatDiffersFromWhatItWasMadeFrom) {
  const TemporaryFolder folder;
  Training run{
      .task = "tag", .train = folder.write("a", sample_text("tag", 5, 1)), .cache = folder.path("cache")};
  train(run);
  const std::string remedy = "; delete it, or give another name with --cache";
  run.options = {{"min_count", "2"}};
  EXPECT_EQ(message_of(run), run.cache + ": was compiled with min_count=1, not min_count=2" + remedy);
  run.options = {{"hash_bits", "0"}, {"names", "true"}};
  EXPECT_EQ(message_of(run), run.cache + ": was compiled without names=true" + remedy);
  run.options = {};
  run.train = folder.write("b", sample_text("tag", 5, 1));
  EXPECT_EQ(message_of(run),
            run.cache + ": was compiled from " + folder.path("a") + ", not " + folder.path("b") + remedy);
  // The same size.
  const std::string text = sample_text("tag", 5, 1);
  const auto before = std::filesystem::last_write_time(folder.path("a"));
  run.train = folder.write("a", text);
  std::filesystem::last_write_time(run.train, before + std::chrono::seconds(1));
  EXPECT_EQ(message_of(run),
            run.cache + ": was compiled before " + folder.path("a") + " was last changed" + remedy);
  std::filesystem::last_write_time(run.train, before);
  EXPECT_NO_THROW(train(run));
  run.train = folder.write("a", sample_text("tag", 6, 1));
  EXPECT_NE(message_of(run).find("was compiled when " + folder.path("a") + " had"), std::string::npos);
  run.task = "classify";
  EXPECT_EQ(message_of(run), run.cache + ": was compiled for the task tag, not classify" + remedy);
}

TEST(CompiledSet, KeepsWhatTheModelItBeginsFromKnows) {
  const std::vector<std::pair<std::string, Values>> tasks = {
      {"dep", {{"hash_bits", "0"}}},
      {"classify", {{"hash_bits", "0"}}},
      {"coref", {{"hash_bits", "0"}, {"min_count", "2"}}},
      {"summarize", {}},
      {"rerank", {{"cost", "lm"}, {"ngrams", "2"}}}};
  for (const auto& [task, options] : tasks) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    Training run{.task = task,
                 .train = folder.write("first", sample_examples(task, 10, 1)),
                 .cache = "",
                 .options = options};
    run.init = folder.write("init", train(run));
    run.train = folder.write("second", sample_examples(task, 10, 2));
    expect_same_model(run, folder.path("cache"));
  }
}

TEST(CompiledSet, KeepsThePartsOfSentencesThatSummariesMayLeaveOut) {
  const TemporaryFolder folder;
  const std::string tree =
      R"json("(S (NP (DT the) (NN room)) (VP (VBD was) (ADJP (JJ clean)) (PP (IN in) (NP (NN may)))))")json";
  const std::string topic = R"({"documents": [{"trees": [)" + tree +
                            R"(]}, {"text": "It was nice. We like it here."}],)"
                            R"( "refs": ["The room was clean. We like it."]})";
  expect_same_model({.task = "summarize",
                     .train = folder.write("train", topic + "\n" + topic + "\n"),
                     .cache = "",
                     .options = {{"compress", "true"}, {"words", "9"}}},
                    folder.path("cache"));
}

// The costs of a pass depend on the choices for all other sentences; mert reads all lists at once.
TEST(CompiledSet, GivesTheModelOfMemoryForListsWithReferences) {
  const TemporaryFolder folder;
  test::write_lists(30, folder.path("lists"), folder.path("refs"));
  const Values given = {{"refs", folder.path("refs")}};
  const std::vector<std::pair<std::string, Values>> runs = {{"mira", {}},
                                                            {"mert", {{"metric", "ter"}}},
                                                            {"dcd", {{"context", "false"}, {"ngrams", "2"}}},
                                                            {"crf", {{"pairs", "10"}, {"metric", "chrf"}}}};
  for (const auto& [learner, options] : runs) {
    SCOPED_TRACE(learner);
    Training run{
        .task = "rerank", .train = folder.path("lists"), .cache = "", .learner = learner, .options = given};
    run.options.insert(run.options.end(), options.begin(), options.end());
    expect_same_model(run, folder.path(learner));
  }
}

TEST(CompiledSet, SeesAChangeInAnyFileOfAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("topics/a/docs"));
  std::filesystem::create_directories(folder.path("topics/a/refs"));
  folder.write("topics/a/docs/1", "The room was clean.");
  folder.write("topics/a/refs/1", "The room was clean.");
  const Training run{.task = "summarize", .train = folder.path("topics"), .cache = folder.path("cache")};
  const std::string model = train(run);
  EXPECT_EQ(train(run), model);
  folder.write("topics/a/docs/1", "The room was very clean.");
  EXPECT_NE(message_of(run).find("was compiled when " + folder.path("topics") + " had"), std::string::npos);
  std::filesystem::remove_all(folder.path("topics"));
  EXPECT_EQ(train(run), model);
}

TEST(CompiledSet, OutlivesTheTextItWasMadeFrom) {
  const TemporaryFolder folder;
  const Training run{
      .task = "tag", .train = folder.write("a", sample_text("tag", 5, 1)), .cache = folder.path("cache")};
  const std::string model = train(run);
  std::filesystem::remove(run.train);
  EXPECT_EQ(train(run), model);
}

TEST(CompiledSet, RefusesWhatCannotBeCompiledInASentence) {
  const TemporaryFolder folder;
  const std::string cache = folder.path("cache");
  EXPECT_NE(message_of({.task = "tag", .train = "-", .cache = cache}).find("leave out --cache"),
            std::string::npos);
  const std::string text = folder.write("train", sample_text("tag", 5, 1));
  EXPECT_NE(message_of({.task = "tag", .train = text, .cache = cache, .options = {{"kernel", "poly"}}})
                .find("leave out the cache"),
            std::string::npos);
  for (const TaskRow& row : task_table())
    EXPECT_NE(dynamic_cast<const Cacheable*>(row.choose().get()), nullptr) << row.name;
  EXPECT_EQ(message_of({.task = "tag", .train = text, .cache = text}),
            text + ": is not a cache of training data; give --cache another name");
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"train"}));
}

TEST(CompiledSet, NeverTrainsOnADamagedFile) {
  const std::vector<std::pair<std::string, Values>> tasks = {
      {"tag", {{"hash_bits", "8"}}},
      {"classify", {{"hash_bits", "8"}}},
      {"dep", {{"hash_bits", "4"}, {"label_bits", "4"}}},
      {"const", {{"hash_bits", "8"}}},
      {"coref", {{"hash_bits", "8"}, {"mentions", "gold"}}},
      {"summarize", {{"words", "20"}}},
      {"rerank", {{"cost", "lm"}}},
      {"rerank", {{"cost", "lm"}, {"pairs", "5"}}}};
  for (const auto& [task, options] : tasks) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    Training run{.task = task,
                 .train = folder.write("a", sample_examples(task, 4, 1)),
                 .cache = folder.path("cache"),
                 .options = options};
    const std::string model = train(run);
    const std::string good = TemporaryFolder::read(run.cache);
    std::size_t refused = 0, tried = 0;
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 150) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
      folder.write("cache", bad);
      ++tried;
      try {
        EXPECT_EQ(train(run), model) << "byte " << at << " is padding";
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, tried / 2);
    for (const std::size_t size : {good.size() - 1, good.size() / 2, std::size_t{100}, std::size_t{9}}) {
      folder.write("cache", good.substr(0, size));
      EXPECT_NE(message_of(run).find("cut short"), std::string::npos) << size;
    }
  }
}

// Anyone can make a checksum right, so indices are checked, too.
TEST(CompiledSet, TrustsNoIndexOfACache) {
  const TemporaryFolder folder;
  const std::string text = folder.write("a", "a X\nb Y\nc X\n\nb Y\na X\n\n");
  const auto read = [&text] { return tag::read_parts(text, {}, {}, nullptr); };
  const auto good = read();
  ASSERT_TRUE(tag::is_sound(good, 0, 2));
  const auto is_refused = [&read](const auto& harm) {
    tag::TagParts parts = read();
    harm(parts.corpus.data);
    return !tag::is_sound(parts, 0, 2);
  };
  EXPECT_TRUE(is_refused([](tag::ChainData& d) { d.sentence_begin[1] = 9; }));
  EXPECT_TRUE(is_refused([](tag::ChainData& d) { d.node_begin[2] = 0; }));
  EXPECT_TRUE(is_refused([](tag::ChainData& d) { d.node_begin[5] = 1u << 20; }));
  EXPECT_TRUE(is_refused([](tag::ChainData& d) { d.node_ids[3] = 1u << 30; }));
  EXPECT_TRUE(is_refused([](tag::ChainData& d) { d.gold[4] = 2; }));
}

TEST(CompiledSet, LeavesNothingBehindIfItIsInterrupted) {
  const TemporaryFolder folder;
  const Training run{
      .task = "tag", .train = folder.write("a", sample_text("tag", 200, 1)), .cache = folder.path("cache")};
  int checks = 0;
  const InterruptScope scope([&checks] {
    if (++checks == 2) throw Interrupted();
  });
  EXPECT_THROW(train(run), Interrupted);
  EXPECT_EQ(names_in(folder), (std::vector<std::string>{"a"}));
}

// One epoch, then the other two from the checkpoint.
std::string train_in_two(const Training& run, const std::string& checkpoint) {
  Workers workers(1);
  JobObserver silent;
  Job first = job_of(run);
  first.settings.checkpoint = checkpoint;
  first.learner->options().set("epochs", "1");
  learn(first, load(first, workers, silent), workers, silent);
  Job second = resume_job(checkpoint, Spelling::kFlag);
  second.learner->options().set("epochs", "3");
  const JobData data = load(second, workers, silent);
  const Learned learned = learn(second, data, workers, silent);
  return model_bytes(second, data, learned);
}

struct Large {
  std::string task;
  std::int64_t sentences;
  Values options;
};

void expect_blocks(const Large& large) {
  const TemporaryFolder folder;
  Training run{.task = large.task,
               .train = folder.write("a", sample_text(large.task, large.sentences, 1)),
               .cache = folder.path("cache"),
               .options = large.options};
  const std::string in_one = train(run);
  run.window = 2;
  const std::string in_blocks = train(run);
  EXPECT_NE(in_blocks, in_one) << "the order of examples differs";
  run.threads = 2;
  EXPECT_EQ(train(run), in_blocks);
  EXPECT_EQ(train_in_two(run, folder.path("checkpoint")), in_blocks);
  const auto cache = BlockCache::open(run.cache, 2 << 20);
  EXPECT_GT(cache->block_count(), 4u);
  EXPECT_GT(cache->column_bytes(), 4u << 20);
}

TEST(CompiledSet, ReadsLargeDataInBlocksAndNeitherThreadsNorResumingChangesTheModel) {
  const std::vector<Large> all = {
      {"tag", 4000, {{"hash_bits", "10"}}},
      {"const", 3000, {{"hash_bits", "10"}, {"features", "basic"}, {"vertical", "1"}, {"horizontal", "0"}}},
      {"coref", 6000, {{"hash_bits", "10"}, {"mentions", "gold"}}},
      {"summarize", 5000, {{"words", "20"}}},
      {"rerank", 1200, {{"cost", "lm"}, {"ngrams", "2"}}},
  };
  for (const Large& large : all) {
    SCOPED_TRACE(large.task);
    expect_blocks(large);
  }
}

}  // namespace
}  // namespace hinge
