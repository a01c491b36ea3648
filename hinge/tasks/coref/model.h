// The contents of a `coref` model file, and resolving with it.
#pragma once

#include <vector>

#include "hinge/corpus/documents.h"
#include "hinge/tasks/coref/decoder.h"
#include "hinge/tasks/coref/plan.h"
#include "hinge/tasks/system.h"

namespace hinge::coref {

// Immutable: threads may share one, each with a Workspace of its own.
class Resolver {
 public:
  class Workspace;

  // Views the file, which must outlive it. Throws ModelError if it is damaged.
  explicit Resolver(const ModelFile& file);

  const Plan& plan() const { return plan_; }
  std::span<const float> weights() const { return weights_; }

  DocumentData data_of(const Document& document) const;
  // The mentions of a document with their clusters.
  std::vector<Mention> resolve(const Document& document, Workspace& workspace) const;

 private:
  Plan plan_;
  std::span<const float> weights_;
};

// One per thread. The resolver must outlive it.
class Resolver::Workspace {
 public:
  explicit Workspace(const Resolver& resolver) : decoder_(resolver.plan_.templates, resolver.plan_.layout) {}

 private:
  friend class Resolver;

  Decoder decoder_;
};

}  // namespace hinge::coref
