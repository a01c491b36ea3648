// Trees for plain sentences, by a model of the task `const`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hinge/corpus/brackets.h"
#include "hinge/corpus/sentences.h"
#include "hinge/tasks/constituents/model.h"

namespace hinge::summarize {

// Immutable, shared by threads.
class TreeMaker {
 public:
  // The bytes of the model. Throws ModelError.
  explicit TreeMaker(std::string bytes);

  // One per thread.
  class Workspace {
   public:
    explicit Workspace(const TreeMaker& maker) : maker_(maker), parser_(maker.parser_) {}
    // The tree of a sentence; null if it has no words or too many. Valid until the next call.
    const BracketTree* parse(std::string_view sentence);

   private:
    const TreeMaker& maker_;
    constituents::Parser::Workspace parser_;
    std::vector<TextRange> tokens_;
    std::vector<std::string_view> words_;
  };

 private:
  ModelFile file_;
  constituents::Parser parser_;
};

// Null without a model.
std::unique_ptr<TreeMaker> make_trees(const std::string& bytes);

}  // namespace hinge::summarize
