// Training data in several files: for every task the model of their concatenation, and
// messages that name the file and its line.
#include <gtest/gtest.h>

#include <filesystem>

#include "hinge/check/corpus_check.h"
#include "hinge/core/error.h"
#include "hinge/pipeline/folds.h"
#include "hinge/pipeline/job.h"
#include "hinge/pipeline/resume.h"
#include "tests/support/conllu.h"
#include "tests/support/gzip.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

// With ids of their own for every seed.
std::string lists_text(int lists, int seed) {
  std::string text;
  for (int k = 1000 * seed; k < 1000 * seed + lists; ++k) {
    for (int h = 0; h < 3; ++h)
      text += fmt::format("{} ||| text {} ||| f= {} g= {} loss= {} ||| {}\n", k, h, (k * 7 + h * 3) % 5,
                          h * k % 3, (k + h) % 3, h);
  }
  return text;
}

std::string text_of(const std::string& task, std::int64_t examples, std::uint64_t seed) {
  return task == "rerank" ? lists_text(static_cast<int>(examples), static_cast<int>(seed))
                          : sample_text(task, examples, seed);
}

Job job_of(const std::string& task, const std::string& train, const std::string& dev = "") {
  Job job({.task = task, .train = train, .dev = dev, .shards = 3, .spelling = Spelling::kFlag});
  if (task == "rerank") job.task->options().set("cost", "loss");
  job.learner->options().set("epochs", "2");
  return job;
}

struct Trained {
  std::string model;
  Scores dev;
};

Trained train(Job job, int threads = 1) {
  Workers workers(threads);
  JobObserver silent;
  const JobData data = load(job, workers, silent);
  const Learned learned = learn(job, data, workers, silent);
  return {model_bytes(job, data, learned), learned.training.history.back().dev};
}

template <typename Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The text cut into three pieces at the beginning of examples.
std::vector<std::string> pieces(const std::string& task, const std::string& text) {
  Findings ignored(0);
  CorpusCheck check(ignored);
  check.begin(CorpusPart::kTrain, "text");
  Job job = job_of(task, "");
  job.task->check(Source::of_text(text, "text"), check);
  const std::vector<std::size_t> lines = check.files()[0].lines;
  std::vector<std::string> result;
  std::size_t at = 0, line = 1;
  for (const std::size_t k : {lines.size() / 5, lines.size() / 2}) {
    std::size_t end = at;
    for (; line < lines[k]; ++line) end = first_line_end(text, end);
    result.push_back(text.substr(at, end - at));
    at = end;
  }
  result.push_back(text.substr(at));
  return result;
}

std::string without_line_ends(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

TEST(Files, GiveTheModelOfTheirConcatenationForEveryTask) {
  for (const TaskRow& row : task_table()) {
    const std::string task(row.name);
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    const std::string text = text_of(task, 40, 1);
    const std::string whole = folder.write("whole", text);
    const std::string dev = folder.write("dev", text_of(task, 30, 2));
    std::vector<std::string> part = pieces(task, text);
    // Neither a line end at the end nor a byte order mark matters.
    folder.write("part-1", without_line_ends(part[0]));
    write_gzip(folder, "part-2", part[1]);
    folder.write("part-3", "\xEF\xBB\xBF" + part[2]);
    part = pieces(task, text_of(task, 30, 2));
    const std::string devs = folder.write("d1", part[0]) + "," +
                             folder.write("d2", without_line_ends(part[1])) + "," +
                             folder.write("d3", part[2]);
    const Trained expected = train(job_of(task, whole, dev));
    const Trained found = train(job_of(task, folder.path("part-*"), devs), 2);
    EXPECT_EQ(found.model, expected.model);
    EXPECT_EQ(found.dev, expected.dev);
  }
}

// The last file gets a bad last line.
TEST(Files, AreNamedInMessagesWithTheirLines) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tag", "a\tb\tc\td\te\n"}, {"dep", "1\tx\n"},     {"classify", "no label\n"}, {"const", "(S (NP\n"},
      {"coref", "x\ty\n"},        {"summarize", "{]\n"}, {"rerank", "0 ||| x\n"}};
  ASSERT_EQ(cases.size(), task_table().size());
  for (const auto& [task, line] : cases) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    const std::string text = text_of(task, 10, 1);
    const std::string good = folder.write("good", text_of(task, 10, 2));
    const std::string bad = folder.write("bad", text + line);
    const std::string place = fmt::format("{}:{}: ", bad, count_lines(text) + 1);
    const auto told = [&](const std::string& train_files, const std::string& dev) {
      return message_of([&] { train(job_of(task, train_files, dev)); });
    };
    EXPECT_EQ(told(good + "," + bad, "").substr(0, place.size()), place);
    EXPECT_EQ(told(bad + "," + good, "").substr(0, place.size()), place);
    EXPECT_EQ(told(good, good + "," + bad).substr(0, place.size()), place) << "development data";
    const std::string missing = folder.path("missing");
    EXPECT_EQ(told(good + "," + missing, ""),
              missing + ": cannot be opened (No such file or directory); check the path");
  }
}

TEST(Files, EndDocumentsThatNothingElseEnds) {
  const TemporaryFolder folder;
  const std::string text = sample_text("coref", 4, 1);
  std::string bare;  // one document per file, without "# newdoc"
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = first_line_end(text, at);
    if (!text.substr(at, end - at).starts_with("# newdoc")) bare += text.substr(at, end - at);
    at = end;
  }
  const std::string a = folder.write("a", bare), b = folder.write("b", bare);
  const auto examples = [](const std::string& files) {
    Job job = job_of("coref", files);
    Workers workers(1);
    JobObserver silent;
    return load(job, workers, silent).set->summary();
  };
  EXPECT_NE(examples(a).find("1 documents,"), std::string::npos) << examples(a);
  EXPECT_NE(examples(a + "," + b).find("2 documents,"), std::string::npos) << examples(a + "," + b);
}

TEST(Files, AreListedInACheckpointAndResumed) {
  const TemporaryFolder folder;
  const std::string a = folder.write("p-1", sample_text("tag", 20, 1));
  const std::string b = folder.write("p-2", sample_text("tag", 20, 2));
  const std::string expected = train(job_of("tag", a + "," + b)).model;
  Job first = job_of("tag", folder.path("p-*"));
  first.settings.checkpoint = folder.path("checkpoint");
  first.learner->options().set("epochs", "1");
  train(std::move(first));
  folder.write("p-3", sample_text("tag", 20, 3));  // not part of that training
  const auto resumed = [&] {
    Job job = resume_job(folder.path("checkpoint"), Spelling::kFlag);
    job.learner->options().set("epochs", "2");
    return job;
  };
  EXPECT_EQ(resumed().settings.train, a + "," + b);
  EXPECT_EQ(train(resumed()).model, expected);
  folder.write("p-2", sample_text("tag", 20, 4));
  EXPECT_EQ(message_of([&] { train(resumed()); })
                .find(folder.path("checkpoint") + ": is a checkpoint of other training data than " + a +
                      " and 1 more"),
            0u);
}

TEST(Files, AreAllInTheKeyOfACache) {
  const TemporaryFolder folder;
  const std::string a = folder.write("p-1", sample_text("tag", 9, 1));
  const std::string b = folder.write("p-2", sample_text("tag", 9, 2));
  const std::string cache = folder.path("cache");
  const auto in_one_shard = [&](const std::string& files) {
    Job job = job_of("tag", files);
    job.settings.shards = 1;  // more are cut at other places in a cache than in text
    return job;
  };
  const auto cached = [&](const std::string& files) {
    Job job = in_one_shard(files);
    job.settings.cache = cache;
    return job;
  };
  const std::string expected = train(in_one_shard(a + "," + b)).model;
  EXPECT_EQ(train(cached(folder.path("p-*"))).model, expected);
  EXPECT_EQ(train(cached(a + "," + b)).model, expected) << "opened";
  const auto told = [&](const std::string& files) { return message_of([&] { train(cached(files)); }); };
  const std::string remedy = "; delete it, or give another name with --cache";
  EXPECT_EQ(told(a), cache + ": was compiled with " + b + remedy);
  EXPECT_EQ(told(b + "," + a), cache + ": was compiled from " + a + ", not " + b + remedy);
  folder.write("p-3", "x Y\n");
  EXPECT_EQ(told(folder.path("p-*")), cache + ": was compiled without " + folder.path("p-3") + remedy);
  folder.write("p-2", sample_text("tag", 9, 3) + "\nx Y\n");
  EXPECT_EQ(told(a + "," + b).find(cache + ": was compiled when " + b + " had"), 0u);
}

// Annotating leaves every line in its file.
TEST(Files, AreAnnotatedAndJackknifedLikeTheirConcatenation) {
  const TemporaryFolder folder;
  const std::string text = sample_text("dep", 60, 1);
  const std::vector<std::string> part = pieces("dep", text);
  const std::string whole = folder.write("whole.conllu", text);
  const std::string files = folder.write("1.conllu", "\n" + without_line_ends(part[0])) + "," +
                            folder.write("2.conllu", part[1]) + "," + folder.write("3.conllu", part[2]);
  Job tagger = job_of("tag", whole);
  tagger.task->options().set("column", "upos");
  const std::string model = folder.write("upos", train(std::move(tagger)).model);
  const auto parser = [&](const std::string& train_files, const std::string& dev) {
    Job job = job_of("dep", train_files, dev);
    job.settings.tagger = model;
    job.settings.jackknife = 4;
    return job;
  };
  const Trained expected = train(parser(whole, whole));
  const Trained found = train(parser(files, files), 2);
  EXPECT_EQ(found.model, expected.model);
  EXPECT_EQ(found.dev, expected.dev);
  const std::string bad = folder.write("bad.conllu", part[0] + conllu({"a X 0 root"}) + "1\tx\n");
  const std::string place = fmt::format("{}:{}: ", bad, count_lines(part[0]) + 3);
  for (const std::string& dev : {files + "," + bad, bad + "," + files})
    EXPECT_EQ(message_of([&] { train(parser(files, dev)); }).substr(0, place.size()), place);
  EXPECT_EQ(message_of([&] { train(parser(files + "," + bad, files)); }).substr(0, place.size()), place);
}

TEST(Files, AreCutIntoTheFoldsOfTheirConcatenation) {
  for (const std::string task : {"tag", "classify", "coref"}) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    const std::string text = sample_text(task, 60, 1);
    const std::vector<std::string> part = pieces(task, text);
    const Job job = job_of(task, "");
    const Folds whole(*job.task, folder.write("whole", text), 3, 1);
    const Folds files(*job.task,
                      Source::of_files(folder.write("1", part[0]) + "," + folder.write("2", part[1]) + "," +
                                       folder.write("3", without_line_ends(part[2]))),
                      3, 1);
    for (std::size_t fold = 0; fold < 3; ++fold) {
      EXPECT_EQ(*files.training(fold).text, *whole.training(fold).text);
      EXPECT_EQ(*files.held_out(fold).text, *whole.held_out(fold).text);
      for (const std::string& name : files.held_out(fold).files())
        EXPECT_EQ(name.find(fmt::format("fold {} of {}", fold + 1, folder.path(""))), 0u) << name;
    }
  }
}

}  // namespace
}  // namespace hinge::test
