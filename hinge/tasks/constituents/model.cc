#include "hinge/tasks/constituents/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hinge/core/error.h"

namespace hinge::constituents {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const ModelFile& file) {
  fail<ModelError>("{}: the grammar of the model is damaged; train again", file.name());
}

StoredCounts stored_in(const ModelFile& file) {
  return {[&file](std::string_view piece) { return file.section(piece); }, file.name()};
}

// Sorted keys as differences.
std::vector<Key> read_keys(const ModelFile& file, std::string_view name) {
  ByteReader in(file.section(name), "features");
  std::vector<Key> keys;
  Key last = 0;
  for (auto n = in.get_varint(); n > 0; --n) keys.push_back(last += in.get_varint());
  return keys;
}

void read_weights(const ModelFile& file, Weights& w) {
  ByteReader ids(file.section("ids"), "weights");
  std::size_t id = 0;
  for (const float value : file.array<float>("weights")) {
    id += ids.get_varint();
    if (id >= w.size() || !std::isfinite(value)) refuse(file);
    w[id] = value;
  }
}

}  // namespace

void write_counts(const Counted& counted, const ConstOptions& options, ModelWriter& out, Json& meta) {
  meta.set("grammar", options.grammar);
  meta.set("features", options.features);
  meta.set("hash_bits", counted.plan.hash_bits);
  meta.set("hidden", static_cast<std::int64_t>(counted.plan.network.hidden));
  meta.set("vertical", options.order().vertical);
  meta.set("horizontal", options.order().horizontal);
  meta.set("wrapper", counted.wrapper);
  meta.set("tags", options.tags);
  meta.set("tag_column", options.tag_column);
  meta.set("exact", options.exact);
  meta.set("prune", options.prune);
  meta.set("keep_functions", options.keep_functions);
  meta.set("keep_empty", options.keep_empty);
  for (CountPiece& piece : count_pieces(counted)) out.add(piece.first, std::move(piece.second));
}

void write_weights(const Weights& w, ModelWriter& out) {
  ByteWriter ids, values;
  std::size_t last = 0;
  for (std::size_t id = 0; id < w.size(); ++id) {
    if (w[id] == 0.0f) continue;
    ids.put_varint(id - last);
    values.put(w[id]);
    last = id;
  }
  out.add("ids", ids.take());
  out.add("weights", values.take());
}

void write_keys(const std::string& name, std::vector<Key> keys, ModelWriter& out) {
  std::ranges::sort(keys);
  ByteWriter bytes;
  bytes.put_varint(keys.size());
  Key last = 0;
  for (const Key key : keys) bytes.put_varint(key - std::exchange(last, key));
  out.add(name, bytes.take());
}

Known read_known(const ModelFile& file) {
  require_task(file, "const");
  const Description& description = file.description();
  Known known = read_counts(stored_in(file), description.text("features") == "lexical+aux");
  known.wrapper = description.text("wrapper");
  known.names = read_names(file);
  if (description.text("grammar") == "none") {
    known.span_keys = read_keys(file, "spans.keys");
    known.word_keys = read_keys(file, "tagrows.keys");
  }
  return known;
}

Parser::Parser(const ModelFile& file) {
  const Description& description = file.description();
  plan_.kind = parse_kind(description.text("features"));
  plan_.aux = description.text("features") == "lexical+aux";
  plan_.hash_bits = description.whole("hash_bits");
  if (plan_.hash_bits < 1 || plan_.hash_bits > kMostHashBits) refuse(file);
  wrapper_ = description.text("wrapper");
  tag_column_ = description.text("tag_column", "");
  if (!tag_column_.empty() && conllu_column(tag_column_) < 0) refuse(file);
  given_tags_ = description.text("tags") == "gold" || !tag_column_.empty();
  exact_ = description.flag("exact");
  prune_ = description.json().number("prune");
  cleaning_ = {description.flag("keep_functions"), description.flag("keep_empty")};
  likelihood_ = description.flag("likelihood");
  // Counts are needed only to estimate probabilities.
  Known counts = read_counts(stored_in(file), plan_.aux);
  plan_.grammars = std::move(counts.grammars);
  plan_.fine_rules =
      RuleModel::estimate(plan_.grammars.fine, counts.fine_counts.rules, counts.fine_counts.roots);
  const RuleModel coarse_rules =
      RuleModel::estimate(plan_.grammars.coarse, counts.coarse_counts.rules, counts.coarse_counts.roots);
  plan_.clusters = std::move(counts.clusters);
  plan_.embeddings = std::move(counts.embeddings);
  flat_ = std::move(counts.flat);
  plan_.make_keys();
  const std::int64_t hidden = description.whole("hidden");
  if (hidden < 0 || hidden > kMostHidden || hidden % 16 != 0) refuse(file);
  if (hidden > 0) plan_.add_network(static_cast<std::size_t>(hidden));
  if (description.text("grammar") == "none") {
    spans_ = std::make_unique<SpanModel>(file, plan_.grammars.coarse, counts);
    used_ = spans_->spans.entries() + spans_->words.entries();
  } else {
    weights_ = Weights(plan_.dimension());
    read_weights(file, weights_);
    used_ = file.array<float>("weights").size();
  }
  coarse_ = std::make_unique<CoarseModel>(plan_.grammars.coarse, coarse_rules, std::move(counts.tags));
  const auto root = std::ranges::max_element(coarse_rules.roots) - coarse_rules.roots.begin();
  const auto symbol = static_cast<Symbol>(root);
  root_ = plan_.grammars.coarse.is_tag(symbol) ? "X" : std::string(plan_.grammars.coarse.chain(symbol));
  root_ = root_.substr(0, root_.find(' '));
}

Parser::SpanModel::SpanModel(const ModelFile& file, const Grammar& grammar, const Known& counts)
    : labels(grammar),
      spans(file, "spans", labels.symbols.size()),
      words(file, "tagrows", grammar.tags()),
      guesser(counts.tags, counts.pairs) {}

Parser::Workspace::Workspace(const Parser& parser)
    : pruner_(*parser.coarse_, parser.prune_, parser.exact_),
      decoder_(parser.plan_, parser.exact_),
      keys_(parser.plan_) {
  if (parser.plan_.aux) pruner_.add_auxiliary(parser.plan_, parser.flat_);
}

bool Parser::load(const Input& input, Workspace& workspace) const {
  workspace.words_.assign(input.words.begin(), input.words.end());
  workspace.given_tags_.clear();
  if (given_tags_) find_tags(plan_.grammars.coarse, input.tags, workspace.given_tags_);
  workspace.given_.assign(input.given.begin(), input.given.end());
  if (spans_ != nullptr) return load_spans(input, workspace);
  // If pruning has left no tree, it is tried once more, much milder.
  for (const float mildness : {1.0f, 1e-3f}) {
    workspace.decoder_.load(workspace.pruner_.prune(workspace.words_, workspace.given_tags_, mildness),
                            input.given);
    workspace.decoder_.score(weights_.data());
    if (workspace.decoder_.search().best(workspace.decoder_.forest().forest, workspace.decoder_.scores(),
                                         workspace.edges_) > kImpossible)
      return true;
  }
  return false;
}

// The rows of all spans and words, then the best tree.
bool Parser::load_spans(const Input& input, Workspace& workspace) const {
  const Grammar& grammar = plan_.grammars.coarse;
  spans_->guesser.guess(workspace.words_, workspace.given_tags_, workspace.guess_, workspace.guesses_);
  workspace.keys_.start({workspace.words_, workspace.guesses_, {}});
  SpanSentence& sentence = workspace.sentence_;
  sentence.resize(workspace.words_.size(), spans_->labels.symbols.size(), grammar.tags());
  const RowTable spans = spans_->spans,
                 words = spans_->words;  // a few pointers, which a local copy keeps in registers
  score_spans(
      workspace.keys_, [&](Key key, float* row) { spans.add_to(spans.find(key), 1.0f, row); },
      [&](Key key, float* row) { words.add_to(words.find(key), 1.0f, row); }, sentence);
  keep_given(grammar, spans_->labels, input.given, sentence.spans);
  best_tags(sentence, grammar.tags(), workspace.tags_);
  keep_tags(workspace.given_tags_, workspace.tags_);
  workspace.span_forest_.forest.begin.clear();  // built if it is needed
  if (workspace.chart_.best(sentence.spans, workspace.spans_) > kImpossible) return true;
  workspace.spans_.clear();
  return false;
}

void Parser::copy_rows(const SpanLabels& labels, const Grammar& grammar, const SpanLayout& layout,
                       Weights& w) const {
  const Grammar& ours = plan_.grammars.coarse;
  std::vector<float> row(std::max<std::size_t>(256, ours.symbols()) + 256);
  layout.spans.each([&](Key key, std::uint32_t id) {
    std::ranges::fill(row, 0.0f);
    spans_->spans.add_to(spans_->spans.find(key), 1.0f, row.data());
    for (std::size_t l = 0; l < labels.symbols.size(); ++l) {
      const Symbol symbol = ours.find_phrase(grammar.chain(labels.symbols[l]));
      if (symbol != kNoSymbol) w[layout.span_row(id) + l] = row[spans_->labels.labels[symbol]];
    }
  });
  layout.words.each([&](Key key, std::uint32_t id) {
    std::ranges::fill(row, 0.0f);
    spans_->words.add_to(spans_->words.find(key), 1.0f, row.data());
    for (std::size_t t = 0; t < grammar.tags(); ++t) {
      const std::size_t tag = ours.tag_names().find(grammar.tag_names().names()[t]);
      if (tag < ours.tags()) w[layout.word_row(id) + t] = row[tag];
    }
  });
}

std::string Parser::column_name(bool of_word, std::size_t column) const {
  return plan_.grammars.coarse.name(of_word ? static_cast<Symbol>(column) : spans_->labels.symbols[column]);
}

const BracketTree& Parser::read_spans(Workspace& workspace) const {
  tree_of_spans(plan_.grammars.coarse, spans_->labels, workspace.spans_, workspace.tags_, wrapper_,
                workspace.words_, workspace.tree_);
  return workspace.tree_;
}

const BracketTree& Parser::read(std::span<const std::uint32_t> edges, Workspace& workspace) const {
  workspace.decoder_.read_tree(edges, workspace.derivation_);
  unbinarize(plan_.grammars.fine, workspace.derivation_, wrapper_, workspace.words_, workspace.tree_);
  return workspace.tree_;
}

// The given phrases, or one phrase over all words, and the likeliest tags.
const BracketTree& Parser::flat(Workspace& workspace) const {
  BracketTree& tree = workspace.tree_;
  tree.clear();
  tree.words = workspace.words_;
  const auto n = static_cast<std::uint32_t>(tree.words.size());
  const std::span<const GivenBracket> given = workspace.given_;
  if (wrapper_ != "-") tree.nodes.push_back({wrapper_, 0, n, 0, false});
  if (given.empty() || given[0].begin > 0 || given[0].end < n) tree.nodes.push_back({root_, 0, n, 0, false});
  const auto tags = spans_ != nullptr ? std::span<const Symbol>(workspace.tags_) : workspace.pruner_.tags();
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (; next < given.size() && given[next].begin == i; ++next)
      tree.nodes.push_back(
          {given[next].label.empty() ? root_ : given[next].label, i, given[next].end, 0, false});
    tree.nodes.push_back({plan_.grammars.fine.tag_names().names()[tags[i]], i, i + 1, 0, true});
  }
  link_nodes(tree);
  return tree;
}

const BracketTree& Parser::best(Workspace& workspace) const {
  if (spans_ != nullptr) return workspace.spans_.empty() ? flat(workspace) : read_spans(workspace);
  return workspace.edges_.empty() ? flat(workspace) : read(workspace.edges_, workspace);
}

std::size_t Parser::find_k_best(std::size_t k, Workspace& workspace) const {
  if (spans_ != nullptr) {
    workspace.span_forest_.build(workspace.sentence_.spans);
    workspace.decoder_.k_best().best(workspace.span_forest_.forest, workspace.span_forest_.scores, k,
                                     workspace.trees_);
    return workspace.trees_.size();
  }
  workspace.decoder_.k_best().best(workspace.decoder_.forest().forest, workspace.decoder_.scores(), k,
                                   workspace.trees_);
  return workspace.trees_.size();
}

double Parser::tag_score(const Workspace& workspace) {
  double score = 0.0;
  for (std::size_t i = 0; i < workspace.tags_.size(); ++i)
    score += workspace.sentence_.tags[i * workspace.sentence_.tag_stride + workspace.tags_[i]];
  return score;
}

double Parser::log_sum(Workspace& workspace) const {
  ForestSums& sums = workspace.decoder_.sums();
  if (spans_ == nullptr)
    return sums.run(workspace.decoder_.forest().forest, workspace.decoder_.scores(), workspace.posteriors_);
  const SpanForest& forest = workspace.span_forest_;
  return tag_score(workspace) + sums.run(forest.forest, forest.scores, workspace.posteriors_);
}

const BracketTree& Parser::of_rank(std::size_t rank, double& score, Workspace& workspace) const {
  score = workspace.trees_[rank].score;
  if (spans_ != nullptr) {
    score += tag_score(workspace);
    workspace.span_forest_.read(workspace.trees_[rank].edges, workspace.spans_);
    return read_spans(workspace);
  }
  workspace.edges_ = workspace.trees_[rank].edges;
  return read(workspace.edges_, workspace);
}

void Parser::confidence(bool probabilities, Workspace& workspace, std::vector<double>& out) const {
  out.clear();
  if (spans_ != nullptr ? workspace.spans_.empty() : workspace.edges_.empty()) {
    out.assign(workspace.tree_.nodes.size(), 0.0);
    return;
  }
  if (spans_ != nullptr) return confidence_of_spans(probabilities, workspace, out);
  TreeDecoder& decoder = workspace.decoder_;
  const Forest& forest = decoder.forest().forest;
  if (probabilities) decoder.sums().run(forest, decoder.scores(), workspace.posteriors_);
  double best = 0.0;
  for (const std::uint32_t e : workspace.edges_) best += decoder.scores()[e];
  ForestSearch search;
  std::vector<std::uint32_t> edges;
  const auto of_node = [&](std::uint32_t v) {
    if (probabilities) {
      double sum = 0.0;
      for (std::uint32_t e = forest.begin[v]; e < forest.begin[v + 1]; ++e) sum += workspace.posteriors_[e];
      return std::min(sum, 1.0);
    }
    workspace.without_ = decoder.scores();
    for (std::uint32_t e = forest.begin[v]; e < forest.begin[v + 1]; ++e)
      workspace.without_[e] = -std::numeric_limits<float>::infinity();
    return best - search.best(forest, workspace.without_, edges);
  };
  // Phrases of the tree are in the order of their edges; a chain shares one.
  const Grammar& grammar = plan_.grammars.fine;
  const std::vector<BracketNode>& nodes = workspace.tree_.nodes;
  out.assign(nodes.size(), 0.0);
  const Symbol root = workspace.derivation_[0].symbol;
  std::size_t at = wrapper_ != "-" && (grammar.is_tag(root) || !is_wrapper(grammar.chain(root))) ? 1 : 0;
  for (const std::uint32_t e : std::span(workspace.edges_).subspan(1)) {
    const std::uint32_t v = decoder.head_of(e);
    const Symbol symbol = decoder.forest().nodes[v].symbol;
    if (grammar.is_partial(symbol)) continue;
    if (grammar.is_tag(symbol)) {
      ++at;
      continue;
    }
    const double value = of_node(v);
    for (std::size_t labels = 1 + static_cast<std::size_t>(std::ranges::count(grammar.chain(symbol), ' '));
         labels > 0 && at < out.size(); --labels)
      out[at++] = value;
  }
}

void Parser::confidence_of_spans(bool probabilities, Workspace& workspace, std::vector<double>& out) const {
  SpanForest& forest = workspace.span_forest_;
  if (forest.forest.nodes() == 0) forest.build(workspace.sentence_.spans);
  ForestSums sums;
  ForestSearch search;
  std::vector<std::uint32_t> edges;
  if (probabilities) sums.run(forest.forest, forest.scores, workspace.posteriors_);
  const auto same_spans = [&](const std::vector<BracketNode>& nodes, std::size_t k,
                              const LabelledSpan& span) {
    return nodes[k].begin == span.begin && nodes[k].end == span.end;
  };
  const double best = probabilities ? 0.0 : search.best(forest.forest, forest.scores, edges);
  const std::vector<BracketNode>& nodes = workspace.tree_.nodes;
  out.assign(nodes.size(), 0.0);
  std::size_t at = 0;
  for (const LabelledSpan& span : workspace.spans_) {
    if (span.label == kNoLabel) continue;
    const auto e = static_cast<std::size_t>(std::ranges::find(forest.meaning, span) - forest.meaning.begin());
    double value;
    if (probabilities) {
      value = workspace.posteriors_[e];
    } else {
      const float kept = std::exchange(forest.scores[e], -std::numeric_limits<float>::infinity());
      value = best - search.best(forest.forest, forest.scores, edges);
      forest.scores[e] = kept;
    }
    const std::string_view chain = plan_.grammars.coarse.chain(spans_->labels.symbols[span.label]);
    auto labels = static_cast<std::size_t>(1 + std::ranges::count(chain, ' '));
    // The wrapper has the same span as the first phrase, but is not part of its chain.
    if (at == 0 && nodes.size() > 1 && wrapper_ != "-" && !is_wrapper(chain)) at = 1;
    for (; labels > 0 && at < nodes.size(); ++at) {
      if (nodes[at].word || !same_spans(nodes, at, span)) continue;
      out[at] = value;
      --labels;
    }
  }
}

}  // namespace hinge::constituents
