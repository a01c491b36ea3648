#include "hinge/tasks/dep/model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/decode/k_best_trees.h"
#include "hinge/tasks/dep/columns.h"
#include "hinge/tasks/dep/reader.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {
namespace {

FactorTemplateSet templates_of(const ModelFile& file) {
  try {
    FactorTemplateSet set = parse_factor_templates(file.section("features"), "templates");
    std::string columns = file.description().text("columns");  // none in models of earlier versions
    std::ranges::replace(columns, ' ', ',');
    set.cells = parse_columns(columns);
    return set;
  } catch (const OptionError& error) {
    fail<ModelError>("{}: its columns are damaged ({}); train it again", file.name(), error.what());
  } catch (const InputError& error) {
    fail<ModelError>("{}: its templates are damaged ({}); train it again", file.name(), error.what());
  }
}

TreeOptions options_of(const Description& meta) {
  return {
      .algorithm = meta.text("decoder") == "eisner" ? TreeAlgorithm::kEisner : TreeAlgorithm::kChuLiuEdmonds,
      .single_root = meta.flag("single_root"),
      .label_cost = true,
      .order = meta.whole("order", 1) == 2 ? 2 : 1};
}

TreeLayout layout_of(const ModelFile& file, const Description& meta, std::size_t labels) {
  const auto hash_bits = meta.whole("hash_bits", -1);
  const auto label_bits = meta.whole("label_bits", -1);
  if (hash_bits < 0 || hash_bits > kMaxHashBits || label_bits < 1 || label_bits > kMaxHashBits)
    fail<ModelError>("{}: its sizes are damaged; train it again", file.name());
  TreeLayout layout(hash_bits, label_bits, labels);
  if (hash_bits == 0)
    layout.dictionary() = KeyIndex(file.array<Key>("keys"), file.array<std::uint32_t>("rows"));
  return layout;
}

}  // namespace

StoredParser::StoredParser(const ModelFile& file)
    : labels(read_labels(file.description())),
      options(options_of(file.description())),
      layout(layout_of(file, file.description(), labels.size())) {
  const auto parts = file.array<float>("parts");
  const auto label_weights = file.array<float>("labels");
  if (parts.size() < layout.part_weights() ||
      label_weights.size() < layout.label_rows() * labels.size() + kReadableSlack)
    fail<ModelError>("{}: its weights are cut short; train it again", file.name());
  weights = {parts.data(), label_weights.data()};
}

ParserPlan StoredParser::plan(const ModelFile& file) {
  return {templates_of(file), options, std::move(layout)};
}

StoredPruner::StoredPruner(ModelFile file, const FactorTemplateSet& templates)
    : file_(std::move(file)), stored_(file_), plan_(stored_.plan(file_)), pruner_{plan_, stored_.weights} {
  if (plan_.options.order != 1 || plan_.options.algorithm != TreeAlgorithm::kEisner)
    fail<ModelError>("{}: cannot prune for a second-order parser; train it with order=1 and decoder=eisner",
                     file_.name());
  if (plan_.templates.source != templates.source)
    fail<ModelError>("{}: prunes for a parser with other templates; use the same for both", file_.name());
}

Parser::Parser(const ModelFile& file, StoredParser&& stored)
    : file_(file),
      labels_(stored.labels),
      plan_(stored.plan(file)),
      pruner_(plan_.options.order == 2
                  ? std::make_unique<StoredPruner>(file.nested("pruner"), plan_.templates)
                  : nullptr),
      weights_(stored.weights),
      likelihood_(file.description().flag("likelihood")) {}

Parser::Workspace::Workspace(const Parser& parser)
    : decoder_(parser.plan_, parser.pruner_ ? &parser.pruner_->get() : nullptr),
      hasher_(parser.plan_.templates) {}

void Parser::check_n_best() const {
  if (plan_.options.algorithm != TreeAlgorithm::kEisner || plan_.options.order == 2)
    fail<OptionError>(
        "{}: finds one tree per sentence; n-best lists need a model with decoder=eisner and order=1",
        file_.name());
}

void Parser::check_marginals() const {
  if (plan_.options.order == 2)
    fail<OptionError>("{}: has no marginals; they need a model with order=1", file_.name());
}

void Parser::score(const DependencyReader& reader, Workspace& workspace) const {
  workspace.keys_.clear();
  workspace.hasher_.add_root(workspace.keys_);
  for (std::size_t m = 1; m <= reader.words(); ++m)
    workspace.hasher_.add_word(cells_of(reader, m), workspace.keys_);
  workspace.decoder_.score(workspace.sentence(), weights_);
}

void Parser::score(const Trees& trees, std::size_t i, Workspace& workspace) const {
  if (trees.words(i) > kMaxWords)
    fail<InputError>("sentence {}: has {} words, but at most {} are possible; split it", i + 1,
                     trees.words(i), kMaxWords);
  workspace.keys_.clear();
  workspace.hasher_.add_root(workspace.keys_);
  for (std::size_t m = 1; m <= trees.words(i); ++m)
    workspace.hasher_.add_word(trees.word(i, m), workspace.keys_);
  workspace.decoder_.score(workspace.sentence(), weights_);
}

void Parser::allow_only(std::size_t word, std::size_t head, Workspace& workspace) const {
  for (std::size_t h = 0; h <= workspace.sentence().words(); ++h) {
    if (h != head && h != word) workspace.decoder_.arc(h, word) = kForbidden;
  }
}

double Parser::best(Workspace& workspace) const {
  const double score = workspace.decoder_.search(workspace.sentence(), weights_);
  if (score > kForbidden / 2)
    workspace.decoder_.label(workspace.sentence(), workspace.decoder_.heads(), weights_);
  return score;
}

std::vector<ScoredTree> Parser::n_best(std::size_t n, Workspace& workspace) const {
  check_n_best();
  return k_best_projective(workspace.decoder_.scores(), n);
}

double Parser::log_sum(Workspace& workspace) const {
  check_marginals();
  return workspace.decoder_.trees().sum(workspace.decoder_.scores());
}

std::span<const LabelId> Parser::label(std::span<const HeadId> heads, Workspace& workspace) const {
  workspace.decoder_.label(workspace.sentence(), heads, weights_);
  return workspace.decoder_.labels();
}

std::span<const float> Parser::marginals(Workspace& workspace) const {
  check_marginals();
  workspace.decoder_.trees().sum(workspace.decoder_.scores());
  return workspace.decoder_.trees().marginals();
}

double Parser::best_without(HeadId head, std::size_t word, std::span<HeadId> heads,
                            Workspace& workspace) const {
  float& arc = workspace.decoder_.arc(head, word);
  const float kept = std::exchange(arc, kForbidden);
  const double score = workspace.decoder_.search_again(weights_, heads);
  arc = kept;
  return score;
}

std::vector<HeadId> Parser::other_tree(std::span<const HeadId> heads, std::size_t word,
                                       Workspace& workspace) const {
  std::vector<HeadId> other(heads.size());
  if (best_without(heads[word], word, other, workspace) < kForbidden / 2) other.clear();
  return other;
}

std::vector<double> Parser::margins(double best, Workspace& workspace) const {
  const std::span<const HeadId> heads = workspace.decoder_.heads();
  std::vector<double> margins(heads.size(), 0.0);
  std::vector<HeadId> other(heads.size());
  for (std::size_t m = 1; m < heads.size(); ++m) {
    const double second = best_without(heads[m], m, other, workspace);
    margins[m] = second < kForbidden / 2 ? std::numeric_limits<double>::infinity() : best - second;
  }
  return margins;
}

}  // namespace hinge::dep
