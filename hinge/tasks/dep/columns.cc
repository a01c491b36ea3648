#include "hinge/tasks/dep/columns.h"

#include <array>

#include "hinge/core/error.h"
#include "hinge/core/options.h"

namespace hinge::dep {
namespace {

struct Column {
  std::string_view name;
  bool CellMask::*cell;
  std::string_view WordCells::*text;
};
constexpr std::array<Column, 4> kColumns = {{{"lemma", &CellMask::lemma, &WordCells::lemma},
                                             {"upos", &CellMask::upos, &WordCells::upos},
                                             {"xpos", &CellMask::xpos, &WordCells::xpos},
                                             {"feats", &CellMask::feats, &WordCells::feats}}};

}  // namespace

CellMask parse_columns(const std::string& names) {
  if (names.empty()) return {};
  CellMask cells = kNoCells;
  for (const std::string& name : split_list(names)) {
    bool known = name == "form";
    for (const Column& column : kColumns) {
      if (column.name != name) continue;
      cells.*column.cell = true;
      known = true;
    }
    if (!known) fail<OptionError>("columns has '{}', but knows form, lemma, upos, xpos and feats", name);
  }
  return cells;
}

std::string column_names(const CellMask& cells) {
  std::string names = "form";
  for (const Column& column : kColumns) {
    if (cells.*column.cell) names.append(" ").append(column.name);
  }
  return names;
}

CellMask columns_of(const FactorTemplateSet& templates) {
  CellMask cells = kNoCells;
  for (const Field& field : templates.fields) {
    cells.lemma |= field.kind == FieldKind::kLemma;
    // Each stands in for the other where it is empty.
    cells.upos |= field.kind == FieldKind::kUpos || field.kind == FieldKind::kXpos;
    cells.xpos |= field.kind == FieldKind::kUpos || field.kind == FieldKind::kXpos;
    cells.feats |= field.kind == FieldKind::kFeats || field.kind == FieldKind::kFeature;
  }
  return cells;
}

CellMask both(const CellMask& a, const CellMask& b) {
  CellMask cells;
  for (const Column& column : kColumns) cells.*column.cell = a.*column.cell && b.*column.cell;
  return cells;
}

CellMask either(const CellMask& a, const CellMask& b) {
  CellMask cells;
  for (const Column& column : kColumns) cells.*column.cell = a.*column.cell || b.*column.cell;
  return cells;
}

void add_filled(const WordCells& word, CellMask& filled) {
  for (const Column& column : kColumns) filled.*column.cell |= word.*column.text != "_";
}

}  // namespace hinge::dep
