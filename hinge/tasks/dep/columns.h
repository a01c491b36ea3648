// Which columns of CoNLL-U a parser reads. One that is right in the training data but
// missing or predicted later would mislead it.
#pragma once

#include <string>

#include "hinge/features/factor_keys.h"

namespace hinge::dep {

// "upos,feats" names the columns besides FORM; "" is all. Throws OptionError.
CellMask parse_columns(const std::string& names);
// "form upos feats".
std::string column_names(const CellMask& cells);

// Columns that fields of the templates read.
CellMask columns_of(const FactorTemplateSet& templates);
CellMask both(const CellMask& a, const CellMask& b);
CellMask either(const CellMask& a, const CellMask& b);
// Adds the columns that are not empty in this word.
void add_filled(const WordCells& word, CellMask& filled);

}  // namespace hinge::dep
