// The tuning loop, with a function as the decoder: it picks the best few
// hypotheses of a fixed list under the given weights.
#include "hinge/pipeline/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/rerank/sample.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

struct Silent final : TuneObserver {
  bool interrupts(std::int64_t) override { return interrupt_learning; }
  void epoch_done(const EpochReport&) override {}
  void warn(const std::string&) override {}
  void begins(const std::string&, const std::vector<Iteration>& done) override { done_before = done.size(); }
  void decodes(std::int64_t) override {}
  void learns(std::int64_t) override {}
  void iteration_done(std::int64_t iteration, const Iteration&, TuneStop) override { last = iteration; }

  bool interrupt_learning = false;
  std::size_t done_before = 0;
  std::int64_t last = 0;
};

std::string text_of_list(const std::string& path, const NBestLists& lists) {
  write_nbest(path, lists);
  return TemporaryFolder::read(path);
}

class Tuning : public testing::Test {
 protected:
  static constexpr std::int64_t kSentences = 12;
  static constexpr std::size_t kBest = 4;

  void SetUp() override {
    OutputFile lists(path("full.nbest")), references(path("refs"));
    rerank::sample_lists(kSentences, 5, lists);
    lists.commit();
    rerank::sample_references(kSentences, 5, references);
    references.commit();
    full_ = read_nbest(path("full.nbest"));
    std::string numbers;
    for (std::int64_t i = 0; i < kSentences; ++i) numbers += std::to_string(i) + "\n";
    write("source", numbers);
    write("init", "lm= 1\ntm= 1 1\nwords= -0.5\nunseen= 0.25\n");
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }

  // The decoder's answer as text; sentences are the numbers of their lists.
  std::string decode(const DecoderCall& call) {
    calls_.push_back(call);
    std::vector<std::size_t> sentences;
    std::ifstream source(call.source);
    for (std::size_t number; source >> number;) sentences.push_back(number);
    std::map<std::string, double> weights;
    if (fs::file_size(call.weights) > 0) {
      for (const NamedWeight& w : read_weights(call.weights)) weights[w.name] = w.value;
    }
    std::vector<float> scores(full_.hypotheses());
    for (std::size_t h = 0; h < scores.size(); ++h) {
      const FeatureRow row = full_.row(h);
      double score = 0.0;
      for (std::size_t e = 0; e < row.values.size(); ++e)
        score += weights[std::string(full_.name(row.features[e]))] * row.values[e];
      scores[h] = static_cast<float>(score);
    }
    const NBestLayout layout{.scores = scores, .cost_feature = ""};
    NBestWriter writer(full_, layout);
    std::string text;
    for (const std::size_t list : sentences) {
      std::vector<std::size_t> order(full_.end(list) - full_.begin(list));
      std::iota(order.begin(), order.end(), full_.begin(list));
      std::ranges::stable_sort(order, std::greater(), [&](std::size_t h) { return scores[h]; });
      for (std::size_t k = 0; k < std::min(kBest, order.size()); ++k)
        text.append(with_id(writer.line(list, order[k]), list - sentences[0])).append("\n");
    }
    return text;
  }

  static std::string with_id(std::string_view line, std::size_t id) {
    return std::to_string(id).append(line.substr(line.find(' ')));
  }

  // `change` may alter the answer of an iteration, or throw.
  using Change = std::function<void(std::size_t iteration, std::string& text)>;

  TuneResult run(const std::string& folder, const Change& change = nullptr, std::int64_t iterations = 15) {
    const Decoder decoder = [&](std::span<const DecoderCall> calls, const auto& done) {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        std::string text = decode(calls[i]);
        const std::string name = fs::path(calls[i].weights).filename().string();  // runK.weights
        if (change) change(std::stoul(name.substr(3)), text);
        if (text == "stop") return false;
        std::ofstream(calls[i].nbest) << text;
        done(i);
      }
      return true;
    };
    Job job({.task = "rerank", .learner = "mira", .init = init_, .objective = "never"});
    job.task->options().set("refs", path("refs"));
    job.learner->options().set("C", C_);
    job.learner->options().set("epochs", "5");
    TuneSettings settings{.folder = path(folder), .source = path("source"), .iterations = iterations};
    settings.restart = restart_;
    settings.processes = processes_;
    Workers workers(1);
    return tune(settings, job, decoder, workers, observer_);
  }

  std::string error_of(const std::string& folder, const Change& change) {
    try {
      run(folder, change);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "";
  }

  void expect_same_loops(const std::string& a, const std::string& b) const {
    std::set<std::string> names;
    for (const std::string& folder : {a, b}) {
      for (const auto& entry : fs::directory_iterator(path(folder)))
        names.insert(entry.path().filename().string());
    }
    EXPECT_GT(names.size(), 4u);
    for (const std::string& name : names) EXPECT_TRUE(read(a + "/" + name) == read(b + "/" + name)) << name;
  }

  TemporaryFolder folder_;
  NBestLists full_;
  std::vector<DecoderCall> calls_;
  std::string init_ = path("init");
  std::string C_ = "0.01";
  bool restart_ = false;
  std::size_t processes_ = 1;
  Silent observer_;
};

TEST_F(Tuning, MergesTheListsOfAllIterationsUntilNothingIsNew) {
  const TuneResult result = run("work");
  EXPECT_EQ(result.stop, TuneStop::kNothingNew);
  ASSERT_GE(result.history.size(), 3u);
  EXPECT_EQ(result.history.back().fresh, 0u);
  EXPECT_FALSE(result.history.back().learned);
  EXPECT_EQ(calls_.size(), result.history.size());

  std::vector<std::string> lists;
  std::uint64_t sum = 0;
  for (std::size_t k = 1; k <= result.history.size(); ++k) {
    lists.push_back(path("work/run" + std::to_string(k) + ".nbest"));
    sum += result.history[k - 1].fresh;
    EXPECT_EQ(result.history[k - 1].hypotheses, sum);
    EXPECT_EQ(read_nbest(lists, {.merge = true, .cost_feature = ""}).hypotheses(), sum);
  }
  EXPECT_EQ(text_of_list(path("a"), open_nbest_cache(result.merged)),
            text_of_list(path("b"), read_nbest(lists, {.merge = true, .cost_feature = ""})));
  EXPECT_EQ(std::ranges::count_if(fs::directory_iterator(path("work")),
                                  [](const auto& entry) { return entry.path().extension() == ".merged"; }),
            1);
}

TEST_F(Tuning, KeepsTheIterationThatDecodedBest) {
  const TuneResult result = run("work");
  for (const Iteration& iteration : result.history)
    EXPECT_LE(iteration.decoded, result.history[result.best - 1].decoded);
  EXPECT_GT(result.history[result.best - 1].decoded, result.history[0].decoded + 5.0);
  // A decoder's score is that of its first hypotheses.
  const auto task = find_task("rerank").choose();
  std::string first;
  const NBestLists lists = read_nbest(path("work/run2.nbest"));
  for (std::size_t list = 0; list < lists.lists(); ++list)
    first.append(lists.text(lists.begin(list))).append("\n");
  EXPECT_DOUBLE_EQ(task->evaluate(path("refs"), write("first", first)).scores.at(0).second,
                   result.history[1].decoded);
}

TEST_F(Tuning, NamesEveryWeightThatItWasGiven) {
  run("work");
  const auto weights = read_weights(path("work/run3.weights"));
  ASSERT_EQ(weights.size(), 5u);
  EXPECT_EQ(weights[1].name, "tm_1");
  EXPECT_EQ(weights[2].value_index, 2u);
  EXPECT_EQ(weights[4], (NamedWeight{"unseen", 0.25f, 0})) << "no list has it";
}

TEST_F(Tuning, BeginsFromAnEmptyFileOfWeights) {
  init_ = "";
  const TuneResult result = run("work");
  EXPECT_EQ(read("work/run1.weights"), "");
  EXPECT_EQ(result.stop, TuneStop::kNothingNew);
  EXPECT_GT(result.history[result.best - 1].decoded, result.history[0].decoded + 5.0);
}

TEST_F(Tuning, AFailureCostsOneIterationAndNoMore) {
  const TuneResult whole = run("whole");
  for (const std::size_t broken : {1u, 2u, 3u}) {
    const std::string folder = "broken" + std::to_string(broken);
    const auto fail_once = [&](std::size_t k, std::string&) {
      if (k == broken) throw InputError("the decoder fell over");
    };
    EXPECT_EQ(error_of(folder, fail_once), "the decoder fell over");
    calls_.clear();
    run(folder);
    EXPECT_EQ(observer_.done_before, broken - 1);
    EXPECT_EQ(calls_.size(), whole.history.size() - broken + 1);
    expect_same_loops("whole", folder);
  }
}

TEST_F(Tuning, AnInterruptKeepsWhatIsDone) {
  const TuneResult whole = run("whole");
  const auto stop_once = [](std::size_t k, std::string& text) {
    if (k == 2) text = "stop";
  };
  TuneResult result = run("decoding", stop_once);
  EXPECT_EQ(result.stop, TuneStop::kInterrupted);
  EXPECT_EQ(result.history.size(), 1u);
  run("decoding");
  expect_same_loops("whole", "decoding");

  observer_.interrupt_learning = true;
  result = run("learning");
  EXPECT_EQ(result.stop, TuneStop::kInterrupted);
  observer_.interrupt_learning = false;
  calls_.clear();
  run("learning");
  EXPECT_EQ(calls_.size(), whole.history.size() - 1) << "what was decoded need not be again";
  expect_same_loops("whole", "learning");
}

TEST_F(Tuning, PiecesOfTheSourceGiveTheSameFiles) {
  const TuneResult whole = run("whole");
  for (const std::size_t processes : {2, 5, 12, 40}) {
    SCOPED_TRACE(processes);
    processes_ = processes;
    calls_.clear();
    const std::string folder = "pieces" + std::to_string(processes);
    run(folder);
    EXPECT_EQ(calls_.size(), whole.history.size() * std::min<std::size_t>(processes, kSentences));
    expect_same_loops("whole", folder);
  }
}

TEST_F(Tuning, GoesOnWithAnotherNumberOfPieces) {
  run("whole");
  for (const std::size_t broken : {1u, 2u, 3u}) {
    const std::string folder = "broken" + std::to_string(broken);
    processes_ = 4;
    std::size_t answers = 0;
    const auto fail_once = [&](std::size_t k, std::string&) {
      if (k == broken && ++answers == 3) throw InputError("the third decoder fell over");
    };
    EXPECT_EQ(error_of(folder, fail_once), "the third decoder fell over");
    EXPECT_TRUE(fs::exists(path(folder + "/run" + std::to_string(broken) + ".piece2.nbest")));
    processes_ = broken;
    run(folder);
    expect_same_loops("whole", folder);
  }
}

TEST_F(Tuning, GoesOnForLongerWithTheSameResult) {
  const TuneResult whole = run("whole");
  const TuneResult two = run("work", nullptr, 2);
  EXPECT_EQ(two.stop, TuneStop::kIterations);
  EXPECT_EQ(two.history.size(), 2u);
  EXPECT_FALSE(two.history.back().learned);
  run("work");
  expect_same_loops("whole", "work");
  calls_.clear();
  EXPECT_EQ(run("work").best, whole.best);
  EXPECT_EQ(calls_.size(), 0u) << "it was done";
}

TEST_F(Tuning, OtherSettingsOrDataAreRefusedUntilARestart) {
  const TuneResult whole = run("work", nullptr, 2);
  C_ = "0.02";
  EXPECT_NE(error_of("work", nullptr).find("-p C '0.01', not '0.02'"), std::string::npos);
  C_ = "0.01";
  const std::string init = read("init");
  write("init", init + "more= 1\n");
  EXPECT_NE(error_of("work", nullptr).find("other contents of init"), std::string::npos);
  write("init", init);
  const std::string state = read("work/state.json");
  write("work/state.json", state.substr(0, state.size() / 2));
  EXPECT_NE(error_of("work", nullptr).find("damaged"), std::string::npos);
  write("work/state.json", R"({"format": 1e300})");
  EXPECT_NE(error_of("work", nullptr).find("damaged"), std::string::npos);
  C_ = "0.02";
  restart_ = true;
  write("work/run1.sh", "not ours\n");
  run("work");
  EXPECT_EQ(read("work/run1.sh"), "not ours\n");
}

TEST_F(Tuning, WhatADecoderMayNotWrite) {
  const auto answer = [this](const std::function<std::string(const std::string&)>& change) {
    fs::remove_all(path("work"));
    return error_of("work", [&](std::size_t k, std::string& text) {
      if (k == 2) text = change(text);
    });
  };
  const auto expect = [](const std::string& message, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  const auto without = [](const std::string& text, const std::string& id) {
    std::string kept;
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(id + " ")) kept += line + "\n";
    }
    return kept;
  };
  expect(answer([](const std::string&) { return ""; }), {"run2.nbest", "is empty"});
  expect(answer([](const std::string& t) { return t.substr(0, t.size() - 2); }), {"run2.nbest", "cut short"});
  expect(answer([&](const std::string& t) { return without(without(t, "3"), "11"); }),
         {"run2.nbest", "no list of sentence 3, 11,", "12"});
  expect(answer([](const std::string& t) { return t + "12 ||| a ||| lm= 1 ||| 1\n"; }),
         {"run2.nbest", "sentence 12", "12 lines"});
  expect(answer([](const std::string& t) { return "0 ||| a ||| lm= nan ||| 1\n" + t; }),
         {"run2.nbest:1", "nan"});
  expect(answer([](const std::string& t) { return t + "0 ||| a ||| lm= 1 ||| nan\n"; }),
         {"run2.nbest:", "nan"});
  expect(answer([](const std::string& t) { return t + "0 ||| a\n"; }), {"run2.nbest:", "field"});
  EXPECT_EQ(TemporaryFolder::read(path("work/state.json")).find("\"new\""),
            TemporaryFolder::read(path("work/state.json")).rfind("\"new\""))
      << "one iteration is done";
}

TEST_F(Tuning, WhatADecoderMayWrite) {
  const TuneResult result = run("work", [](std::size_t k, std::string& text) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    if (k == 2) {
      std::reverse(lines.begin(), lines.end());                              // unsorted
      std::swap(lines[0], lines[lines.size() / 2]);                          // scattered
      lines.push_back("0 |||  ||| lm= -9 tm= 0 0 words= 0 late= 1 ||| -9");  // empty, with a new feature
    }
    text.clear();
    for (const std::string& line : lines) text += line + "\n";
  });
  EXPECT_EQ(result.stop, TuneStop::kNothingNew);
  const NBestLists merged = open_nbest_cache(result.merged);
  EXPECT_EQ(merged.name(merged.feature_count() - 1), "late");
}

TEST_F(Tuning, RefusesReferencesOfAnotherLength) {
  write("refs", read("refs") + "one more\n");
  write("source", "too short\n");
  Job job({.task = "rerank", .learner = "mira"});
  Workers workers(1);
  const auto message = [&](const TuneSettings& settings) -> std::string {
    try {
      tune(
          settings, job, [](auto, const auto&) { return true; }, workers, observer_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const TuneSettings settings{.folder = path("work"), .source = path("source")};
  EXPECT_NE(message(settings).find("--refs"), std::string::npos);
  job.task->options().set("refs", path("refs"));
  EXPECT_NE(message(settings).find("has 13 lines, but the source"), std::string::npos) << message(settings);
  EXPECT_FALSE(fs::exists(path("work")));
  TuneSettings nowhere{.folder = path("refs/work"), .source = path("refs")};
  EXPECT_NE(message(nowhere).find("--dir"), std::string::npos) << message(nowhere);
}

}  // namespace
}  // namespace hinge
