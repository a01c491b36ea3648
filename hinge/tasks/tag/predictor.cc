#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/evaluate/spans.h"
#include "hinge/tasks/tag/model.h"
#include "hinge/tasks/tag/options.h"

namespace hinge::tag {
namespace {

class TagPredictor final : public Predictor {
 public:
  explicit TagPredictor(const ModelFile& file)
      : tagger_(file), workspace_(tagger_), constraints_(file.description().text("constraints", "none")) {}

  void predict(const std::string& input, OutputFile& out, const PredictSettings& settings) override {
    TagReader reader(input, tagger_.layout(), /*labelled=*/false);
    while (reader.next(/*keep_empty=*/true)) {
      tagger_.score(reader, workspace_);
      if (settings.constrain) keep_given(reader);
      if (settings.n_best > 1) {
        write_n_best(reader, settings, out);
      } else {
        write_best(reader, settings, out);
      }
      if (input == "-") out.flush();
    }
  }

  Evaluation evaluate(const Source& source) override {
    TagReader reader(source, tagger_.layout(), /*labelled=*/true);
    SpanScorer scorer;
    std::vector<std::string_view> gold;
    std::vector<std::string_view> system;
    bool any = false;
    while (reader.next()) {
      any = true;
      tagger_.score(reader, workspace_);
      const auto path = tagger_.best(workspace_);
      gold.clear();
      system.clear();
      for (std::size_t t = 0; t < path.size(); ++t) {
        gold.push_back(reader.label(t));
        system.push_back(label_name(path[t]));
      }
      scorer.add(gold, system);
    }
    if (!any) fail<InputError>("{}: has no sentences to evaluate on", source.name());
    return scorer.evaluate();
  }

  std::string summary() const override {
    const LabelSet& labels = tagger_.labels();
    return fmt::format(
        "labels       {}: {}\nfeatures     {} with {} non-zero weights{}\nconstraints  {}\n", labels.size(),
        join(labels.names(), " "), tagger_.feature_count(), tagger_.weight_count(),
        tagger_.hash_bits() > 0 ? fmt::format(", hashed to {} bits", tagger_.hash_bits()) : "", constraints_);
  }

  std::vector<WeightLine> heaviest(std::size_t n) const override { return tagger_.heaviest(n); }

 private:
  const std::string& label_name(LabelId label) const { return tagger_.labels().names()[label]; }

  // Labels in the input bind: a label, A|B, or ? for anything.
  void keep_given(const TagReader& reader) {
    if (!reader.has_labels()) {
      fail<InputError>(
          "{}: has no label column, but --constrain keeps the labels in it; add one (? where unknown)",
          reader.name());
    }
    std::vector<LabelId> allowed;
    for (std::size_t t = 0; t < reader.sentence().tokens(); ++t) {
      std::string_view rest = reader.label(t);
      if (rest == "?" || rest == "_") continue;
      allowed.clear();
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        const std::size_t label = tagger_.labels().find(rest.substr(0, end));
        if (label == tagger_.labels().size()) {
          fail<InputError>("{}: the model has no label '{}'; it has: {}", reader.where(t),
                           rest.substr(0, end), join(tagger_.labels().names(), " "));
        }
        allowed.push_back(static_cast<LabelId>(label));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      tagger_.allow_only(t, allowed, workspace_);
    }
  }

  // Plain columns get label and score behind; CoNLL-U the label in its place
  // and the score in MISC. Of attributes, only the label that was given stays.
  void write_line(const TagReader& reader, std::size_t line, std::string_view label, std::string_view score,
                  OutputFile& out) {
    const ColumnSentence& sentence = reader.sentence();
    const std::int32_t token = sentence.token_of_line[line];
    std::string& text = line_;
    text = reader.has_attributes() ? sentence.cells[line] : sentence.lines[line];
    if (token != ColumnSentence::kNoToken && reader.layout().format == ColumnFormat::kConllu) {
      const std::string_view cell = reader.label(static_cast<std::size_t>(token));
      text.replace(static_cast<std::size_t>(cell.data() - sentence.lines[line].data()), cell.size(), label);
      if (!score.empty()) {
        if (text.ends_with("\t_")) text.pop_back();
        text += fmt::format("{}Score={}", text.ends_with('\t') ? "" : "|", score);
      }
    } else if (token != ColumnSentence::kNoToken) {
      const char* separator = reader.tabs() ? "\t" : " ";
      text.append(separator).append(label);
      if (!score.empty()) text.append(separator).append(score);
    }
    out.write(text);
    out.write(sentence.crlf ? "\r\n" : "\n");
  }

  void write_sentence(const TagReader& reader, const PredictSettings& settings, std::span<const LabelId> path,
                      OutputFile& out) {
    const ColumnSentence& sentence = reader.sentence();
    for (std::size_t line = 0; line < sentence.lines.size(); ++line) {
      const std::int32_t token = sentence.token_of_line[line];
      if (token == ColumnSentence::kNoToken) {
        write_line(reader, line, "", "", out);
      } else {
        const auto t = static_cast<std::size_t>(token);
        write_line(reader, line, label_name(path[t]), score_text(settings, t, path[t]), out);
      }
    }
    out.write(sentence.crlf ? "\r\n" : "\n");
  }

  void write_best(const TagReader& reader, const PredictSettings& settings, OutputFile& out) {
    find_best(settings);
    write_sentence(reader, settings, best_, out);
  }

  void write_n_best(const TagReader& reader, const PredictSettings& settings, OutputFile& out) {
    const std::vector<ScoredPath> paths = tagger_.n_best(settings.n_best, workspace_);
    // No tokens, or labels given that cannot stand together: nothing to rank.
    if (paths.empty()) return write_best(reader, settings, out);
    if (settings.scores || settings.marginals) find_best(settings);
    std::size_t rank = 0;
    for (const ScoredPath& path : paths) {
      out.write(fmt::format("# {} {:.6f}{}", ++rank, path.score, reader.sentence().crlf ? "\r\n" : "\n"));
      write_sentence(reader, settings, path.labels, out);
    }
  }

  bool gives_marginals(const PredictSettings& settings) const {
    return settings.marginals || (settings.scores && tagger_.likelihood());
  }

  // Decodes, and prepares what score_text() reads.
  void find_best(const PredictSettings& settings) {
    best_ = tagger_.best(workspace_);
    if (gives_marginals(settings)) {
      through_ = tagger_.marginals(workspace_);
    } else if (settings.scores) {
      through_ = tagger_.max_marginals(workspace_);
    }
  }

  std::string score_text(const PredictSettings& settings, std::size_t t, LabelId label) const {
    if (gives_marginals(settings)) return fmt::format("{:.4f}", through_[t * tagger_.stride() + label]);
    return settings.scores ? fmt::format("{:.4f}", margin(t, label)) : "";
  }

  // How much the best sequence with this label here beats the best one with another.
  float margin(std::size_t t, LabelId label) const {
    const float* through = through_.data() + t * tagger_.stride();
    float other = -std::numeric_limits<float>::infinity();
    for (std::size_t y = 0; y < tagger_.labels().size(); ++y) {
      if (y != label) other = std::max(other, through[y]);
    }
    // Never below zero for the best, whose two scores were summed in other orders.
    return std::max(label == best_[t] ? 0.0f : -std::numeric_limits<float>::infinity(),
                    through[label] - other);
  }

  Tagger tagger_;
  Tagger::Workspace workspace_;
  std::string constraints_;
  std::span<const LabelId> best_;   // of the sentence at hand, in workspace_
  std::span<const float> through_;  // marginals or max-marginals, there
  std::string line_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<TagPredictor>(file); }

}  // namespace hinge::tag
