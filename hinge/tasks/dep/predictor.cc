#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "hinge/core/error.h"
#include "hinge/decode/k_best_trees.h"
#include "hinge/evaluate/attachment.h"
#include "hinge/tasks/dep/corpus.h"
#include "hinge/tasks/dep/stored.h"
#include "hinge/tasks/dep/system.h"
#include "hinge/tasks/dep/trees.h"

namespace hinge::dep {
namespace {

class DepPredictor final : public Predictor {
 public:
  explicit DepPredictor(const ModelFile& file) : DepPredictor(file, file.meta(), StoredParser(file)) {}

  void predict(const std::string& input, OutputFile& out, const PredictSettings& settings) override {
    check(settings);
    DependencyReader reader(input, /*annotated=*/false);
    while (reader.next(/*keep_empty=*/true)) {
      if (reader.words() == 0) {
        write(reader, {}, {}, {}, out);
        continue;
      }
      hash(reader);
      parser_.score(sentence(), weights_);
      if (settings.constrain) keep_given(reader);
      if (settings.n_best > 1)
        write_n_best(reader, settings, out);
      else
        write_best(reader, settings, out);
      if (input == "-") out.flush();
    }
  }

  Evaluation evaluate(const Source& source) override {
    DependencyReader reader = open_reader(source, /*annotated=*/true, labels_.size() > 0);
    AttachmentScorer scorer;
    std::vector<std::string_view> gold, system;
    std::vector<char> punctuation;
    bool any = false;
    while (reader.next()) {
      any = true;
      hash(reader);
      parser_.parse(sentence(), weights_);
      const bool labelled = labels_.size() > 0;
      gold.assign(labelled ? 1 : 0, "");
      system.assign(labelled ? 1 : 0, "");
      punctuation.assign(1, 0);
      for (std::size_t m = 1; m <= reader.words(); ++m) {
        punctuation.push_back(is_punctuation(reader.cell(m, kUpos), reader.cell(m, kForm)));
        if (!labelled) continue;
        gold.push_back(reader.label(m));
        system.push_back(labels_.names()[parser_.labels()[m]]);
      }
      scorer.add({.gold_heads = reader.heads(),
                  .system_heads = parser_.heads(),
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
    return fmt::format(
        "labels       {}: {}\ndecoder      {}{}\nfeatures     {} arc and {} label templates\n"
        "weights      {} of {} are not zero\n",
        labels_.size(), fmt::join(labels_.names(), " "), meta_.value("decoder", ""),
        grammar_.options.single_root ? ", one word at the root" : "",
        grammar_.templates.of(PartKind::kArc).size(), grammar_.labels.size(), used,
        grammar_.space.dimension());
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
      const Space& space = grammar_.space;
      const float* weights = of_label ? weights_.labels : weights_.parts;
      const std::size_t size = of_label ? space.dimension() - space.part_weights() : space.part_weights();
      for (std::size_t id = 0; id < size; ++id) {
        if (weights[id] != 0.0f) all.push_back({weights[id], of_label, id});
      }
    }
    const auto kept = static_cast<std::ptrdiff_t>(std::min(n, all.size()));
    std::ranges::partial_sort(all, all.begin() + kept, std::greater(),
                              [](const Heavy& h) { return std::abs(h.weight); });
    std::vector<WeightLine> lines;
    for (const Heavy& heavy : std::span(all).first(static_cast<std::size_t>(kept))) {
      const std::size_t width = heavy.of_label ? labels_.size() : kSlots;
      lines.push_back(
          {fmt::format("{} row {}", heavy.of_label ? "label" : "part", heavy.id / width),
           heavy.of_label ? labels_.names()[heavy.id % width] : fmt::format("slot {}", heavy.id % width),
           heavy.weight});
    }
    return lines;
  }

 private:
  DepPredictor(const ModelFile& file, const nlohmann::json& meta, StoredParser&& stored)
      : file_(file),
        meta_(meta),
        labels_(stored.labels),
        grammar_(stored.grammar(file)),
        pruner_(grammar_.options.order == 2
                    ? std::make_unique<StoredPruner>(file.nested("pruner"), grammar_.templates)
                    : nullptr),
        weights_(stored.weights),
        parser_(grammar_, pruner_ ? &pruner_->get() : nullptr),
        hasher_(grammar_.templates),
        likelihood_(meta.value("likelihood", false)) {}

  void hash(const DependencyReader& reader) {
    keys_.clear();
    hasher_.add_root(keys_);
    for (std::size_t m = 1; m <= reader.words(); ++m) hasher_.add_word(cells_of(reader, m), keys_);
  }
  SentenceFields sentence() const { return {keys_, hasher_.fields()}; }

  void check(const PredictSettings& settings) const {
    const bool one_tree = grammar_.options.decoder != TreeDecoder::kEisner || grammar_.options.order == 2;
    if (settings.n_best > 1 && one_tree)
      fail<OptionError>(
          "{}: finds one tree a sentence; n-best lists need a model with decoder=eisner and order=1",
          file_.name());
    if (settings.marginals && grammar_.options.order == 2)
      fail<OptionError>("{}: has no marginals; they need a model with order=1", file_.name());
  }

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
      for (std::size_t h = 0; h <= words; ++h) {
        if (h != head && h != m) parser_.arc(h, m) = kForbidden;
      }
    }
  }

  [[noreturn]] void refuse_given(const DependencyReader& reader) const {
    fail<InputError>("{}: the heads given allow no {}tree; open some of them (_)", reader.where(1),
                     grammar_.options.decoder == TreeDecoder::kEisner ? "projective " : "");
  }

  void write_best(const DependencyReader& reader, const PredictSettings& settings, OutputFile& out) {
    const double best = parser_.search(sentence(), weights_);
    if (best < kForbidden / 2) refuse_given(reader);
    parser_.label(sentence(), parser_.heads(), weights_);
    find_confidence(settings, best);
    write(reader, parser_.heads(), parser_.labels(), confidence_, out);
  }

  void write_n_best(const DependencyReader& reader, const PredictSettings& settings, OutputFile& out) {
    const std::vector<ScoredTree> trees = k_best_projective(parser_.scores(), settings.n_best);
    if (trees.empty()) refuse_given(reader);
    std::size_t rank = 0;
    for (const ScoredTree& tree : trees) {
      out.write(fmt::format("# {} {:.6f}{}", ++rank, tree.score, line_end(reader)));
      parser_.label(sentence(), tree.heads, weights_);
      write(reader, tree.heads, parser_.labels(), {}, out);
    }
  }

  // Of every arc of the best tree: its probability, or how much the tree beats
  // the best one without it.
  void find_confidence(const PredictSettings& settings, double best) {
    confidence_.clear();
    if (!settings.scores && !settings.marginals) return;
    const std::span<const HeadId> heads = parser_.heads();
    confidence_.assign(heads.size(), 0.0);
    if (settings.marginals || likelihood_) {
      parser_.trees().sum(parser_.scores());
      for (std::size_t m = 1; m < heads.size(); ++m)
        confidence_[m] = parser_.trees().marginals()[heads[m] * parser_.scores().stride + m];
      return;
    }
    std::vector<HeadId> other(heads.size());
    for (std::size_t m = 1; m < heads.size(); ++m) {
      float& arc = parser_.arc(heads[m], m);
      const float kept = std::exchange(arc, kForbidden);
      const double second = parser_.search_again(weights_, other);
      confidence_[m] = second < kForbidden / 2 ? std::numeric_limits<double>::infinity() : best - second;
      arc = kept;
    }
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
        out.write(labels.empty() ? label : std::string_view(labels_.names()[labels[m]]));
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
  nlohmann::json meta_;
  LabelSet labels_;
  Grammar grammar_;
  std::unique_ptr<StoredPruner> pruner_;  // of a second-order parser
  ParserWeights weights_;
  Parser parser_;
  FieldHasher hasher_;
  bool likelihood_;
  std::vector<Key> keys_;
  std::vector<double> confidence_;  // [words + 1], or empty
  std::string line_;
};

}  // namespace

std::unique_ptr<Predictor> open(const ModelFile& file) { return std::make_unique<DepPredictor>(file); }

}  // namespace hinge::dep
