// What `hinge check` finds in a corpus: kinds of oddities, how often each occurs,
// and some examples.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hinge {

enum class Severity : std::uint8_t {
  kError,    // training or prediction refuses it, or it cannot be right
  kWarning,  // probably a mistake, or it makes scores misleading
  kNote,     // good to know
};

std::string_view severity_name(Severity severity);

// One row of a table; tables live as long as the program.
struct FindingKind {
  std::string_view name;  // "label-seen-once"
  Severity severity;
  std::string_view what;    // one line: what was counted
  std::string_view advice;  // what to do
};

struct Example {
  std::string file;
  std::size_t line;  // 0: the file as a whole
  std::string text;
  double weight;
};

struct Finding {
  const FindingKind* kind;
  std::int64_t count = 0;
  std::int64_t total = 0;         // of how many; 0: unknown
  std::vector<Example> examples;  // those of largest weight, of equal ones the first
};

class Findings {
 public:
  explicit Findings(std::size_t most_examples) : most_examples_(most_examples) {}

  // Counts one; the text is formatted only if the example is kept.
  template <typename... Args>
  void add(const FindingKind& kind, std::string_view file, std::size_t line, double weight,
           fmt::format_string<Args...> format, Args&&... args) {
    Finding& finding = of(kind);
    ++finding.count;
    if (wants(finding, weight))
      keep(finding, {std::string(file), line, fmt::format(format, std::forward<Args>(args)...), weight});
  }
  // Of how many: the sum of all calls.
  void add_total(const FindingKind& kind, std::int64_t more) { of(kind).total += more; }

  // The most serious first, of equal ones the most frequent.
  std::vector<Finding> sorted() const;

 private:
  Finding& of(const FindingKind& kind);
  bool wants(const Finding& finding, double weight) const;
  void keep(Finding& finding, Example example) const;

  std::size_t most_examples_;
  std::vector<Finding> findings_;  // a few
};

}  // namespace hinge
