#include "hinge/tasks/tag/choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/scan.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/tag/constraints.h"

namespace hinge::tag {
namespace {

// Phrases of the Penn Treebank, and of chunkers for other languages.
constexpr std::string_view kPhrases[] = {
    "NP",   "VP",  "PP",  "ADVP", "ADJP", "SBAR", "PRT",  "CONJP", "INTJ",   "LST",   "UCP",
    "WHNP", "QP",  "PRN", "FRAG", "NX",   "NML",  "WHPP", "WHADVP", "WHADJP", "SBARQ", "SINV",
    "SQ",   "RRC", "NC",  "VC",   "PC",   "AC",   "ADVC", "AP",    "S",      "X"};

// What the first sentences show.
struct Look {
  LabelSet labels;
  std::vector<std::size_t> counts;  // [labels]
  std::vector<std::string> where;   // [labels], the first of each
  std::vector<std::size_t> columns;  // beside the words, that look like tags
  std::size_t column_count = 0;
  bool plain_columns = false;
  bool attributes = false;

  void add(const TagReader& reader, std::size_t t) {
    const std::size_t label = labels.intern(reader.label(t));
    if (label == counts.size()) {
      counts.push_back(0);
      where.push_back(reader.where(t));
    }
    ++counts[label];
  }
};

// A column of tags has few different cells, but more than one.
class ColumnLook {
 public:
  void add(const Cells& cells) {
    seen_.resize(cells.columns.size());
    tokens_ += cells.tokens();
    for (std::size_t c = 1; c < seen_.size(); ++c) {
      for (std::size_t t = 0; t < cells.tokens(); ++t) seen_[c].emplace(cells.at(t, c));
    }
  }
  std::vector<std::size_t> tags() const {
    constexpr std::size_t kFew = 60, kTokensPerTag = 10;
    std::vector<std::size_t> columns;
    for (std::size_t c = 1; c < seen_.size(); ++c) {
      const std::size_t different = seen_[c].size();
      if (different > 1 && different <= std::max(kFew, tokens_ / kTokensPerTag)) columns.push_back(c);
    }
    return columns;
  }

 private:
  std::vector<std::set<std::string, std::less<>>> seen_;  // [columns]
  std::size_t tokens_ = 0;
};

Look look_at(const TagOptions& options, const Source& source) {
  TagReader reader(source, reader_layout(options), /*labelled=*/true);
  Look look;
  ColumnLook columns;
  constexpr int kLookAt = 200;  // and on, as long as there is but one label
  for (int s = 0; (s < kLookAt || look.labels.size() < 2) && reader.next(); ++s) {
    if ((look.attributes = reader.has_attributes())) return look;
    for (std::size_t t = 0; t < reader.sentence().tokens(); ++t) look.add(reader, t);
    columns.add(reader.cells());
  }
  if (look.labels.size() == 0)
    fail<InputError>("{}: has no sentences; expected one token per line, an empty line after each sentence",
                     source.name());
  look.plain_columns = reader.layout().format != ColumnFormat::kConllu;
  look.column_count = reader.cells().columns.size();
  if (look.plain_columns) look.columns = columns.tags();
  return look;
}

std::string text_of(LabelKind kind, const Look& look) {
  if (kind == LabelKind::kPhrases) return "phrases";
  if (kind == LabelKind::kEntities) return "entities";
  const auto has_no_type = [](std::string_view label) {
    return label.size() == 1 && std::string_view("BIOESUL").find(label[0]) != std::string_view::npos;
  };
  if (look.labels.find("O") < look.labels.size() && look.labels.find("I") < look.labels.size() &&
      std::ranges::all_of(look.labels.names(), has_no_type))
    return "tags (for phrases write B-X and I-X, not B and I)";
  const NearScheme near = nearly_all_follow(look.labels.names(), look.counts);
  const auto stray = static_cast<std::size_t>(std::ranges::find(near.stray, true) - near.stray.begin());
  if (near.scheme == Scheme::kNone || stray == look.labels.size()) return "tags";
  return fmt::format("tags (phrases but for '{}', {}; 'hinge check tag' finds such labels)",
                     shown(look.labels.names()[stray]), look.where[stray]);
}

Choice choose_by(const Look& look, const TagOptions& options) {
  const LabelKind kind = kind_of(look.labels.names());
  Choice choice;
  if (kind == LabelKind::kPhrases && look.plain_columns && look.column_count >= 2) {
    choice.templates = "np-chunk";
  } else {
    choice.templates = kind == LabelKind::kTags ? "pos" : "ner";
    choice.columns = look.columns;
  }
  const double miss = chosen_miss(options, choice.templates);
  const bool chosen = options.miss == 0.0 && miss != 1.0;
  const std::vector<std::size_t> read =
      choice.templates == "np-chunk" ? std::vector<std::size_t>{1} : choice.columns;
  choice.reason = fmt::format(
      "features: {}{}, as the labels are {}; to choose: --features {}{}",
      features_text(choice.templates, read), chosen ? fmt::format(", miss={}", miss) : "", text_of(kind, look),
      choice.templates == "ner" ? "np-chunk, pos or FILE" : "ner or FILE", chosen ? ", -p miss=1" : "");
  return choice;
}

}  // namespace

LabelKind kind_of(std::span<const std::string> labels) {
  if (guess_scheme(labels) == Scheme::kNone) return LabelKind::kTags;
  const bool phrases = std::ranges::all_of(labels, [](std::string_view label) {
    return label == "O" || std::ranges::find(kPhrases, label.substr(2)) != std::end(kPhrases);
  });
  return phrases ? LabelKind::kPhrases : LabelKind::kEntities;
}

std::string features_text(std::string_view templates, std::span<const std::size_t> columns) {
  if (templates == "attributes") return std::string(templates);
  if (columns.empty()) return fmt::format("{} (words)", templates);
  const std::vector<std::size_t> numbers(columns.begin(), columns.end());
  return fmt::format("{} (words and column{} {})", templates, numbers.size() == 1 ? "" : "s",
                     join(numbers, ", "));
}

double chosen_miss(const TagOptions& options, std::string_view templates) {
  // Names that are not in the training data win by little. With a cost of 1 most of them are missed;
  // see "Entities" in bench/README.md.
  constexpr double kOfNer = 1.5;
  if (options.miss > 0.0) return options.miss;
  return templates == "ner" && options.costs.empty() ? kOfNer : 1.0;
}

FileLayout reader_layout(const TagOptions& options) {
  const bool attributes = options.features == "attributes" && options.format == "auto";
  return {.format = attributes ? ColumnFormat::kAttributes : parse_format(options.format),
          .label_column = options.column};
}

Choice choose_templates(const TagOptions& options, const Source& source) {
  const bool automatic = options.features == "auto";
  if (automatic && options.format == "attributes") return {.templates = "attributes"};
  if (!automatic && (options.features != "ner" || source.read_once() || options.format == "attributes"))
    return {.templates = options.features};
  if (source.read_once())
    fail<OptionError>(
        "features=auto looks at the data first, which standard input does not allow; give --features");
  const Look look = look_at(options, source);
  if (automatic) return look.attributes ? Choice{.templates = "attributes"} : choose_by(look, options);
  Choice choice{.templates = "ner", .columns = look.columns};
  if (!choice.columns.empty())
    choice.reason = fmt::format("features: {}; for other templates: --features FILE",
                                features_text("ner", choice.columns));
  return choice;
}

}  // namespace hinge::tag
