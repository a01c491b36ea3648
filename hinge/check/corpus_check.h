// Checks that are the same for every task: duplicates, the same input with other
// labels, lengths, labels. A task reads its files and reports examples and labels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/check/findings.h"
#include "hinge/core/error.h"
#include "hinge/features/hash.h"

namespace hinge {

enum class CorpusPart : std::uint8_t { kTrain, kDev, kTest };
std::string_view part_name(CorpusPart part);

struct CheckedExample {
  std::size_t line = 0;     // where it begins
  std::string_view text;    // for people, perhaps only its beginning
  Key input = 0, gold = 0;  // equal for equal ones
  std::size_t length = 0;   // in the task's unit
};

// What examples and their units are called.
struct Nouns {
  std::string_view examples = "examples";
  std::string_view units = "tokens";
};

class CorpusCheck {
 public:
  explicit CorpusCheck(Findings& findings);
  ~CorpusCheck();
  CorpusCheck(const CorpusCheck&) = delete;
  CorpusCheck& operator=(const CorpusCheck&) = delete;

  // What follows is about this file.
  void begin(CorpusPart part, std::string file);
  void name(Nouns nouns);

  void example(const CheckedExample& example);
  void label(std::string_view label, std::size_t line);  // once per occurrence
  // An example that training would refuse.
  void refuse(const InputError& error);
  void fact(std::string text);  // for the heading: "1.3 % non-projective trees"

  // Something only this task looks for. Of many the first are shown.
  template <typename... Args>
  void find(const FindingKind& kind, std::size_t line, fmt::format_string<Args...> format, Args&&... args) {
    findings_.add(kind, file_, line, 0.0, format, std::forward<Args>(args)...);
  }
  // The same; those of largest weight are shown.
  template <typename... Args>
  void rank(const FindingKind& kind, double weight, std::size_t line, fmt::format_string<Args...> format,
            Args&&... args) {
    findings_.add(kind, file_, line, weight, format, std::forward<Args>(args)...);
  }
  void add_total(const FindingKind& kind, std::int64_t more) { findings_.add_total(kind, more); }

  // After the last file: what needs all of them.
  void finish();

  struct File {
    CorpusPart part;
    std::string name;
    Nouns nouns;
    std::vector<std::size_t> lines;  // [examples], where each begins
    std::size_t units = 0;
    std::size_t labels = 0;  // different ones
    std::size_t longest = 0;
    bool refused = false;  // any of it
    std::vector<std::string> facts;
  };
  const std::vector<File>& files() const { return data_; }

 private:
  struct Memory;  // of examples and labels seen
  void compare(const CheckedExample& example);
  void find_empty();
  void find_long();
  void find_labels();
  void find_similar();

  Findings& findings_;
  std::string file_;
  std::vector<File> data_;
  std::unique_ptr<Memory> memory_;
};

// The kinds found here, for docs and tests.
std::span<const FindingKind> common_kinds();

}  // namespace hinge
