#include "hinge/tasks/classify/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "hinge/tasks/classify/model.h"

namespace hinge::classify {

Explanation Classifier::explain(std::string_view text, std::size_t label, std::size_t rival,
                                Workspace& workspace) const {
  Explanation of{.label = label, .rival = rival, .margin = 0.0, .contributions = {}};
  if (label == rival) return of;
  const auto add = [&](float value, std::span<const float> weights, const auto& name) {
    const double amount = value * (static_cast<double>(weights[label]) - static_cast<double>(weights[rival]));
    if (amount == 0.0) return;
    of.margin += amount;
    of.contributions.push_back({name(), value, amount});
  };
  const std::span<const Key> found = workspace.finder_.find(text);
  std::vector<Key> open(found.begin(), found.end());  // not seen yet
  const float value = value_of_each(open.size());
  std::vector<float> row(workspace.sums_.size());
  // A feature that occurs again, or shares its row with another, counts once.
  workspace.finder_.each(text, [&](Key feature, const FeatureFinder::Place& place) {
    const auto at = std::ranges::lower_bound(open, feature);
    if (at == open.end() || *at != feature) return;
    open.erase(at);
    std::ranges::fill(row, 0.0f);
    rows_.add_to(rows_.find(row_key(feature, kinds_)), 1.0f, row.data());
    add(value, row, [&] { return shown_name(workspace.finder_.name(place)); });
  });
  std::ranges::stable_sort(of.contributions, std::greater(),
                           [](const Contribution& c) { return std::abs(c.amount); });
  return of;
}

}  // namespace hinge::classify
