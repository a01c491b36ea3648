#include "hinge/tasks/summarize/trees.h"

#include "hinge/core/error.h"

namespace hinge::summarize {
namespace {

// Longer sentences are kept whole: parsing takes time cubic in the length.
constexpr std::size_t kMostTokens = 80;

}  // namespace

TreeMaker::TreeMaker(std::string bytes)
    : file_(ModelFile::from_bytes(std::move(bytes), "the parser")), parser_(file_) {
  if (parser_.given_tags())
    fail<OptionError>("the parser needs tags, which plain text does not have; train it with tags=chart");
}

const BracketTree* TreeMaker::Workspace::parse(std::string_view sentence) {
  split_tokens(sentence, {0, sentence.size()}, tokens_);
  if (tokens_.empty() || tokens_.size() > kMostTokens) return nullptr;
  words_.clear();
  for (const TextRange& token : tokens_) words_.push_back(token.of(sentence));
  maker_.parser_.load({.words = words_, .tags = {}, .given = {}}, parser_);
  return &maker_.parser_.best(parser_);
}

std::unique_ptr<TreeMaker> make_trees(const std::string& bytes) {
  return bytes.empty() ? nullptr : std::make_unique<TreeMaker>(bytes);
}

}  // namespace hinge::summarize
