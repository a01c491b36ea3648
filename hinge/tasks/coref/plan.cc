#include "hinge/tasks/coref/plan.h"

#include <algorithm>
#include <map>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/options.h"
#include "hinge/tasks/coref/candidates.h"
#include "hinge/tasks/coref/columns.h"
#include "hinge/tasks/coref/dictionary.h"

namespace hinge::coref {
namespace {

TemplateSet templates_of(const ModelFile& file) {
  try {
    return parse_templates(file.section("features"), "templates");
  } catch (const InputError& error) {
    fail<ModelError>("{}: its templates are damaged ({}); train it again", file.name(), error.what());
  }
}

ColumnMask columns_of(const ModelFile& file) {
  try {
    return parse_columns(file.description().text("columns"));
  } catch (const OptionError& error) {
    fail<ModelError>("{}: its columns are damaged ({}); train it again", file.name(), error.what());
  }
}

Layout layout_of(const ModelFile& file) {
  const std::int64_t hash_bits = file.description().whole("hash_bits", -1);
  if (hash_bits < 0 || hash_bits > kMaxHashBits)
    fail<ModelError>("{}: its sizes are damaged; train it again", file.name());
  return hash_bits == 0 ? Layout(read_index(file)) : Layout(hash_bits);
}

}  // namespace

void write_plan(const Plan& plan, ModelWriter& out, Json& meta) {
  meta.set("hash_bits", plan.layout.hash_bits());
  meta.set("window", plan.reach.window);
  meta.set("word_window", plan.reach.word_window);
  meta.set("gold_mentions", plan.gold_mentions);
  meta.set("singletons", plan.singletons);
  meta.set("columns", column_names(plan.columns));
  out.add("features", plan.templates.source);
  out.add_array("words", plan.frequent.keys());
  if (!plan.gold_mentions) out.add_array("detector", plan.detector.weights());
}

Plan read_plan(const ModelFile& file) {
  const Description& meta = file.description();
  Plan plan{.templates = templates_of(file),
            .layout = layout_of(file),
            .reach = {.window = meta.whole("window"), .word_window = meta.whole("word_window")},
            .columns = columns_of(file),
            .gold_mentions = meta.flag("gold_mentions"),
            .singletons = meta.flag("singletons")};
  if (plan.reach.window < 0 || plan.reach.word_window < 0)
    fail<ModelError>("{}: its sizes are damaged; train it again", file.name());
  const auto words = file.array<Key>("words");
  if (!std::ranges::is_sorted(words))
    fail<ModelError>("{}: its words are damaged; train it again", file.name());
  plan.frequent = FrequentWords({words.begin(), words.end()});
  if (plan.gold_mentions) return plan;
  const auto detector = file.array<float>("detector");
  if (detector.size() != Detector::dimension())
    fail<ModelError>("{}: its detector is cut short; train it again", file.name());
  plan.detector = Detector({detector.begin(), detector.end()});
  return plan;
}

FoundSpans given_spans(const Document& document) {
  std::vector<Span> spans;
  for (const Mention& mention : document.mentions) spans.push_back({mention.begin, mention.end});
  std::ranges::sort(spans, precedes);
  spans.erase(std::unique(spans.begin(), spans.end()), spans.end());
  return {.spans = std::move(spans), .scores = {}};
}

std::vector<FieldKeys> describe_candidates(const Tokens& tokens, const std::vector<Span>& spans,
                                           const FrequentWords& frequent) {
  MentionSet set;
  describe_mentions(tokens, {.spans = spans, .scores = {}}, frequent, set);
  return std::move(set.fields);
}

FoundSpans detect(std::span<const Span> spans, std::span<const FieldKeys> fields, const Detector& detector) {
  FoundSpans found;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    const float score = detector.score(fields[k]);
    if (!(score > 0.0f)) continue;  // nor if a damaged model makes it NaN
    found.spans.push_back(spans[k]);
    found.scores.push_back(score);
  }
  return found;
}

FoundSpans best_per_head(const Tokens& tokens, const FoundSpans& found) {
  std::map<std::pair<std::uint32_t, bool>, std::size_t> best;
  for (std::size_t k = 0; k < found.spans.size(); ++k) {
    const Span& span = found.spans[k];
    const std::uint32_t head = head_of(tokens, span);
    bool coordinated = false;
    for (std::uint32_t i = head + 1; i < span.end; ++i)
      coordinated |= tokens.heads[i] == head && tokens.relations[i] == "conj";
    const auto [at, added] = best.try_emplace({head, coordinated}, k);
    if (!added && found.scores[k] > found.scores[at->second]) at->second = k;
  }
  std::vector<char> kept(found.spans.size());
  for (const auto& [head, k] : best) kept[k] = 1;
  FoundSpans result;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k] == 0) continue;
    result.spans.push_back(found.spans[k]);
    result.scores.push_back(found.scores[k]);
  }
  return result;
}

FoundSpans find_spans(const Document& document, const Tokens& tokens, const Plan& plan) {
  if (plan.gold_mentions) return given_spans(document);
  const std::vector<Span> spans = candidate_spans(tokens);
  return best_per_head(tokens,
                       detect(spans, describe_candidates(tokens, spans, plan.frequent), plan.detector));
}

std::vector<std::uint32_t> gold_clusters(const Document& document, std::span<const Span> spans) {
  std::vector<std::pair<Span, std::uint32_t>> gold;
  for (const Mention& mention : document.mentions)
    gold.push_back({{mention.begin, mention.end}, mention.cluster});
  std::ranges::sort(gold);
  std::vector<std::uint32_t> clusters;
  for (const Span& span : spans) {
    const auto found =
        std::ranges::lower_bound(gold, span, {}, [](const auto& entry) { return entry.first; });
    clusters.push_back(found != gold.end() && found->first == span ? found->second : kNoCluster);
  }
  return clusters;
}

}  // namespace hinge::coref
