#include "hinge/tasks/coref/evaluate.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/evaluate/coreference.h"
#include "hinge/tasks/coref/model.h"
#include "hinge/tasks/coref/rounds.h"

namespace hinge::coref {

Evaluation evaluate_resolver(const Resolver& resolver, const Source& source, Workers& workers) {
  PerThread<Resolver::Workspace> workspaces(workers, [&] { return Resolver::Workspace(resolver); });
  CoreferenceScorer all;
  each_round(source, workers, [&](std::span<DocumentText> texts) {
    std::vector<CoreferenceScorer> scorers(texts.size());
    each_until_error(workers, texts.size(), [&](std::size_t i) {
      check_interrupt();
      const Document document = parse_document(std::move(texts[i]));
      if (!document.tokens.empty())
        scorers[i].add(document.mentions, resolver.resolve(document, workspaces.local()));
    }).rethrow();
    for (const CoreferenceScorer& scorer : scorers) all.add(scorer);
  });
  if (all.documents() == 0) fail<InputError>("{}: has no documents to evaluate on", source.name());
  return all.evaluate();
}

Evaluation evaluate_files(const std::string& gold_path, const std::string& system_path) {
  DocumentReader gold_reader{TextInput(gold_path)}, system_reader{TextInput(system_path)};
  Document gold, system;
  CoreferenceScorer scorer;
  while (gold_reader.next(gold)) {
    check_interrupt();
    if (!system_reader.next(system))
      fail<InputError>("{}: ends before document '{}' of {}; both files must have the same documents",
                       system_path, gold.name, gold_path);
    const bool same =
        std::ranges::equal(gold.tokens, system.tokens, {}, &DocumentToken::word, &DocumentToken::word);
    if (!same)
      fail<InputError>(
          "{}: document '{}' has other words than '{}' of {}; both files must have the same documents",
          system_path, system.name, gold.name, gold_path);
    scorer.add(gold.mentions, system.mentions);
  }
  if (system_reader.next(system))
    fail<InputError>("{}: goes on after the end of {}; both files must have the same documents", system_path,
                     gold_path);
  if (scorer.documents() == 0) fail<InputError>("{}: has no documents to evaluate", gold_path);
  return scorer.evaluate();
}

}  // namespace hinge::coref
