#include "hinge/tasks/classify/check.h"

#include <algorithm>
#include <map>

#include "hinge/core/error.h"
#include "hinge/core/scores.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"

namespace hinge::classify {
namespace {

constexpr FindingKind kKinds[] = {
    {"empty-text", Severity::kWarning, "labels without a text", "give the text, or remove the line"},
    {"one-label", Severity::kError, "all texts have the same label", "give examples of another label"},
    {"imbalance", Severity::kWarning, "one label has most texts",
     "a model may do little more than predict it: compare with its share, and read macro F1"},
};
constexpr const FindingKind& kEmptyText = kKinds[0];
constexpr const FindingKind& kOneLabel = kKinds[1];
constexpr const FindingKind& kImbalance = kKinds[2];

constexpr double kMostShare = 90.0;  // % of all texts

class TextCheck {
 public:
  explicit TextCheck(CorpusCheck& check) : check_(check) {}

  void text(const TextReader& reader, std::size_t line) {
    Key input = 1;
    std::size_t words = 0;
    each_word(reader.text(), [&](std::string_view word) {
      input = combine(input, hash_text(word));
      ++words;
    });
    check_.label(reader.label(), line);
    ++labels_[std::string(reader.label())];
    ++texts_;
    if (words == 0) {
      check_.find(kEmptyText, line, "only the label {}", shown(reader.label()));
      return;
    }
    check_.example({.line = line,
                    .text = trim(reader.text()),
                    .input = input,
                    .gold = hash_text(reader.label()),
                    .length = words});
  }

  void finish() {
    if (texts_ < 2) return;
    const auto largest =
        std::ranges::max_element(labels_, {}, [](const auto& label) { return label.second; });
    const double share = percent(largest->second, texts_);
    if (labels_.size() == 1) {
      check_.find(kOneLabel, 0, "{}", shown(largest->first));
    } else if (share >= kMostShare) {
      check_.find(kImbalance, 0, "{} has {:.1f} % of {} texts", shown(largest->first), share, texts_);
    }
  }

 private:
  CorpusCheck& check_;
  std::map<std::string, std::int64_t> labels_;
  std::int64_t texts_ = 0;
};

}  // namespace

void check_texts(const Source& source, const TextFormat& format, CorpusCheck& check) {
  check.name({"texts", "words"});
  const Slice nothing{.source = &source, .text = {}};
  LineReader lines(source.input());
  TextCheck texts(check);
  TextReader reader(nothing, format, /*labelled=*/true);
  for (std::string_view line; lines.next(line);) {
    reader.restart(line, lines.number(), {});
    try {
      if (line.empty()) reader.restart("\n", lines.number(), {});
      if (reader.next()) texts.text(reader, lines.number());
    } catch (const InputError& error) {
      check.refuse(error);
    }
  }
  texts.finish();
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::classify
