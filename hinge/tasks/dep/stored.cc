#include "hinge/tasks/dep/stored.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {
namespace {

PartTemplateSet templates_of(const ModelFile& file) {
  try {
    return parse_part_templates(file.section("features"), "templates");
  } catch (const InputError& error) {
    fail<ModelError>("{}: its templates are damaged ({}); train it again", file.name(), error.what());
  }
}

TreeOptions options_of(const Description& meta) {
  return {.decoder = meta.text("decoder") == "eisner" ? TreeDecoder::kEisner : TreeDecoder::kChuLiuEdmonds,
          .single_root = meta.flag("single_root"),
          .label_cost = true,
          .order = meta.whole("order", 1) == 2 ? 2 : 1};
}

Space space_of(const ModelFile& file, const Description& meta, std::size_t labels) {
  const auto hash_bits = meta.whole("hash_bits", -1);
  const auto label_bits = meta.whole("label_bits", -1);
  if (hash_bits < 0 || hash_bits > kMaxHashBits || label_bits < 1 || label_bits > kMaxHashBits)
    fail<ModelError>("{}: its sizes are damaged; train it again", file.name());
  Space space(hash_bits, label_bits, labels);
  if (hash_bits == 0)
    space.dictionary() = KeyIndex(file.array<Key>("keys"), file.array<std::uint32_t>("rows"));
  return space;
}

}  // namespace

StoredParser::StoredParser(const ModelFile& file)
    : labels(read_labels(file.description())),
      options(options_of(file.description())),
      space(space_of(file, file.description(), labels.size())) {
  const auto parts = file.array<float>("parts");
  const auto label_weights = file.array<float>("labels");
  const auto rows = space.dictionary().numbers();
  const bool in_range = std::ranges::all_of(
      rows, [&](std::uint32_t row) { return row < space.dictionary().size() || row == 0; });
  if (parts.size() < space.part_weights() ||
      label_weights.size() < space.label_rows() * labels.size() + kReadableSlack || !in_range)
    fail<ModelError>("{}: its weights are cut short; train it again", file.name());
  weights = {parts.data(), label_weights.data()};
}

Grammar StoredParser::grammar(const ModelFile& file) {
  return {templates_of(file), options, std::move(space)};
}

StoredPruner::StoredPruner(ModelFile file, const PartTemplateSet& templates)
    : file_(std::move(file)),
      stored_(file_),
      grammar_(stored_.grammar(file_)),
      pruner_{grammar_, stored_.weights} {
  if (grammar_.options.order != 1 || grammar_.options.decoder != TreeDecoder::kEisner)
    fail<ModelError>("{}: prunes for a second-order parser, which needs order=1 and decoder=eisner",
                     file_.name());
  if (grammar_.templates.source != templates.source)
    fail<ModelError>("{}: prunes for a parser with other templates; train both with the same", file_.name());
}

}  // namespace hinge::dep
