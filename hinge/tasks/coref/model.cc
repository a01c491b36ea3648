#include "hinge/tasks/coref/model.h"

#include "hinge/core/error.h"

namespace hinge::coref {

Resolver::Resolver(const ModelFile& file) : plan_(read_plan(file)), weights_(file.array<float>("weights")) {
  if (weights_.size() != plan_.layout.dimension())
    fail<ModelError>("{}: its weights are cut short; train it again", file.name());
}

DocumentData Resolver::data_of(const Document& document) const {
  const Tokens tokens = tokens_of(document, plan_.columns);
  return make_data(tokens, find_spans(document, tokens, plan_), {}, plan_.frequent, plan_.reach);
}

std::vector<Mention> Resolver::resolve(const Document& document, Workspace& workspace) const {
  const DocumentData data = data_of(document);
  workspace.decoder_.choose(data, weights_.data());
  return workspace.decoder_.clusters(plan_.singletons);
}

}  // namespace hinge::coref
