#include "hinge/model/model_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hinge/core/error.h"

namespace hinge {
namespace {

constexpr SectionKind kModel = {
    .magic = std::string_view("HINGE\r\n\x1a", 8),
    .format = kModelFormat,
    .what = "a Hinge model",
    .make = "train a model with 'hinge train'",
    .redo = "train it again",
    .refuse = [](const std::string& message) { throw ModelError(message); },
};

using nlohmann::json;

bool is_text(const json& value) { return value.is_string(); }
bool is_flag(const json& value) { return value.is_boolean(); }
bool is_whole(const json& value) { return value.is_number_integer(); }
bool is_texts(const json& value) { return value.is_array() && std::ranges::all_of(value, is_text); }
bool is_options(const json& value) {
  return value.is_null() || (value.is_object() && std::ranges::all_of(value, is_text));
}

// What a description may say; readers rely on these types.
struct Field {
  std::string_view name;
  bool (*fits)(const json&);
};
constexpr Field kFields[] = {
    {"hinge", is_text},
    {"task", is_text},
    {"learner", is_text},
    {"seed", is_whole},
    {"task_options", is_options},
    {"learner_options", is_options},
    {"likelihood", is_flag},
    {"labels", is_texts},
    {"templates", is_text},
    {"format", is_text},
    {"column", is_text},
    {"observed_columns", is_whole},
    {"constraints", is_text},
    {"hash_bits", is_whole},
    {"label_bits", is_whole},
    {"decoder", is_text},
    {"order", is_whole},
    {"single_root", is_flag},
    {"labelled", is_flag},
    {"metric", is_text},
    {"cost", is_text},
    {"ngrams", is_whole},
};

}  // namespace

ModelWriter::ModelWriter() : SectionWriter(kModel) {}

ModelFile ModelFile::open(const std::string& path) { return ModelFile(SectionFile::open(path, kModel)); }

bool ModelFile::is_model(const std::string& path) { return SectionFile::is_of(path, kModel); }

ModelFile ModelFile::from_bytes(std::string bytes, const std::string& name) {
  return ModelFile(SectionFile::from_bytes(std::move(bytes), name, kModel));
}

ModelFile ModelFile::nested(std::string_view section) const {
  return ModelFile(SectionFile::nested(section));
}

nlohmann::json ModelFile::meta() const {
  nlohmann::json meta = nlohmann::json::parse(section("meta"), nullptr, /*allow_exceptions=*/false);
  if (!meta.is_object()) refuse_damaged("its description is damaged");
  for (const Field& field : kFields) {
    const auto found = meta.find(field.name);
    if (found != meta.end() && !field.fits(*found))
      refuse_damaged(fmt::format("its description is damaged at '{}'", field.name));
  }
  return meta;
}

}  // namespace hinge
