// Scores a tagger on labelled text, and files already labelled.
#pragma once

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/tag/model.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

Evaluation evaluate_tagger(const Tagger& tagger, const Source& source, Workers& workers);

// One file with gold and predicted labels as its last two columns, as `hinge
// predict` writes it and conlleval reads it; with comments if the format is kCommented.
Evaluation evaluate_file(const std::string& path, ColumnFormat format);

// Two labelled files, token by token. Throws InputError if they differ in more than
// labels.
Evaluation evaluate_files(const std::string& gold, const std::string& system, const FileLayout& layout);

}  // namespace hinge::tag
