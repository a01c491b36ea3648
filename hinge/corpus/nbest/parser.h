// A line of text as a hypothesis, one implementation a format.
#pragma once

#include <memory>
#include <string_view>

#include "hinge/corpus/nbest/builder.h"

namespace hinge {

class NBestParser {
 public:
  virtual ~NBestParser() = default;
  // Overwrites `hypothesis`; its text lives as long as the line and until the
  // next call. New features are numbered by the builder. Throws InputError.
  virtual void parse(std::string_view line, Place where, Hypothesis& hypothesis) = 0;
};

// The builder must outlive them. One parser for all files of a format: what it
// has learnt of the features holds for all.
std::unique_ptr<NBestParser> moses_parser(NBestBuilder& builder);
std::unique_ptr<NBestParser> json_parser(NBestBuilder& builder);

}  // namespace hinge
