#include "hinge/check/findings.h"

#include <algorithm>

namespace hinge {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    default:
      return "note";
  }
}

Finding& Findings::of(const FindingKind& kind) {
  const auto found = std::ranges::find(findings_, &kind, &Finding::kind);
  if (found != findings_.end()) return *found;
  return findings_.emplace_back(Finding{.kind = &kind});
}

bool Findings::wants(const Finding& finding, double weight) const {
  if (finding.examples.size() < most_examples_) return true;
  return most_examples_ > 0 && weight > finding.examples.back().weight;
}

void Findings::keep(Finding& finding, Example example) const {
  const auto place =
      std::ranges::upper_bound(finding.examples, example.weight, std::ranges::greater(), &Example::weight);
  finding.examples.insert(place, std::move(example));
  if (finding.examples.size() > most_examples_) finding.examples.pop_back();
}

std::vector<Finding> Findings::sorted() const {
  std::vector<Finding> sorted = findings_;
  std::erase_if(sorted, [](const Finding& finding) { return finding.count == 0; });
  std::ranges::stable_sort(sorted, [](const Finding& a, const Finding& b) {
    return a.kind->severity != b.kind->severity ? a.kind->severity < b.kind->severity : a.count > b.count;
  });
  return sorted;
}

}  // namespace hinge
