#include "hinge/model/model_file.h"

#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/missing.h"

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

}  // namespace

ModelWriter::ModelWriter() : SectionWriter(kModel) {}

ModelFile ModelFile::open(const std::string& path) {
  return ModelFile(SectionFile::open(existing<MissingModel>(path), kModel));
}

bool ModelFile::is_model(const std::string& path) { return SectionFile::is_of(path, kModel); }

ModelFile ModelFile::from_bytes(std::string bytes, const std::string& name) {
  return ModelFile(SectionFile::from_bytes(std::move(bytes), name, kModel));
}

ModelFile ModelFile::nested(std::string_view section) const {
  return ModelFile(SectionFile::nested(section));
}

ModelFile::ModelFile(SectionFile&& file) : SectionFile(std::move(file)) {
  try {
    description_ = std::make_unique<Description>(Json::parse(section("meta")), name());
  } catch (const Error&) {  // reported on use: nested files need none
  }
}

const Description& ModelFile::description() const {
  if (description_ == nullptr) refuse_damaged("its description is damaged");
  return *description_;
}

}  // namespace hinge
