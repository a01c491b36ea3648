// A source in pieces: what a decoder gets, and how its lists are joined.
#include "hinge/pipeline/decoding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/lists.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

class Pieces : public testing::Test {
 protected:
  // Writes lists[p] for piece p, as the list of its iteration.
  Decoder writes(const std::vector<std::string>& lists, const std::string& ending = "") {
    return [this, lists, ending](std::span<const DecoderCall> calls, const auto& done) {
      calls_.assign(calls.begin(), calls.end());
      sources_.clear();
      for (std::size_t i = calls.size(); i-- > 0;) {  // they may end in any order
        sources_.insert(sources_.begin(), TemporaryFolder::read(calls[i].source));
        std::ofstream(calls[i].nbest + ending) << lists.at(i);
        std::ofstream(calls[i].log) << "log " << i << "\xFF\n";
        if (i > 0) std::ofstream(calls[i].output) << "out " << i << "\n";
        done(i);
      }
      return true;
    };
  }

  NBestLists decode(const Decoder& decoder, std::size_t processes, const std::string& cost = "") {
    const TuneFolder folder(work());
    return Decoding({folder_.path("source"), sentences_, processes, cost}, decoder, folder).run(1).value();
  }
  std::string error_of(const Decoder& decoder, std::size_t processes, const std::string& cost = "") {
    try {
      decode(decoder, processes, cost);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  void source(const std::string& text, std::size_t sentences) {
    folder_.write("source", text);
    sentences_ = sentences;
  }
  std::string work() const { return folder_.path("work"); }
  std::string read(const std::string& name) const { return TemporaryFolder::read(work() + "/" + name); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(work())) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  static std::string text_of(const NBestLists& lists) {
    std::string text;
    for (std::size_t list = 0; list < lists.lists(); ++list) {
      for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
        text += fmt::format("{} '{}'", lists.ids[list], lists.text(h));
        const FeatureRow row = lists.row(h);
        for (std::size_t e = 0; e < row.values.size(); ++e)
          text += fmt::format(" {}={}", lists.name(row.features[e]), row.values[e]);
        if (!lists.scores.empty()) text += fmt::format(" score {}", lists.scores[h]);
        if (!lists.costs.empty()) text += fmt::format(" cost {}", lists.costs[h]);
        text += "\n";
      }
    }
    return text;
  }

  TemporaryFolder folder_;
  std::size_t sentences_ = 0;
  std::vector<DecoderCall> calls_;
  std::vector<std::string> sources_;
};

const std::string kMoses[] = {"0 ||| a ||| lm= 1 tm= 2 3 ||| 5\n0 ||| b ||| lm= 2 tm= 2 3 ||| 4\n",
                              "1 ||| c ||| lm= 1 tm= 0 1 new= 4 ||| 3\n0 ||| d ||| tm= 7 7 ||| 2\n"};

TEST_F(Pieces, AreTheBytesOfTheSource) {
  source("\xEF\xBB\xBF one \r\n\ntwo\tthree\r\n  \nlast", 5);
  for (const std::size_t processes : {2, 3, 5}) {
    std::vector<std::string> lists;
    for (std::size_t p = 0; p < processes; ++p) {
      std::string& text = lists.emplace_back();
      const std::size_t lines = 5 * (p + 1) / processes - 5 * p / processes;
      for (std::size_t id = 0; id < lines; ++id) text += fmt::format("{} ||| a ||| lm= 1\n", id);
    }
    EXPECT_EQ(decode(writes(lists), processes).lists(), 5u);
    std::string all;
    for (const std::string& piece : sources_) all += piece;
    EXPECT_EQ(all, TemporaryFolder::read(folder_.path("source")));
    EXPECT_EQ(calls_[1].piece, fmt::format("piece 2 of {} (lines {} to {} of {})", processes,
                                           5 / processes + 1, 10 / processes, folder_.path("source")));
  }
}

TEST_F(Pieces, AreJoinedInTheirOrderUnderTheNumbersOfTheSource) {
  source("x\ny\nz\n", 3);
  const std::string expected =
      "0 'a' lm=1 tm_1=2 tm_2=3 score 5\n0 'b' lm=2 tm_1=2 tm_2=3 score 4\n"
      "2 'c' lm=1 tm_1=0 tm_2=1 new=4 score 3\n1 'd' tm_1=7 tm_2=7 score 2\n";
  EXPECT_EQ(text_of(decode(writes({kMoses[0], kMoses[1]}), 2)), expected);
  EXPECT_EQ(text_of(read_nbest(work() + "/run1.nbest")), expected);
  EXPECT_EQ(read("run1.log"), "log 0\xFF\nlog 1\xFF\n");
  EXPECT_EQ(read("run1.out"), "out 1\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"run1.log", "run1.nbest", "run1.out"}));
}

TEST_F(Pieces, MayHaveAnyFormatOfLists) {
  source("x\ny\n", 2);
  const std::string json = R"({"id": 0, "text": "a", "features": {"f": 0.1}, "score": 1, "cost": 2})";
  const std::string expected = "0 'a' f=0.1 score 1 cost 2\n1 'a' f=0.1 score 1 cost 2\n";
  EXPECT_EQ(text_of(decode(writes({json + "\n", json + "\n"}), 2)), expected);
  EXPECT_EQ(text_of(read_nbest(work() + "/run1.nbest", {.cost_feature = "cost"})), expected);

  const std::string moses = "0 ||| a ||| f= 0.1 risk= 2 ||| 1\n";
  EXPECT_EQ(text_of(decode(writes({moses, moses}), 2, "risk")), expected);
  EXPECT_EQ(text_of(read_nbest(work() + "/run1.nbest", {.cost_feature = "risk"})), expected);

  folder_.write("list", moses);
  write_nbest_cache(read_nbest(folder_.path("list"), {.cost_feature = "risk"}), folder_.path("cache"));
  const std::string cache = TemporaryFolder::read(folder_.path("cache"));
  EXPECT_EQ(text_of(decode(writes({cache, moses}), 2, "risk")), expected);
  EXPECT_EQ(text_of(decode(writes({moses, moses}, ".gz"), 2, "risk")), expected) << "gzip or not is told by the bytes";
  EXPECT_EQ(files(), (std::vector<std::string>{"run1.log", "run1.nbest", "run1.out"}));
}

TEST_F(Pieces, StayAfterAFailure) {
  source("x\ny\nz\n", 3);
  const auto expect = [this](const std::vector<std::string>& lists, const std::vector<std::string>& words) {
    const std::string message = error_of(writes(lists), 2);
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_TRUE(fs::exists(work() + "/run1.piece2.nbest"));
    EXPECT_TRUE(fs::exists(work() + "/run1.piece1.source"));
    for (const std::string& name : files()) EXPECT_EQ(name.find("partial"), std::string::npos) << name;
  };
  expect({kMoses[0], kMoses[0]}, {"run1.piece2.nbest: has no list of sentence 1, but the source has 2"});
  expect({kMoses[1], kMoses[1]},
         {"run1.piece1.nbest: has a list of sentence 1, but", "run1.piece1.source has 1 line"});
  expect({kMoses[0], kMoses[1] + "1 ||| bad\n"}, {"run1.piece2.nbest:3"});
  expect({kMoses[0], "0 ||| a ||| lm= 1\n1 ||| a ||| lm= 1\n"}, {"run1.piece2.nbest: has no score"});
  EXPECT_NE(error_of([](auto, const auto& done) { return done(0), true; }, 2).find("was not written"),
            std::string::npos);

  folder_.write("work/run1.piece.txt", "not ours\n");
  folder_.write("work/run1.piece12", "not ours\n");
  EXPECT_EQ(decode(writes({kMoses[0], kMoses[1]}), 2).lists(), 3u);
  EXPECT_EQ(files(), (std::vector<std::string>{"run1.log", "run1.nbest", "run1.out", "run1.piece.txt",
                                               "run1.piece12"}));
  sentences_ = 4;
  EXPECT_NE(error_of(writes({kMoses[0], kMoses[1]}), 2).find("fewer lines than before"), std::string::npos);
}

TEST_F(Pieces, LeaveNothingIfStopped) {
  source("x\ny\nz\n", 3);
  const TuneFolder folder(work());
  const Decoder decoder = [](std::span<const DecoderCall> calls, const auto&) {
    std::ofstream(calls[1].nbest) << "half a li";
    std::ofstream(calls[1].log) << "so far\n";
    return false;
  };
  EXPECT_FALSE(Decoding({folder_.path("source"), 3, 3, ""}, decoder, folder).run(1));
  EXPECT_EQ(files(), std::vector<std::string>());
}

}  // namespace
}  // namespace hinge
