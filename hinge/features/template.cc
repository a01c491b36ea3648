#include "hinge/features/template.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "hinge/core/error.h"
#include "hinge/core/join.h"

namespace hinge {
namespace {

enum class Argument { kNone, kNumber, kPattern, kFile, kColumnAndNumber };

struct Function {
  std::string_view name;
  ViewKind kind;
  Argument argument;
};

constexpr Function kFunctions[] = {
    {"x", ViewKind::kCell, Argument::kNone},
    {"X", ViewKind::kLower, Argument::kNone},
    {"lower", ViewKind::kLower, Argument::kNone},
    {"prefix", ViewKind::kPrefix, Argument::kNumber},
    {"suffix", ViewKind::kSuffix, Argument::kNumber},
    {"shape", ViewKind::kShape, Argument::kNone},
    {"digits", ViewKind::kDigits, Argument::kNone},
    {"t", ViewKind::kTest, Argument::kPattern},
    {"T", ViewKind::kTest, Argument::kPattern},
    {"if", ViewKind::kIf, Argument::kPattern},
    {"m", ViewKind::kMatch, Argument::kPattern},
    {"M", ViewKind::kMatch, Argument::kPattern},
    {"cluster", ViewKind::kCluster, Argument::kNumber},
    {"Cluster", ViewKind::kAnyCluster, Argument::kNumber},
    {"gazetteer", ViewKind::kGazetteer, Argument::kFile},
    {"lexicon", ViewKind::kLexicon, Argument::kColumnAndNumber},
};

// Reads one line, left to right.
class LineParser {
 public:
  LineParser(std::string_view line, std::string where, TemplateSet& set)
      : rest_(line), where_(std::move(where)), set_(set) {}

  Template parse() {
    Template result;
    result.source = rest_;
    result.literals.emplace_back();
    while (!rest_.empty()) {
      if (rest_[0] == '%' && rest_.size() > 1 && std::isalpha(static_cast<unsigned char>(rest_[1]))) {
        parse_macro(result);
      } else {
        result.literals.back().push_back(rest_[0]);
        rest_.remove_prefix(1);
      }
    }
    return result;
  }

 private:
  void parse_macro(Template& result) {
    rest_.remove_prefix(1);
    const std::size_t open = rest_.find('[');
    const std::string_view name = rest_.substr(0, open);
    if (open == std::string_view::npos) refuse(fmt::format("'%{}' has no [row,column]", name));
    rest_.remove_prefix(open + 1);
    const bool earlier = parse_earlier();
    const int row = earlier && rest_.starts_with(',') ? 0 : static_cast<int>(parse_integer("a row"));
    expect(',');
    const std::size_t column = parse_natural("a column");
    if (name == "v") {
      if (result.has_value) refuse("%v may occur only once per line");
      if (earlier) refuse("%v cannot read an earlier occurrence");
      result.has_value = true;
      result.value_column = column;
      result.value_row = row;
    } else {
      const std::size_t view = view_index(parse_view(name, column));
      result.items.push_back(earlier ? earlier_item({view, row}) : TemplateItem{view, row});
      result.literals.emplace_back();
    }
    expect(']');
  }

  bool parse_earlier() {
    constexpr std::string_view kWord = "earlier";
    const bool earlier = rest_.starts_with(kWord);
    if (earlier) rest_.remove_prefix(kWord.size());
    return earlier;
  }

  View parse_view(std::string_view name, std::size_t column) {
    const auto* function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                        [&](const Function& f) { return f.name == name; });
    if (function == std::end(kFunctions)) refuse_function(name);
    View view{.kind = function->kind, .column = column};
    if (function->argument == Argument::kNone) return view;
    expect(',');
    switch (function->argument) {
      case Argument::kNumber:
        view.n = parse_natural("a number");
        if (view.n == 0) refuse("a length must be at least 1");
        break;
      case Argument::kColumnAndNumber:
        view.other = parse_natural("a column");
        expect(',');
        view.n = parse_natural("a rank, from 1");
        if (view.n == 0) refuse("ranks count from 1");
        break;
      case Argument::kPattern:
        view.text = (name == "T" || name == "M" ? "(?i)" : "") + parse_quoted();
        check_pattern(view.text);
        break;
      case Argument::kFile:
        view.text = parse_quoted();
        break;
      case Argument::kNone:
        break;
    }
    return view;
  }

  std::size_t view_index(const View& view) {
    const auto found = std::find(set_.views.begin(), set_.views.end(), view);
    if (found != set_.views.end()) return static_cast<std::size_t>(found - set_.views.begin());
    set_.views.push_back(view);
    return set_.views.size() - 1;
  }

  TemplateItem earlier_item(const EarlierView& wanted) {
    set_.same_word = view_index({.kind = ViewKind::kLower, .column = 0});
    const auto found = std::ranges::find(set_.earlier, wanted);
    const auto index = static_cast<std::size_t>(found - set_.earlier.begin());
    if (found == set_.earlier.end()) set_.earlier.push_back(wanted);
    return {index, 0, /*earlier=*/true};
  }

  long parse_integer(std::string_view what) {
    long value = 0;
    if (rest_.starts_with('+') && !rest_.starts_with("+-")) rest_.remove_prefix(1);
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    constexpr long kLargest = 1000;
    if (error != std::errc() || std::abs(value) > kLargest)
      refuse(fmt::format("{} was expected at '{}'", what, rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::size_t parse_natural(std::string_view what) {
    const long value = parse_integer(what);
    if (value < 0) refuse(fmt::format("{} cannot be {}", what, value));
    return static_cast<std::size_t>(value);
  }

  // "..." with \" for a quote inside; other backslashes belong to the pattern.
  std::string parse_quoted() {
    expect('"');
    std::string text;
    for (; !rest_.empty() && rest_[0] != '"'; rest_.remove_prefix(1)) {
      if (rest_.starts_with("\\\"")) rest_.remove_prefix(1);
      text.push_back(rest_[0]);
    }
    expect('"');
    return text;
  }

  void expect(char wanted) {
    if (rest_.empty() || rest_[0] != wanted) {
      refuse(fmt::format("'{}' was expected {}", wanted,
                         rest_.empty() ? "at the end" : fmt::format("at '{}'", rest_)));
    }
    rest_.remove_prefix(1);
  }

  void check_pattern(const std::string& pattern) {
    const RE2 compiled(pattern, RE2::Quiet);
    if (!compiled.ok())
      refuse(fmt::format("the regular expression \"{}\" is invalid: {}", pattern, compiled.error()));
  }

  [[noreturn]] void refuse_function(std::string_view name) {
    std::vector<std::string_view> names{"v"};
    for (const Function& function : kFunctions) names.push_back(function.name);
    const std::string_view near = nearest_name(name, names);
    refuse(fmt::format("there is no function '%{}'{}; functions are: %{}", name,
                       near.empty() ? "" : fmt::format(", did you mean '%{}'", near),
                       join(names, ", %")));
  }

  [[noreturn]] void refuse(const std::string& what) {
    fail<InputError>("{}: {}; see docs/templates.md", where_, what);
  }

  std::string_view rest_;
  std::string where_;
  TemplateSet& set_;
};

void add_line(std::string_view line, std::size_t number, const std::string& name, TemplateSet& set) {
  const std::string where = fmt::format("{}:{}", name, number);
  const char kind = line[0];
  if (kind != 'U' && kind != 'B' && kind != '*') {
    fail<InputError>("{}: a template begins with U, B, * or #, not with '{}'; see docs/templates.md", where,
                     kind);
  }
  Template parsed = LineParser(line, where, set).parse();
  parsed.line = number;
  if (kind != 'B') set.nodes.push_back(parsed);
  if (kind != 'U') set.edges.push_back(std::move(parsed));
}

}  // namespace

bool TemplateSet::has_values() const {
  const auto valued = [](const Template& t) { return t.has_value; };
  return std::any_of(nodes.begin(), nodes.end(), valued) || std::any_of(edges.begin(), edges.end(), valued);
}

std::size_t TemplateSet::reach() const {
  int reach = 0;
  for (const auto* list : {&nodes, &edges}) {
    for (const Template& t : *list) {
      for (const TemplateItem& item : t.items) reach = std::max(reach, std::abs(item.row));
    }
  }
  for (const EarlierView& view : earlier) reach = std::max(reach, std::abs(view.row));
  return static_cast<std::size_t>(reach);
}

TemplateSet parse_templates(std::string_view text, const std::string& name) {
  TemplateSet set;
  set.name = name;
  set.source = text;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::size_t last = line.find_last_not_of(" \t\r");
    line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
    if (!line.empty() && line[0] != '#') add_line(line, number, name, set);
  }
  if (set.nodes.empty() && set.edges.empty()) {
    fail<InputError>("{}: has no template; write lines such as U00:%x[0,0]; see docs/templates.md", name);
  }
  return set;
}

std::string place_of_view(const TemplateSet& templates, std::size_t view) {
  for (const auto* list : {&templates.nodes, &templates.edges}) {
    for (const Template& t : *list) {
      const auto reads = [&](const TemplateItem& item) { return templates.view_of(item) == view; };
      if (std::ranges::any_of(t.items, reads)) return fmt::format("{}:{}: '{}'", templates.name, t.line, t.source);
    }
  }
  return templates.name;
}

void check_columns(const TemplateSet& templates, const std::string& name, std::size_t columns,
                   const std::string& data_name) {
  const auto check = [&](const Template& t, std::size_t column) {
    if (column < columns) return;
    fail<OptionError>(
        "{}:{}: '{}' reads column {}, but {} has {} beside the label (numbered from 0); "
        "change the template or add the column",
        name, t.line, t.source, column, data_name,
        columns == 0   ? "no column"
        : columns == 1 ? "only column 0"
                       : fmt::format("columns 0 to {}", columns - 1));
  };
  for (const auto* list : {&templates.nodes, &templates.edges}) {
    for (const Template& t : *list) {
      for (const TemplateItem& item : t.items) {
        const View& view = templates.views[templates.view_of(item)];
        check(t, view.column);
        if (view.kind == ViewKind::kLexicon) check(t, view.other);
      }
      if (t.has_value) check(t, t.value_column);
    }
  }
}

}  // namespace hinge
