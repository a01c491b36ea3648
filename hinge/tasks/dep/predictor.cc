#include <fmt/core.h>
#include <fmt/format.h>

#include <charconv>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/dep/options.h"
#include "hinge/tasks/dep/reader.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::dep {
namespace {

class DepPredictor final : public Predictor {
 public:
  explicit DepPredictor(const ModelFile& file)
      : file_(file), decoder_(file.description().text("decoder")), parser_(file), workspace_(parser_) {}

  void predict(const std::string& input, OutputFile& out, const PredictSettings& settings) override {
    if (settings.n_best > 1) parser_.check_n_best();
    if (settings.marginals) parser_.check_marginals();
    DependencyReader reader(input, /*annotated=*/false);
    while (reader.next(/*keep_empty=*/true)) {
      if (reader.words() == 0) {
        write(reader, {}, {}, {}, out);
        continue;
      }
      parser_.score(reader, workspace_);
      if (settings.constrain) keep_given(reader);
      if (settings.n_best > 1)
        write_n_best(reader, settings, out);
      else
        write_best(reader, settings, out);
      if (input == "-") out.flush();
    }
  }

  Evaluation evaluate(const Source& source) override {
    DependencyReader reader = open_reader(source, /*annotated=*/true, parser_.labels().size() > 0);
    AttachmentScorer scorer;
    std::vector<std::string_view> gold, system;
    std::vector<char> punctuation;
    bool any = false;
    while (reader.next()) {
      any = true;
      parser_.score(reader, workspace_);
      parser_.best(workspace_);
      const bool labelled = parser_.labels().size() > 0;
      gold.assign(labelled ? 1 : 0, "");
      system.assign(labelled ? 1 : 0, "");
      punctuation.assign(1, 0);
      for (std::size_t m = 1; m <= reader.words(); ++m) {
        punctuation.push_back(is_punctuation(reader.cell(m, kUpos), reader.cell(m, kForm)));
        if (!labelled) continue;
        gold.push_back(reader.label(m));
        system.push_back(label_name(workspace_.labels()[m]));
      }
      scorer.add({.gold_heads = reader.heads(),
                  .system_heads = workspace_.heads(),
                  .gold_labels = gold,
                  .system_labels = system,
                  .is_punctuation = punctuation});
    }
    if (!any) fail<InputError>("{}: has no sentences to evaluate on", source.name());
    return scorer.evaluate();
  }

  std::string summary() const override {
    std::size_t used = 0;
    for (const char* section : {"parts", "labels"}) {
      for (const float weight : file_.array<float>(section)) used += weight != 0.0f;
    }
    const LabelSet& labels = parser_.labels();
    const ParserPlan& plan = parser_.plan();
    return fmt::format(
        "labels       {}: {}\ndecoder      {}{}\nfeatures     {} arc and {} label templates\n"
        "weights      {} of {} are not zero\n",
        labels.size(), join(labels.names(), " "), decoder_,
        plan.options.single_root ? ", one word at the root" : "", plan.templates.of(FactorKind::kArc).size(),
        plan.labels.size(), used, plan.layout.dimension());
  }

  // Hashed features have no names: keys that share a weight cannot be told apart.
  std::vector<WeightLine> heaviest(std::size_t n) const override {
    struct Heavy {
      float weight;
      bool of_label;
      std::size_t id;
    };
    std::vector<Heavy> all;
    for (const bool of_label : {false, true}) {
      const TreeLayout& layout = parser_.plan().layout;
      const float* weights = of_label ? parser_.weights().labels : parser_.weights().parts;
      const std::size_t size = of_label ? layout.dimension() - layout.part_weights() : layout.part_weights();
      for (std::size_t id = 0; id < size; ++id) {
        if (weights[id] != 0.0f) all.push_back({weights[id], of_label, id});
      }
    }
    keep_heaviest(n, all);
    std::vector<WeightLine> lines;
    for (const Heavy& heavy : all) {
      const std::size_t width = heavy.of_label ? parser_.labels().size() : kSlots;
      lines.push_back(
          {fmt::format("{} row {}", heavy.of_label ? "label" : "part", heavy.id / width),
           heavy.of_label ? label_name(heavy.id % width) : fmt::format("slot {}", heavy.id % width),
           heavy.weight});
    }
    return lines;
  }

 private:
  const std::string& label_name(std::size_t label) const { return parser_.labels().names()[label]; }

  // Heads already in the input bind; "_" is open.
  void keep_given(const DependencyReader& reader) {
    const std::size_t words = reader.words();
    for (std::size_t m = 1; m <= words; ++m) {
      const std::string_view text = reader.cell(m, kHead);
      if (text == "_") continue;
      std::size_t head = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head);
      if (error != std::errc() || end != text.data() + text.size() || head > words || head == m)
        fail<InputError>(
            "{}: HEAD '{}' cannot be kept: it is _ (open) or the number of another word, 0 to {}",
            reader.where(m), text, words);
      parser_.allow_only(m, head, workspace_);
    }
  }

  [[noreturn]] void refuse_given(const DependencyReader& reader) const {
    fail<InputError>("{}: the heads given allow no {}tree; open some of them (_)", reader.where(1),
                     parser_.plan().options.algorithm == TreeAlgorithm::kEisner ? "projective " : "");
  }

  void write_best(const DependencyReader& reader, const PredictSettings& settings, OutputFile& out) {
    const double best = parser_.best(workspace_);
    if (best < kForbidden / 2) refuse_given(reader);
    find_confidence(settings, best);
    write(reader, workspace_.heads(), workspace_.labels(), confidence_, out);
  }

  void write_n_best(const DependencyReader& reader, const PredictSettings& settings, OutputFile& out) {
    const std::vector<ScoredTree> trees = parser_.n_best(settings.n_best, workspace_);
    if (trees.empty()) refuse_given(reader);
    std::size_t rank = 0;
    for (const ScoredTree& tree : trees) {
      out.write(fmt::format("# {} {:.6f}{}", ++rank, tree.score, line_end(reader)));
      write(reader, tree.heads, parser_.label(tree.heads, workspace_), {}, out);
    }
  }

  // Of every arc of the best tree: its probability, or how much the tree beats
  // the best one without it.
  void find_confidence(const PredictSettings& settings, double best) {
    confidence_.clear();
    if (!settings.scores && !settings.marginals) return;
    if (!settings.marginals && !parser_.likelihood()) {
      confidence_ = parser_.margins(best, workspace_);
      return;
    }
    const std::span<const float> marginals = parser_.marginals(workspace_);
    const std::span<const HeadId> heads = workspace_.heads();
    confidence_.assign(heads.size(), 0.0);
    for (std::size_t m = 1; m < heads.size(); ++m)
      confidence_[m] = marginals[heads[m] * workspace_.stride() + m];
  }

  static const char* line_end(const DependencyReader& reader) {
    return reader.sentence().crlf ? "\r\n" : "\n";
  }

  // Lines as they came, with HEAD, DEPREL and, for scores, MISC put in.
  void write(const DependencyReader& reader, std::span<const HeadId> heads, std::span<const LabelId> labels,
             std::span<const double> confidence, OutputFile& out) {
    const ColumnSentence& sentence = reader.sentence();
    for (std::size_t line = 0; line < sentence.lines.size(); ++line) {
      const std::string_view text = sentence.lines[line];
      const std::int32_t token = sentence.token_of_line[line];
      if (token == ColumnSentence::kNoToken) {
        out.write(text);
      } else {
        const auto m = static_cast<std::size_t>(token) + 1;
        const std::string_view head = reader.cell(m, kHead);
        const std::string_view label = reader.cell(m, kDeprel);
        out.write(text.substr(0, static_cast<std::size_t>(head.data() - text.data())));
        out.write(fmt::format_int(heads[m]).c_str());
        out.write("\t");
        out.write(labels.empty() ? label : std::string_view(label_name(labels[m])));
        line_ = text.substr(static_cast<std::size_t>(label.data() + label.size() - text.data()));
        if (!confidence.empty()) {
          if (line_.ends_with("\t_")) line_.pop_back();
          line_ += fmt::format("{}Score={:.4f}", line_.ends_with('\t') ? "" : "|", confidence[m]);
        }
        out.write(line_);
      }
      out.write(line_end(reader));
    }
    out.write(line_end(reader));
  }

  const ModelFile& file_;
  std::string decoder_;
  Parser parser_;
  Parser::Workspace workspace_;
  std::vector<double> confidence_;  // [words + 1], or empty
  std::string line_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<DepPredictor>(file); }

}  // namespace hinge::dep
