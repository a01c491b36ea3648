#include "hinge/mt/model.h"

#include <cmath>

#include "hinge/core/error.h"

namespace hinge::mt {
namespace {

constexpr SectionKind kKind = {
    .magic = std::string_view("HINGMT\r\n", 8),
    .format = kModelFormat,
    .what = "a translation model",
    .make = "make one with 'hinge mt train'",
    .redo = "train it again",
    .refuse = [](const std::string& message) { throw ModelError(message); },
    .copied = 0,
};

Json description_of(const SectionFile& file) {
  try {
    return Json::parse(file.section("meta"));
  } catch (const JsonError&) {
    file.refuse_damaged("its description is not JSON");
  }
}

}  // namespace

Model Model::open(const std::string& path) { return Model(SectionFile::open(path, kKind)); }

bool Model::is_model(const std::string& path) { return SectionFile::is_of(path, kKind); }

Model::Model(SectionFile file)
    : file_(std::make_unique<SectionFile>(std::move(file))),
      description_(description_of(*file_)),
      source_(*file_, "source"),
      target_(*file_, "target"),
      rules_(*file_, target_.size()),
      language_model_(*file_) {}

Parts Model::parts() const {
  const std::int64_t frequent = description_.whole("frequent");
  return {&source_, &target_, &rules_, &language_model_,
          frequent <= 0 ? Words::kNone : static_cast<Word>(frequent)};
}

std::vector<NamedWeight> Model::weights() const {
  const Words names(*file_, "weights");
  const std::span<const float> values = file_->array<float>("weights.values");
  if (values.size() != names.size()) file_->refuse_damaged("it has more or fewer weights than names");
  std::vector<NamedWeight> weights;
  for (Word i = 0; i < names.size(); ++i) {
    if (!std::isfinite(values[i])) file_->refuse_damaged("a weight is not a finite number");
    weights.push_back({std::string(names.text(i)), values[i]});
  }
  return weights;
}

void write_model(OutputFile& out, const Parts& parts, const Json& description,
                 std::span<const NamedWeight> weights) {
  Words names;
  std::vector<float> values;
  for (const NamedWeight& weight : weights) {
    const Word number = names.add(weight.name);
    if (number == values.size()) values.push_back(0.0f);
    values[number] = weight.value;
  }
  SectionWriter writer(kKind);
  writer.add("meta", description.dump());
  parts.source->write(writer, "source");
  parts.target->write(writer, "target");
  parts.rules->write(writer);
  parts.language_model->write(writer);
  names.write(writer, "weights");
  writer.add_array("weights.values", std::span<const float>(values));
  writer.write(out);
}

}  // namespace hinge::mt
