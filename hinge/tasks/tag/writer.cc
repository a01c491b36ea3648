#include "hinge/tasks/tag/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/tasks/drawing.h"
#include "hinge/tasks/tag/constraints.h"

namespace hinge::tag {

TagWriter::TagWriter(const Tagger& tagger, const PredictSettings& settings)
    : tagger_(tagger),
      settings_(settings),
      workspace_(tagger),
      phrases_(guess_scheme(tagger.labels().names()) != Scheme::kNone) {
  const std::vector<std::string>& names = tagger.labels().names();
  const auto type_of = [&](const std::string& name) {
    return phrases_ ? name.substr(std::min(name.find('-'), name.size())) : name;
  };
  for (const std::string& name : names)
    types_.push_back(static_cast<std::size_t>(
        std::ranges::find(names, type_of(name), type_of) - names.begin()));
}

void TagWriter::predict(const LookbackSlice& slice, std::string& out) {
  if (!reader_) reader_.emplace(slice.slice, tagger_.layout(), /*labelled=*/false);
  tagger_.begin(slice, *reader_, workspace_);
  while (reader_->next(/*keep_empty=*/true)) {
    if (reader_->sentence().tokens() == 0) {  // comments alone
      if (!settings_.json && !settings_.html) write_sentence({}, out);
      continue;
    }
    tagger_.score(*reader_, workspace_);
    if (settings_.constrain) keep_given();
    if (settings_.json)
      append_json(out);
    else if (settings_.html)
      draw(out);
    else
      settings_.n_best > 1 ? write_n_best(out) : write_best(out);
  }
}

// {"tokens": [...], "labels": [...], "scores": [...]}, or "nbest" with a list of outputs.
void TagWriter::append_json(std::string& out) {
  Json json;
  const std::size_t tokens = reader_->sentence().tokens();
  std::vector<std::string> words;
  for (std::size_t t = 0; t < tokens && !reader_->has_attributes(); ++t) words.emplace_back(reader_->word(t));
  if (!words.empty()) json.set("tokens", words);
  find_best();
  const auto paths =
      settings_.n_best > 1 ? tagger_.n_best(settings_.n_best, workspace_) : std::vector<ScoredPath>();
  if (paths.empty()) {
    describe(best_, json);
  } else {
    const std::optional<double> sum = log_sum();
    if (scored()) find_best();
    std::vector<Json> outputs;
    for (const ScoredPath& path : paths) {
      outputs.push_back(ranked_json(path.score, probability_of(path.score, sum)));
      describe(path.labels, outputs.back());
    }
    json.set("nbest", outputs);
  }
  out += json.dump() + '\n';
}

void TagWriter::draw(std::string& out) {
  find_best();
  const auto paths =
      settings_.n_best > 1 ? tagger_.n_best(settings_.n_best, workspace_) : std::vector<ScoredPath>();
  if (paths.empty()) return draw_path(best_, out);
  const std::optional<double> sum = log_sum();
  if (scored()) find_best();
  std::size_t rank = 0;
  for (const ScoredPath& path : paths) {
    draw_rank(++rank, path.score, probability_of(path.score, sum), out);
    draw_path(path.labels, out);
  }
}

void TagWriter::draw_path(std::span<const LabelId> path, std::string& out) const {
  std::vector<DrawnToken> tokens;
  for (std::size_t t = 0; t < path.size(); ++t) {
    tokens.push_back({.word = reader_->has_attributes() ? "token" : reader_->word(t),
                      .label = label_name(path[t]),
                      .number = types_[path[t]]});
    if (scored()) tokens.back().score = score_of(t, path[t]);
  }
  draw_tags(tokens, phrases_, out);
}

void TagWriter::describe(std::span<const LabelId> path, Json& json) const {
  std::vector<std::string> labels;
  std::vector<double> scores;
  for (std::size_t t = 0; t < path.size(); ++t) {
    labels.push_back(label_name(path[t]));
    if (scored()) scores.push_back(score_of(t, path[t]));
  }
  json.set("labels", labels);
  if (scored()) json.set("scores", scores);
}

std::optional<double> TagWriter::log_sum() {
  if (!settings_.marginals && !tagger_.likelihood()) return std::nullopt;
  return tagger_.log_sum(workspace_);
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
  const std::optional<double> sum = log_sum();
  if (scored()) find_best();
  std::size_t rank = 0;
  for (const ScoredPath& path : paths) {
    append_rank(++rank, path.score, probability_of(path.score, sum), out);
    out += reader_->sentence().line_end();
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
  if (reader_->layout().format == ColumnFormat::kConllu) {
    const std::string_view cell = reader_->label(token);
    const auto begin = static_cast<std::size_t>(cell.data() - text.data());
    out.append(text.substr(0, begin)).append(label_name(label)).append(text.substr(begin + cell.size()));
    if (!scored()) return;
    const float score = score_of(token, label);
    if (!std::isfinite(score)) return;  // there is no rival
    if (out.ends_with("\t_")) out.pop_back();
    out += out.ends_with('\t') ? "Score=" : "|Score=";
    fmt::format_to(std::back_inserter(out), "{:.4f}", score);
    return;
  }
  const char separator = reader_->tabs() ? '\t' : ' ';
  out.append(reader_->has_attributes() ? reader_->label(token) : text) += separator;
  out += label_name(label);
  if (!scored()) return;
  out += separator;
  fmt::format_to(std::back_inserter(out), "{:.4f}", score_of(token, label));
}

float TagWriter::score_of(std::size_t token, LabelId label) const {
  return gives_marginals() ? through_[token * tagger_.stride() + label] : margin(token, label);
}

}  // namespace hinge::tag
