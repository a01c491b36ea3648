// Parses a line into a hypothesis; one implementation per format.
#pragma once

#include <memory>
#include <string_view>

#include "hinge/corpus/nbest/builder.h"

namespace hinge {

class NBestParser {
 public:
  virtual ~NBestParser() = default;
  // Overwrites `hypothesis`; its text is valid while the line is, at most until
  // the next call. New features are numbered by the builder. Throws InputError.
  virtual void parse(std::string_view line, Place where, Hypothesis& hypothesis) = 0;
};

// The builder must outlive the parser. Use one parser for all files of a format:
// they share what it knows of the features.
std::unique_ptr<NBestParser> moses_parser(NBestBuilder& builder);
std::unique_ptr<NBestParser> json_parser(NBestBuilder& builder);

}  // namespace hinge
