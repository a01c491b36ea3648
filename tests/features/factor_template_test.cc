#include "hinge/features/factor_template.h"

#include <gtest/gtest.h>

#include <set>

#include "hinge/core/error.h"
#include "hinge/features/presets.h"

namespace hinge {
namespace {

FactorTemplateSet parse(std::string_view text) { return parse_factor_templates(text, "my.parts"); }

std::string message_of(std::string_view text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The only atom of a template of that kind.
FactorAtom only_atom(const std::string& kind, const std::string& atom) {
  const FactorTemplateSet set = parse("arc h.form\n" + kind + " " + atom + "\n");
  for (const auto& templates : set.kinds) {
    for (const FactorTemplate& t : templates) {
      if (t.line == 2) return t.atoms.at(0);
    }
  }
  ADD_FAILURE() << "no template from " << kind << " " << atom;
  return {};
}

Field only_field(const std::string& name) {
  const FactorTemplateSet set = parse(std::string("arc m.").append(name));
  EXPECT_EQ(set.fields.size(), 1u);
  return set.fields.at(0);
}

TEST(PartTemplates, OfEveryKindStandInTheListOfTheirKind) {
  const FactorTemplateSet set = parse(
      "# what one needs\n"
      "\n"
      "arc h.form m-1.upos\n"
      "  arc\th.upos b.upos  m.upos\r\n"
      "sibling h.upos s.upos m.upos\n"
      "grand g.upos h.upos m.upos\n"
      "label h.form m.form dir\n"
      "label dist");
  ASSERT_EQ(set.of(FactorKind::kArc).size(), 2u);
  ASSERT_EQ(set.of(FactorKind::kSibling).size(), 1u);
  ASSERT_EQ(set.of(FactorKind::kGrand).size(), 1u);
  ASSERT_EQ(set.of(FactorKind::kLabel).size(), 2u);
  const FactorTemplate& first = set.of(FactorKind::kArc)[0];
  EXPECT_EQ(first.source, "arc h.form m-1.upos");
  EXPECT_EQ(first.line, 3u);
  ASSERT_EQ(first.atoms.size(), 2u);
  EXPECT_EQ(first.atoms[0].role, Role::kHead);
  EXPECT_EQ(first.atoms[0].offset, 0);
  EXPECT_EQ(first.atoms[1].role, Role::kModifier);
  EXPECT_EQ(first.atoms[1].offset, -1);
  EXPECT_TRUE(first.has(Role::kHead));
  EXPECT_FALSE(first.has(Role::kBetween));
  EXPECT_EQ(set.of(FactorKind::kArc)[1].line, 4u);
  EXPECT_EQ(set.of(FactorKind::kArc)[1].atoms.size(), 3u);
  EXPECT_TRUE(set.of(FactorKind::kArc)[1].has(Role::kBetween));
  EXPECT_EQ(set.of(FactorKind::kLabel)[1].line, 8u);
  EXPECT_EQ(set.fields.size(), 2u);  // form and upos, each once
}

TEST(PartTemplates, KeepTheWholeText) {
  const std::string text = "# a comment\narc h.form\n\n";
  EXPECT_EQ(parse(text).source, text);
}

TEST(PartTemplates, HaveTheRolesOfTheirKind) {
  const std::vector<std::pair<std::string, Role>> roles = {
      {"h", Role::kHead},    {"m", Role::kModifier}, {"b", Role::kBetween},
      {"s", Role::kSibling}, {"g", Role::kGrand},    {"l", Role::kFirst},
      {"r", Role::kLast},    {"p", Role::kBefore},   {"n", Role::kAfter}};
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"arc", "hmb"}, {"sibling", "hsm"}, {"grand", "ghm"}, {"label", "hmglrpn"}};
  for (const auto& [kind, allowed] : kinds) {
    for (const auto& [letter, role] : roles) {
      if (contains(allowed, letter)) {
        EXPECT_EQ(only_atom(kind, letter + ".upos").role, role) << kind << " " << letter;
        continue;
      }
      const std::string message = message_of("arc h.form\n" + kind + " " + letter + ".upos");
      EXPECT_TRUE(contains(message, "my.parts:2: '" + letter + ".upos' is not an atom of '" + kind + "'"))
          << message;
      EXPECT_TRUE(contains(message, std::string("roles: ") + allowed[0] + " " + allowed[1])) << message;
    }
  }
}

TEST(PartTemplates, HaveOffsetsInWords) {
  EXPECT_EQ(only_atom("arc", "h-1.upos").offset, -1);
  EXPECT_EQ(only_atom("arc", "h+1.upos").offset, 1);
  EXPECT_EQ(only_atom("label", "n+12.upos").offset, 12);
  EXPECT_EQ(only_atom("sibling", "s-0.upos").offset, 0);
}

TEST(PartTemplates, KnowEveryField) {
  EXPECT_EQ(only_field("form"), Field{.kind = FieldKind::kForm});
  EXPECT_EQ(only_field("lower"), Field{.kind = FieldKind::kLower});
  EXPECT_EQ(only_field("lemma"), Field{.kind = FieldKind::kLemma});
  EXPECT_EQ(only_field("upos"), Field{.kind = FieldKind::kUpos});
  EXPECT_EQ(only_field("xpos"), Field{.kind = FieldKind::kXpos});
  EXPECT_EQ(only_field("feats"), Field{.kind = FieldKind::kFeats});
  EXPECT_EQ(only_field("shape"), Field{.kind = FieldKind::kShape});
  EXPECT_EQ(only_field("prefix5"), (Field{.kind = FieldKind::kPrefix, .n = 5}));
  EXPECT_EQ(only_field("suffix12"), (Field{.kind = FieldKind::kSuffix, .n = 12}));
  EXPECT_EQ(only_field("feats:Case"), (Field{.kind = FieldKind::kFeature, .name = "Case"}));
  EXPECT_EQ(only_field("feats:Number[psor]"), (Field{.kind = FieldKind::kFeature, .name = "Number[psor]"}));
}

TEST(PartTemplates, TellFieldsThatDifferInAnythingApart) {
  const FactorTemplateSet set =
      parse("arc h.prefix2 m.prefix3 h.suffix2 m.feats:A h.feats:B m.feats h.prefix2 m.feats:A");
  EXPECT_EQ(set.fields.size(), 6u);
  const auto& atoms = set.of(FactorKind::kArc)[0].atoms;
  EXPECT_EQ(atoms[0].field, atoms[6].field);
  EXPECT_EQ(atoms[3].field, atoms[7].field);
}

TEST(PartTemplates, OfLabelsMayHaveDirectionAndDistanceAlone) {
  const FactorTemplateSet set =
      parse("arc h.form\nlabel dir\nlabel dist\nlabel dir dist m.form\nlabel m.form\n");
  const auto& labels = set.of(FactorKind::kLabel);
  const std::vector<std::pair<bool, bool>> expected = {
      {true, false}, {false, true}, {true, true}, {false, false}};
  ASSERT_EQ(labels.size(), expected.size());
  for (std::size_t t = 0; t < labels.size(); ++t) {
    EXPECT_EQ(labels[t].direction, expected[t].first) << t;
    EXPECT_EQ(labels[t].distance, expected[t].second) << t;
  }
  for (const std::string word : {"dir", "dist"}) {
    for (const std::string kind : {"arc", "sibling", "grand"})
      EXPECT_TRUE(contains(message_of(kind + " " + word), "my.parts:1: '" + word + "' is not an atom")) << kind;
  }
}

TEST(PartTemplates, AreTheSameWithEitherKindOfLineEnd) {
  EXPECT_EQ(parse("arc h.form m.upos\r\n").of(FactorKind::kArc)[0].source, "arc h.form m.upos");
  EXPECT_EQ(parse("  arc h.form m.upos \n").of(FactorKind::kArc)[0].source, "arc h.form m.upos");
}

TEST(PartTemplates, PutDistancesIntoBins) {
  const FactorTemplateSet usual = parse("arc h.form");
  const std::vector<std::uint32_t> expected = {0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 6, 6};
  for (std::uint32_t d = 1; d <= expected.size(); ++d) EXPECT_EQ(usual.bin(d), expected[d - 1]) << d;
  EXPECT_EQ(usual.bin(4000), 6u);

  const FactorTemplateSet own = parse("distances 1 3 10\narc h.form");
  for (std::uint32_t d = 1; d <= 20; ++d) EXPECT_EQ(own.bin(d), d < 3 ? 0u : d < 10 ? 1u : 2u) << d;
  const FactorTemplateSet one = parse("distances 1\narc h.form");
  EXPECT_EQ(one.bin(1), 0u);
  EXPECT_EQ(one.bin(99), 0u);
}

TEST(PartTemplates, AreRefusedWithFileLineAndWhatWasExpected) {
  struct Wrong {
    std::string line, part;
  };
  const std::vector<Wrong> wrong = {
      {"arcs h.form", "a line begins with arc, sibling, grand, label or distances, not with 'arcs'"},
      {"h.form", "not with 'h.form'"},
      {"arc", "'arc' needs atoms, such as h.upos m.form"},
      {"grand   ", "'grand' needs atoms"},
      {"label", "'label' needs atoms"},
      {"arc h", "'h' is not an atom of 'arc': write role, offset and field, as in h-1.upos; roles: h m b"},
      {"arc .form", "'.form' is not an atom"},
      {"arc form", "'form' is not an atom"},
      {"arc x.form", "'x.form' is not an atom"},
      {"arc h?.form", "'h?.form' is not an atom"},
      {"arc h-.form", "'h-.form' is not an atom"},
      {"arc h+.form", "'h+.form' is not an atom"},
      {"arc h+-1.form", "'h+-1.form' is not an atom"},
      {"arc h--1.form", "'h--1.form' is not an atom"},
      {"arc h-1x.form", "'h-1x.form' is not an atom"},
      {"arc h99999999999.form", "'h99999999999.form' is not an atom"},
      {"grand s.form", "'s.form' is not an atom of 'grand': write role, offset and field, as in g-1.upos"},
      {"arc h.",
       "there is no field ''; fields are: form lower lemma upos xpos feats shape prefixN suffixN "
       "feats:Name"},
      {"arc h.FORM", "there is no field 'FORM'"},
      {"arc h.pos", "there is no field 'pos'"},
      {"arc h.prefix", "there is no field 'prefix'"},
      {"arc h.prefix0", "there is no field 'prefix0'"},
      {"arc h.prefix-1", "there is no field 'prefix-1'"},
      {"arc h.prefix+1", "there is no field 'prefix+1'"},
      {"arc h.suffix2x", "there is no field 'suffix2x'"},
      {"arc h.feats:", "there is no field 'feats:'"},
      {"arc h.form.upos", "there is no field 'form.upos'"},
      {"arc b.upos h.upos b.xpos", "a template may have at most one b atom"},
      {"distances", "give 1 to 7 distance bins, not 0"},
      {"distances 1 2 3 4 5 6 7 8", "give 1 to 7 distance bins, not 8"},
      {"distances 2 3", "'2' is out of place: distances must rise, starting from 1"},
      {"distances 0 1", "'0' is out of place"},
      {"distances 1 3 3", "'3' is out of place"},
      {"distances 1 3 2", "'2' is out of place"},
      {"distances 1 x", "'x' is out of place"},
      {"distances 1 -2", "'-2' is out of place"},
      {"distances 1 +2", "'+2' is out of place"},
      {"distances 1 99999999999", "'99999999999' is out of place"},
  };
  for (const auto& [line, part] : wrong) {
    const std::string message = message_of("arc h.form\n\n" + line + "\narc m.form\n");
    EXPECT_TRUE(message.starts_with("my.parts:3: ")) << line << " -> " << message;
    EXPECT_TRUE(contains(message, part)) << line << " -> " << message;
  }
}

TEST(PartTemplates, WithoutOneOfArcsAreRefused) {
  for (const std::string text : {"", "\n\n", "# nothing", "label m.form\ngrand g.upos\n"})
    EXPECT_TRUE(contains(message_of(text), "my.parts: has no arc templates")) << text;
}

TEST(PartPresets, ParseAndHaveEveryKindOfPart) {
  std::set<std::string_view> names;
  for (const Preset& preset : factor_preset_table()) {
    SCOPED_TRACE(preset.name);
    EXPECT_TRUE(names.insert(preset.name).second);
    EXPECT_FALSE(preset.summary.empty());
    const FactorTemplateSet set = parse_factor_templates(preset.text(), std::string(preset.name));
    std::set<std::string> lines;
    for (const auto& templates : set.kinds) {
      EXPECT_FALSE(templates.empty());
      for (const FactorTemplate& t : templates) EXPECT_TRUE(lines.insert(t.source).second) << t.source;
    }
  }
  EXPECT_TRUE(names.contains("dep"));
}

}  // namespace
}  // namespace hinge
