// The hinge binary on sampled corpora, for the tests in this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/data.h"
#include "tests/support/paths.h"

namespace hinge::test {

inline CommandResult hinge(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), hinge_binary());
  return run_command(arguments, input);
}

// Whether an argument begins like this: an option given twice is refused.
inline bool names(const std::vector<std::string>& arguments, const std::string& prefix) {
  return std::ranges::any_of(arguments, [&](const std::string& a) { return a.starts_with(prefix); });
}

// A refusal is one line on stderr and exit code 1.
inline void expect_refused(const CommandResult& result, const std::vector<std::string>& words) {
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& word : words)
    EXPECT_NE(result.err.find(word), std::string::npos) << word << "\nis not in: " << result.err;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The learners that suit a task without lists of outputs.
inline std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(hinge({"learners"}).out)) {
    if (!line.starts_with(' ') && line.find("[needs lists of outputs") == std::string::npos)
      names.push_back(line.substr(0, line.find(' ')));
  }
  return names;
}

// A folder per test, with a training and a development corpus. No test may
// leave a partial file in it.
class SampleCorpus : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hinge({"sample", "tag", "--sentences", "60", "--seed", "1", "-o", train()}).code, 0);
    ASSERT_EQ(hinge({"sample", "tag", "--sentences", "40", "--seed", "2", "-o", dev()}).code, 0);
  }
  void TearDown() override { EXPECT_EQ(partial_files(), std::vector<std::string>()); }

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::string train() const { return path("train.txt"); }
  std::string dev() const { return path("dev.txt"); }

  // `hinge train tag TRAIN`, quietly, on one core.
  CommandResult train_with(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "tag", train(), "-q", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  void must_train(const std::vector<std::string>& more) const {
    const CommandResult result = train_with(more);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
  }

  double f1(const std::string& model) const {
    return nlohmann::json::parse(hinge({"evaluate", path(model), dev(), "--json"}).out)["f1"].get<double>();
  }
  std::vector<nlohmann::json> log(const std::string& name) const {
    std::vector<nlohmann::json> epochs;
    for (const std::string& line : lines_of(read(name))) epochs.push_back(nlohmann::json::parse(line));
    return epochs;
  }

  std::vector<std::string> partial_files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("."))) {
      if (entry.path().string().find(".partial") != std::string::npos) found.push_back(entry.path().string());
    }
    return found;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace hinge::test
