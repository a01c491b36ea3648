#include "hinge/tasks/dep/check.h"

#include "hinge/check/blocks.h"
#include "hinge/corpus/scan.h"
#include "hinge/tasks/dep/reader.h"

namespace hinge::dep {
namespace {

constexpr FindingKind kKinds[] = {
    {"several-roots", Severity::kWarning, "trees with several roots, while most have one",
     "attach all but one to another word, or train with -p single_root=false"},
    {"root-relation", Severity::kWarning, "'root' on a word that has a head, or another relation on the root",
     "mend the head or the relation"},
    {"missing-tag", Severity::kWarning, "words without UPOS or XPOS, while others have it", "fill it in"},
    {"non-projective", Severity::kNote, "trees with crossing arcs",
     "with more than a few, train with -p decoder=chu-liu-edmonds"},
};
constexpr const FindingKind& kRoots = kKinds[0];
constexpr const FindingKind& kRootRelation = kKinds[1];
constexpr const FindingKind& kMissingTag = kKinds[2];
constexpr const FindingKind& kCrossing = kKinds[3];

struct Place {
  std::size_t line;
  std::string text;
};

class TreeCheck {
 public:
  explicit TreeCheck(bool labelled, CorpusCheck& check) : labelled_(labelled), check_(check) {}

  void tree(const DependencyReader& reader) {
    const std::size_t line = reader.sentence().first_line;
    Key input = 1;
    Key gold = 1;
    text_.clear();
    for (std::size_t w = 1; w <= reader.words(); ++w) {
      if (text_.size() < kMostText) text_.append(w == 1 ? "" : " ").append(reader.cell(w, kForm));
      input = combine(input, hash_text(reader.cell(w, kForm)));
      gold = combine(gold, hash_text(reader.cell(w, kHead)));
      if (labelled_) gold = combine(gold, hash_text(reader.label(w)));
      word(reader, w);
    }
    check_.example({.line = line, .text = text_, .input = input, .gold = gold, .length = reader.words()});
    ++trees_;
    if (reader.roots() > 1) several_.push_back({line, fmt::format("{} roots", reader.roots())});
    if (!is_projective(reader.heads())) check_.find(kCrossing, line, "{}", shown(text_));
  }

  void finish() {
    const auto several = static_cast<std::int64_t>(several_.size());
    if (several * 2 < trees_) {
      for (const Place& place : several_) check_.find(kRoots, place.line, "{}", place.text);
    }
    // In treebanks that call the relation something else, all of them do.
    if (root_named_ * 2 > roots_) {
      for (const Place& place : odd_roots_) check_.find(kRootRelation, place.line, "{}", place.text);
    }
    for (const Missing& missing : missing_) {
      if (missing.count * 10 > words_) continue;
      for (const Place& place : missing.places) check_.find(kMissingTag, place.line, "{}", place.text);
    }
    check_.add_total(kCrossing, trees_);
  }

 private:
  static constexpr std::size_t kMostText = 200;
  static constexpr std::size_t kMostPlaces = 100000;
  struct Missing {
    ConlluColumn column;
    std::string_view name;
    std::int64_t count = 0;
    std::vector<Place> places{};
  };

  void word(const DependencyReader& reader, std::size_t w) {
    const std::size_t line = reader.sentence().line_number(w - 1);
    const bool root = reader.heads()[w] == 0;
    ++words_;
    if (labelled_) {
      const std::string_view label = reader.label(w);
      const bool named = label == "root" || label == "ROOT";
      check_.label(label, line);
      roots_ += root;
      root_named_ += root && named;
      if (root != named)
        odd_roots_.push_back({line, fmt::format("{} of '{}' with HEAD {}", shown(label),
                                                shown(reader.cell(w, kForm)), reader.heads()[w])});
    }
    for (Missing& missing : missing_) {
      if (reader.cell(w, missing.column) != "_") continue;
      if (++missing.count <= static_cast<std::int64_t>(kMostPlaces))
        missing.places.push_back(
            {line, fmt::format("{} of '{}'", missing.name, shown(reader.cell(w, kForm)))});
    }
  }

  bool labelled_;
  CorpusCheck& check_;
  std::string text_;
  std::int64_t trees_ = 0, words_ = 0, roots_ = 0, root_named_ = 0;
  std::vector<Place> several_, odd_roots_;
  Missing missing_[2] = {{kUpos, "UPOS"}, {kXpos, "XPOS"}};
};

}  // namespace

void check_trees(const Source& source, bool labelled, CorpusCheck& check) {
  check.name({"trees", "words"});
  const Slice slice{.source = &source, .text = *source.text, .layout = conllu_layout()};
  DependencyReader reader = open_reader(slice, /*annotated=*/true, labelled);
  TreeCheck trees(labelled, check);
  each_block(slice.text, 1, slice.layout, reader, check, [&] {
    while (reader.next()) trees.tree(reader);
  });
  trees.finish();
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::dep
