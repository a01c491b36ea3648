#include "hinge/tasks/dep/columns.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/tasks/dep/features.h"

namespace hinge::dep {
namespace {

TEST(Columns, AreNamedAndParsed) {
  EXPECT_EQ(parse_columns(""), CellMask());
  EXPECT_EQ(column_names(CellMask()), "form lemma upos xpos feats");
  EXPECT_EQ(column_names(parse_columns("form")), "form");
  EXPECT_EQ(column_names(parse_columns("feats,upos")), "form upos feats");
  EXPECT_THROW(parse_columns("upos,deprel"), OptionError);
}

TEST(Columns, OfTemplatesAreThoseTheirFieldsRead) {
  const auto names = [](const std::string& text) {
    return column_names(columns_of(parse_factor_templates(text, "t")));
  };
  EXPECT_EQ(names("arc h.form m.suffix3"), "form");
  EXPECT_EQ(names("arc h.upos"), "form upos xpos");  // one stands in for the other
  EXPECT_EQ(names("arc h.lemma m.feats:Case"), "form lemma feats");
}

TEST(Columns, ThatAreMaskedGiveTheKeysOfEmptyCells) {
  FactorTemplateSet set =
      parse_factor_templates("arc h.form h.lemma h.upos h.xpos h.feats h.feats:Case", "t");
  const WordCells word{.form = "dogs", .lemma = "dog", .upos = "NOUN", .xpos = "NNS", .feats = "Case=Nom"};
  const auto keys_of = [&set](const WordCells& cells) {
    std::vector<Key> keys;
    FieldHasher(set).add_word(cells, keys);
    return keys;
  };
  const std::vector<Key> all = keys_of(word);
  set.cells = parse_columns("upos");
  const std::vector<Key> masked = keys_of(word);
  EXPECT_NE(masked, all);
  EXPECT_EQ(masked, keys_of({.form = "dogs", .lemma = "_", .upos = "NOUN", .xpos = "_", .feats = "_"}));
  set.cells = CellMask();
  EXPECT_EQ(masked, keys_of({.form = "dogs", .lemma = "_", .upos = "NOUN", .xpos = "_", .feats = "_"}));
}

}  // namespace
}  // namespace hinge::dep
