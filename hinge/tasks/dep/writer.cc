#include "hinge/tasks/dep/writer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/tasks/dep/columns.h"
#include "hinge/tasks/drawing.h"
#include "hinge/tasks/dep/reader.h"

namespace hinge::dep {

TreeWriter::TreeWriter(const Parser& parser, const PredictSettings& settings)
    : parser_(parser), settings_(settings), workspace_(parser) {}

void TreeWriter::predict(const Slice& slice, std::string& out) {
  if (reader_ == nullptr) {
    reader_.reset(new DependencyReader(open_reader(slice, /*annotated=*/false, /*labelled=*/false)));
  }
  restart(*reader_, slice);
  while (reader_->next(/*keep_empty=*/true)) {
    confidence_.clear();
    if (reader_->words() > 0) {
      write_tree(out);
    } else if (!settings_.json && !settings_.html) {
      write({}, {}, out);
    }
  }
}

// A model is of no use where the columns it learned from are missing.
void TreeWriter::check_columns() {
  constexpr std::size_t kEnough = 10;
  if (words_seen_ >= kEnough) return;
  for (std::size_t m = 1; m <= reader_->words(); ++m) add_filled(cells_of(*reader_, m), filled_);
  words_seen_ += reader_->words();
  const CellMask& read = parser_.plan().templates.cells;
  const CellMask missing{.lemma = read.lemma && !filled_.lemma,
                         .upos = read.upos && !filled_.upos && !(read.xpos && filled_.xpos),
                         .xpos = read.xpos && !filled_.xpos && !(read.upos && filled_.upos),
                         .feats = read.feats && !filled_.feats};
  if (words_seen_ < kEnough || missing == kNoCells) return;
  settings_.warn(
      fmt::format("{}: the model reads {}, but its first words have no {}; fill in what is missing, "
                  "for instance with --tagger",
                  reader_->name(), column_names(read), column_names(missing).substr(5)));
}

void TreeWriter::write_tree(std::string& out) {
  check_columns();
  parser_.score(*reader_, workspace_);
  if (settings_.constrain) keep_given();
  if (settings_.json) return append_json(out);
  if (settings_.html) return draw(out);
  settings_.n_best > 1 ? write_n_best(out) : write_best(out);
}

// {"words": [...], "heads": [...], "labels": [...], "scores": [...]}, or "nbest" with a list of
// outputs.
void TreeWriter::append_json(std::string& out) {
  std::vector<std::string> words;
  for (std::size_t m = 1; m <= reader_->words(); ++m) words.emplace_back(reader_->cell(m, kForm));
  Json json;
  json.set("words", words);
  if (settings_.n_best == 1) {
    const double best = parser_.best(workspace_);
    if (best < kForbidden / 2) refuse_given();
    find_confidence(best);
    describe(workspace_.heads(), workspace_.labels(), json);
  } else {
    const std::vector<ScoredTree> trees = parser_.n_best(settings_.n_best, workspace_);
    if (trees.empty()) refuse_given();
    const std::optional<double> sum = log_sum();
    std::vector<Json> outputs;
    for (const ScoredTree& tree : trees) {
      outputs.push_back(ranked_json(tree.score, probability_of(tree.score, sum)));
      describe(tree.heads, parser_.label(tree.heads, workspace_), outputs.back());
    }
    json.set("nbest", outputs);
  }
  out += json.dump() + '\n';
}

void TreeWriter::draw(std::string& out) {
  if (settings_.n_best == 1) {
    const double best = parser_.best(workspace_);
    if (best < kForbidden / 2) refuse_given();
    find_confidence(best);
    return draw_words(workspace_.heads(), workspace_.labels(), out);
  }
  const std::vector<ScoredTree> trees = parser_.n_best(settings_.n_best, workspace_);
  if (trees.empty()) refuse_given();
  const std::optional<double> sum = log_sum();
  std::size_t rank = 0;
  for (const ScoredTree& tree : trees) {
    draw_rank(++rank, tree.score, probability_of(tree.score, sum), out);
    draw_words(tree.heads, parser_.label(tree.heads, workspace_), out);
  }
}

void TreeWriter::draw_words(std::span<const HeadId> heads, std::span<const LabelId> labels, std::string& out) const {
  std::vector<DrawnWord> words;
  for (std::size_t m = 1; m <= reader_->words(); ++m) {
    const std::string_view tag = reader_->cell(m, kUpos) != "_" ? reader_->cell(m, kUpos) : reader_->cell(m, kXpos);
    words.push_back({.word = reader_->cell(m, kForm), .tag = tag != "_" ? tag : "", .head = heads[m]});
    if (!labels.empty()) words.back().label = parser_.labels().names()[labels[m]];
    if (!confidence_.empty()) words.back().score = confidence_[m];
  }
  draw_dependencies(words, out);
}

void TreeWriter::describe(std::span<const HeadId> heads, std::span<const LabelId> labels, Json& json) const {
  std::vector<std::string> names;
  for (std::size_t m = 1; m < labels.size(); ++m) names.push_back(parser_.labels().names()[labels[m]]);
  json.set("heads", std::vector<std::int64_t>(heads.begin() + 1, heads.end()));
  if (!names.empty()) json.set("labels", names);
  if (!confidence_.empty())
    json.set("scores", std::vector<double>(confidence_.begin() + 1, confidence_.end()));
}

std::optional<double> TreeWriter::log_sum() {
  if (!settings_.marginals && !parser_.likelihood()) return std::nullopt;
  return parser_.log_sum(workspace_);
}

// Heads already in the input are fixed; "_" is open.
void TreeWriter::keep_given() {
  const std::size_t words = reader_->words();
  for (std::size_t m = 1; m <= words; ++m) {
    const std::string_view text = reader_->cell(m, kHead);
    if (text == "_") continue;
    std::size_t head = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head);
    if (error != std::errc() || end != text.data() + text.size() || head > words || head == m)
      fail<InputError>("{}: HEAD '{}' cannot be kept: it is _ (open) or the number of another word, 0 to {}",
                       reader_->where(m), shown(text), words);
    parser_.allow_only(m, head, workspace_);
  }
}

void TreeWriter::refuse_given() const {
  fail<InputError>("{}: the heads given allow no {}tree; open some of them (_)", reader_->where(1),
                   parser_.plan().options.algorithm == TreeAlgorithm::kEisner ? "projective " : "");
}

void TreeWriter::write_best(std::string& out) {
  const double best = parser_.best(workspace_);
  if (best < kForbidden / 2) refuse_given();
  find_confidence(best);
  write(workspace_.heads(), workspace_.labels(), out);
}

void TreeWriter::write_n_best(std::string& out) {
  const std::vector<ScoredTree> trees = parser_.n_best(settings_.n_best, workspace_);
  if (trees.empty()) refuse_given();
  const std::optional<double> sum = log_sum();
  std::size_t rank = 0;
  for (const ScoredTree& tree : trees) {
    append_rank(++rank, tree.score, probability_of(tree.score, sum), out);
    out += reader_->sentence().line_end();
    write(tree.heads, parser_.label(tree.heads, workspace_), out);
  }
}

// For every arc of the best tree: its probability, or by how much the tree beats
// the best one without the arc.
void TreeWriter::find_confidence(double best) {
  if (!settings_.scores && !settings_.marginals) return;
  if (!settings_.marginals && !parser_.likelihood()) {
    confidence_ = parser_.margins(best, workspace_);
    return;
  }
  const std::span<const float> marginals = parser_.marginals(workspace_);
  const std::span<const HeadId> heads = workspace_.heads();
  confidence_.assign(heads.size(), 0.0);
  for (std::size_t m = 1; m < heads.size(); ++m)
    confidence_[m] = marginals[heads[m] * workspace_.stride() + m];
}

void TreeWriter::write(std::span<const HeadId> heads, std::span<const LabelId> labels,
                       std::string& out) const {
  write_lines(reader_->sentence(), out, [&](std::string_view line, std::size_t token) {
    write_word(line, token + 1, heads, labels, out);
  });
}

// The input line with HEAD, DEPREL and, for scores, MISC filled in.
void TreeWriter::write_word(std::string_view line, std::size_t word, std::span<const HeadId> heads,
                            std::span<const LabelId> labels, std::string& out) const {
  const std::string_view head = reader_->cell(word, kHead);
  const std::string_view label = reader_->cell(word, kDeprel);
  out += line.substr(0, static_cast<std::size_t>(head.data() - line.data()));
  fmt::format_to(std::back_inserter(out), "{}\t", heads[word]);
  out += labels.empty() ? label : std::string_view(parser_.labels().names()[labels[word]]);
  out += line.substr(static_cast<std::size_t>(label.data() + label.size() - line.data()));
  // A margin without a rival is infinite and says nothing.
  if (confidence_.empty() || !std::isfinite(confidence_[word])) return;
  if (out.ends_with("\t_")) out.pop_back();
  fmt::format_to(std::back_inserter(out), "{}Score={:.4f}", out.ends_with('\t') ? "" : "|",
                 confidence_[word]);
}

}  // namespace hinge::dep
