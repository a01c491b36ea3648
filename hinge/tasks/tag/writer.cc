#include "hinge/tasks/tag/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/core/join.h"

namespace hinge::tag {

TagWriter::TagWriter(const Tagger& tagger, const PredictSettings& settings)
    : tagger_(tagger), settings_(settings), workspace_(tagger) {}

void TagWriter::predict(const Slice& slice, std::string& out) {
  if (!reader_) reader_.emplace(slice, tagger_.layout(), /*labelled=*/false);
  restart(*reader_, slice);
  while (reader_->next(/*keep_empty=*/true)) {
    tagger_.score(*reader_, workspace_);
    if (settings_.constrain) keep_given();
    settings_.n_best > 1 ? write_n_best(out) : write_best(out);
  }
}

// Labels in the input are fixed: a label, A|B, or ? for any.
void TagWriter::keep_given() {
  if (!reader_->has_labels()) {
    fail<InputError>(
        "{}: has no label column, but --constrain keeps the labels in it; add one (? if unknown)",
        reader_->name());
  }
  for (std::size_t t = 0; t < reader_->sentence().tokens(); ++t) {
    const std::string_view given = reader_->label(t);
    if (given == "?" || given == "_") continue;
    find_allowed(t);
    tagger_.allow_only(t, allowed_, workspace_);
  }
}

void TagWriter::find_allowed(std::size_t token) {
  allowed_.clear();
  for (std::string_view rest = reader_->label(token); !rest.empty();) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    const std::size_t label = tagger_.labels().find(rest.substr(0, end));
    if (label == tagger_.labels().size()) {
      fail<InputError>("{}: the model has no label '{}'; it has: {}", reader_->where(token),
                       rest.substr(0, end), join(tagger_.labels().names(), " "));
    }
    allowed_.push_back(static_cast<LabelId>(label));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

bool TagWriter::gives_marginals() const {
  return settings_.marginals || (settings_.scores && tagger_.likelihood());
}

// Decodes and prepares write_score().
void TagWriter::find_best() {
  best_ = tagger_.best(workspace_);
  if (gives_marginals()) {
    through_ = tagger_.marginals(workspace_);
  } else if (settings_.scores) {
    through_ = tagger_.max_marginals(workspace_);
  }
}

// By how much the best sequence with this label beats the best with another here.
float TagWriter::margin(std::size_t token, LabelId label) const {
  const float* through = through_.data() + token * tagger_.stride();
  float other = -std::numeric_limits<float>::infinity();
  for (std::size_t y = 0; y < tagger_.labels().size(); ++y) {
    if (y != label) other = std::max(other, through[y]);
  }
  // At least zero for the best label: rounding differs, as sums are in other orders.
  return std::max(label == best_[token] ? 0.0f : -std::numeric_limits<float>::infinity(),
                  through[label] - other);
}

void TagWriter::write_best(std::string& out) {
  find_best();
  write_sentence(best_, out);
}

void TagWriter::write_n_best(std::string& out) {
  const std::vector<ScoredPath> paths = tagger_.n_best(settings_.n_best, workspace_);
  // No tokens, or the given labels contradict each other: nothing to rank.
  if (paths.empty()) return write_best(out);
  if (settings_.scores || settings_.marginals) find_best();
  std::size_t rank = 0;
  for (const ScoredPath& path : paths) {
    fmt::format_to(std::back_inserter(out), "# {} {:.6f}{}", ++rank, path.score,
                   reader_->sentence().line_end());
    write_sentence(path.labels, out);
  }
}

void TagWriter::write_sentence(std::span<const LabelId> path, std::string& out) const {
  write_lines(reader_->sentence(), out,
              [&](std::string_view line, std::size_t token) { write_token(line, token, path[token], out); });
}

// Plain columns get label and score appended, CoNLL-U the label in its column and
// the score in MISC. Attributes are left out, but the given label stays.
void TagWriter::write_token(std::string_view text, std::size_t token, LabelId label, std::string& out) const {
  const bool scored = settings_.scores || settings_.marginals;
  if (reader_->layout().format == ColumnFormat::kConllu) {
    const std::string_view cell = reader_->label(token);
    const auto begin = static_cast<std::size_t>(cell.data() - text.data());
    out.append(text.substr(0, begin)).append(label_name(label)).append(text.substr(begin + cell.size()));
    if (!scored) return;
    if (out.ends_with("\t_")) out.pop_back();
    out += out.ends_with('\t') ? "Score=" : "|Score=";
    write_score(token, label, out);
    return;
  }
  const char separator = reader_->tabs() ? '\t' : ' ';
  out.append(reader_->has_attributes() ? reader_->label(token) : text) += separator;
  out += label_name(label);
  if (!scored) return;
  out += separator;
  write_score(token, label, out);
}

void TagWriter::write_score(std::size_t token, LabelId label, std::string& out) const {
  const float score = gives_marginals() ? through_[token * tagger_.stride() + label] : margin(token, label);
  fmt::format_to(std::back_inserter(out), "{:.4f}", score);
}

}  // namespace hinge::tag
