#include "hinge/tasks/coref/templates.h"

#include <fmt/core.h>
#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/options.h"
#include "hinge/corpus/split.h"

namespace hinge::coref {
namespace {

constexpr std::string_view kPairNames[kPairFields] = {
    "distance", "sentences", "string", "head",    "inside", "words",  "modifiers", "nested", "speaker",
    "gender",   "number",    "person", "animate", "agree",  "nearer", "acronym",   "path",   "parent"};

// The preset: Durrett and Klein's SURFACE features, and what syntax and small word
// lists add.
constexpr std::string_view kCoref = R"(# a new cluster
new m.kind
new m.type
new m.string
new m.head
new m.first
new m.last
new m.before
new m.after
new m.length
new m.type m.length
new m.type m.relation
new m.relation m.tag
new m.type m.parent
new m.article
new m.article m.head
new m.article m.seen_head
new m.type m.seen_head
new m.type m.seen_text
new m.type m.seen_head m.article
new m.type m.later_head
new m.type m.place
new m.type m.order
new m.type m.depth
new m.entity
new m.number m.type
new m.animate m.type
new m.type m.score
new m.type m.followed
# a pair
typed distance
typed sentences
typed string
typed head
typed inside
typed words
typed modifiers
typed nested
typed speaker
typed gender
typed number
typed person
typed animate
typed agree
typed nearer
typed acronym
typed path
typed parent
typed m.length
typed a.length
typed a.relation
typed m.relation a.relation
typed a.article
typed m.article a.article
typed a.order
typed a.depth
typed a.seen_head
typed a.later_head
typed string head sentences
typed words string a.article m.article
typed speaker m.form a.form
typed nearer sentences
typed agree sentences
typed a.relation distance
typed a.relation sentences
typed a.relation nearer
typed parent m.relation a.relation
pair a.head
pair a.string
pair a.first
pair a.last
pair a.before
pair a.after
pair m.head a.head
pair m.string a.string
pair m.first a.first
pair m.last a.last
pair m.before a.before
pair m.after a.after
pair m.length a.length
pair m.type a.head
pair m.type a.first
pair m.type a.tag
pair m.type a.before
pair m.type a.after
pair m.type a.parent
pair m.type m.parent a.head
pair m.parent a.parent m.relation
pair m.head head
pair m.type a.entity
pair m.entity a.entity
)";

constexpr Preset kPresets[] = {
    {"coref", "mentions and pairs: words, distance, agreement, tree", [] { return std::string(kCoref); }},
};

class TemplateParser {
 public:
  explicit TemplateParser(const std::string& name) : name_(name) {}

  TemplateSet parse(std::string_view text) {
    TemplateSet set;
    set.source = text;
    std::vector<Template> plain, alone;
    std::vector<std::string_view> words;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      split_at_blanks(text.substr(0, end), words);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (words.empty() || words[0].starts_with('#')) continue;
      Template made = parse_line(words);
      const bool of_antecedent = made.of_mention.empty() && pair_atoms_ == 0;
      (starts_         ? set.starts
       : made.typed    ? set.pairs
       : of_antecedent ? alone
                       : plain)
          .push_back(std::move(made));
    }
    set.typed = set.pairs.size();
    std::ranges::move(plain, std::back_inserter(set.pairs));
    set.shared = set.pairs.size();
    std::ranges::move(alone, std::back_inserter(set.pairs));
    for (const Template& pair : set.pairs) set.of_pair.push_back(pair.of_pair);
    if (set.pairs.empty())
      fail<InputError>("{}: has no templates of pairs; add a line such as 'pair m.head a.head'", name_);
    return set;
  }

 private:
  template <typename... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    fail<InputError>("{}:{}: {}", name_, line_, fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  // Without the space around it: keys of features depend on this text, and must not on line ends.
  Template parse_line(std::span<const std::string_view> words) {
    const std::string_view line(words.front().data(), words.back().data() + words.back().size());
    Template made{.source = std::string(line), .of_pair = {}, .salt = hash_text(line)};
    made.of_pair.fill(kPairFields);
    const std::string_view kind = words[0];
    if (kind != "new" && kind != "pair" && kind != "typed")
      refuse("'{}' is no kind of template; expected new, pair or typed", kind);
    starts_ = kind == "new";
    made.typed = kind == "typed";
    pair_atoms_ = 0;
    for (const std::string_view atom : words.subspan(1)) add_atom(atom, made);
    return made;
  }

  void add_atom(std::string_view atom, Template& made) {
    const bool mention = atom.starts_with("m.");
    if (mention || atom.starts_with("a.")) {
      if (starts_ && !mention) refuse("'{}' is of an antecedent, but a new cluster has none", atom);
      (mention ? made.of_mention : made.of_antecedent).push_back(field_named(atom.substr(2)));
      return;
    }
    const auto* found = std::ranges::find(kPairNames, atom);
    if (found == std::end(kPairNames))
      refuse("there is no property '{}'; pairs have: {}; mentions have, after m. or a.: {}", atom,
             join(kPairNames, ", "), field_names());
    if (starts_) refuse("'{}' is of a pair, but a new cluster has no antecedent", atom);
    if (pair_atoms_ == kMaxPairAtoms) refuse("has more than {} properties of the pair", kMaxPairAtoms);
    made.of_pair[pair_atoms_++] = static_cast<std::uint8_t>(found - kPairNames);
  }

  Field field_named(std::string_view name) const {
    for (std::size_t f = 0; f < kFields; ++f) {
      if (name_of(static_cast<Field>(f)) == name) return static_cast<Field>(f);
    }
    refuse("mentions have no property '{}'; they have: {}", name, field_names());
  }

  static std::string field_names() {
    std::vector<std::string_view> names;
    for (std::size_t f = 0; f < kFields; ++f) names.push_back(name_of(static_cast<Field>(f)));
    return join(names, ", ");
  }

  const std::string& name_;
  std::size_t line_ = 0;
  bool starts_ = false;
  std::size_t pair_atoms_ = 0;
};

}  // namespace

std::string_view name_of(PairField field) { return kPairNames[static_cast<std::size_t>(field)]; }

TemplateSet parse_templates(std::string_view text, const std::string& name) {
  return TemplateParser(name).parse(text);
}

std::span<const Preset> preset_table() { return kPresets; }

}  // namespace hinge::coref
