#include "hinge/tasks/summarize/plan.h"

#include "hinge/core/error.h"
#include "hinge/core/missing.h"
#include "hinge/corpus/text_source.h"

namespace hinge::summarize {
namespace {

constexpr std::int64_t kMostWords = 1'000'000;

// The whole file; it is stored in the model as it is.
std::string model_bytes(const std::string& path) {
  if (!ModelFile::is_model(existing<MissingModel>(path)))
    fail<OptionError>("{}: is not a model; give one of the task const", path);
  const ModelFile file = ModelFile::open(path);
  if (file.description().task() != "const")
    fail<OptionError>("{}: is a model of the task {}; phrases are found by one of the task const", path,
                      file.description().task());
  return std::string(file.bytes());
}

}  // namespace

Lines parse_lines(std::string_view name) { return name == "sentences" ? Lines::kSentences : Lines::kWrapped; }

Plan make_plan(const SummarizeOptions& options) {
  Plan plan{.text = {.lines = parse_lines(options.lines), .compress = options.compress},
            .data = {.limit = static_cast<std::uint32_t>(options.words),
                     .stop_bigrams = options.stop_bigrams,
                     .word_cost = options.word_cost,
                     .mean_recall = options.recall == "mean",
                     .mask = feature_mask(options.features),
                     .solver = {.method = parse_coverage_method(options.solver),
                                .search_nodes = options.search_nodes,
                                .cbc_nodes = options.cbc_nodes}},
            .encoding = parse_encoding(options.encoding),
            .features = options.features,
            .solver = options.solver};
  if (!options.tree_parser.empty() && !options.compress)
    fail<OptionError>("tree_parser makes trees for compression, which is off; set compress=true, too");
  if (!options.tree_parser.empty()) plan.parser = model_bytes(options.tree_parser);
  return plan;
}

void write_plan(const Plan& plan, ModelWriter& out, Json& meta) {
  meta.set("words", std::int64_t{plan.data.limit});
  meta.set("features", plan.features);
  meta.set("stop_bigrams", plan.data.stop_bigrams);
  meta.set("compress", plan.text.compress);
  meta.set("lines", plan.text.lines == Lines::kSentences ? "sentences" : "wrapped");
  meta.set("encoding", plan.encoding == Encoding::kLatin1 ? "latin-1" : "utf-8");
  meta.set("solver", plan.solver);
  meta.set("search_nodes", plan.data.solver.search_nodes);
  meta.set("cbc_nodes", plan.data.solver.cbc_nodes);
  plan.phrases.write(out);
  if (!plan.parser.empty()) out.add("parser", plan.parser);
}

Plan read_plan(const ModelFile& file) {
  const Description& meta = file.description();
  SummarizeOptions options{.words = meta.whole("words", -1),
                           .features = meta.text("features"),
                           .stop_bigrams = meta.flag("stop_bigrams", true),
                           .compress = meta.flag("compress"),
                           .lines = meta.text("lines"),
                           .encoding = meta.text("encoding"),
                           .solver = meta.text("solver", "auto"),
                           .search_nodes = meta.whole("search_nodes", -1),
                           .cbc_nodes = meta.whole("cbc_nodes", -1)};
  if (options.words < 1 || options.words > kMostWords || options.search_nodes < 0 || options.cbc_nodes < 0)
    fail<ModelError>("{}: its sizes are damaged; train it again", file.name());
  try {
    Plan plan = make_plan(options);
    plan.phrases = Phrases::read(file);
    if (file.has("parser")) plan.parser = file.section("parser");
    return plan;
  } catch (const OptionError& error) {
    fail<ModelError>("{}: its options are damaged ({}); train it again", file.name(), error.what());
  }
}

}  // namespace hinge::summarize
