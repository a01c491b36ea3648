#include "tests/support/chain_world.h"

#include <algorithm>
#include <utility>

namespace hinge::test {
namespace {

using tag::Scheme;

// A label's position and type: "B-X" is {'B', "X"}, anything without a dash {'O', ""}.
std::pair<char, std::string> split(const std::string& label) {
  if (label.find('-') == std::string::npos) return {'O', ""};
  return {label[0], label.substr(2)};
}

bool is_well_formed(const ChainShape& shape, const Path& path) {
  if (shape.scheme == Scheme::kNone) return true;
  const bool iobes = shape.scheme == Scheme::kIobes;
  std::string open;  // the type of the phrase still open after the previous token, or ""
  bool must_go_on = false;
  for (const LabelId label : path) {
    const auto [position, type] = split(shape.names[label]);
    const bool goes_on = position == 'I' || position == 'E';
    if (goes_on && open != type) return false;
    if (!goes_on && must_go_on) return false;
    open = position == 'B' || position == 'I' ? type : "";
    must_go_on = iobes && !open.empty();
  }
  return !must_go_on;
}

std::vector<Path> well_formed_paths(const ChainShape& shape, std::size_t tokens) {
  std::vector<Path> paths{{}};
  for (std::size_t t = 0; t < tokens; ++t) {
    std::vector<Path> longer;
    for (const Path& path : paths) {
      for (std::size_t y = 0; y < shape.labels; ++y) {
        longer.push_back(path);
        longer.back().push_back(static_cast<LabelId>(y));
      }
    }
    paths = std::move(longer);
  }
  std::erase_if(paths, [&](const Path& path) { return !is_well_formed(shape, path); });
  return paths;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const ChainShape& shape) { return out << shape.name; }

ChainWorld::ChainWorld(const ChainShape& shape, std::uint64_t seed, std::size_t sentences)
    : shape_(shape),
      random_(seed),
      layout_{.labels = shape.labels,
              .node_features = 7,
              .edge_features = shape.edge_features,
              .transitions = shape.transitions} {
  for (std::size_t gold = 0; gold < shape.labels; ++gold) {
    for (std::size_t other = 0; other < shape.labels; ++other) {
      const float cost = shape.costly ? static_cast<float>(1 + random_.below(12)) / 4.0f : 1.0f;
      costs_.push_back(gold == other ? 0.0f : cost);
    }
  }
  for (std::size_t s = 0; s < sentences; ++s) add_sentence(s == 0 ? 1 : random_.below(shape.longest + 1));
  task_ = std::make_unique<tag::ChainTask>(
      data_, layout_,
      tag::ChainTaskOptions{.constraints = make_constraints(shape.scheme, shape.names), .costs = costs_});
}

void ChainWorld::add_sentence(std::size_t tokens) {
  const std::vector<Path> choices = well_formed_paths(shape_, tokens);
  for (const LabelId gold : choices[random_.below(choices.size())]) add_token(gold);
  data_.sentence_begin.push_back(data_.gold.size());
}

void ChainWorld::add_token(LabelId gold) {
  const std::size_t features = 1 + random_.below(3);
  for (std::size_t k = 0; k < features; ++k) {
    data_.node_ids.push_back(static_cast<std::uint32_t>(random_.below(layout_.node_features)));
    if (shape_.valued) data_.node_values.push_back(random_value());
  }
  data_.node_begin.push_back(data_.node_ids.size());
  for (std::size_t k = 0; k < 2 && shape_.edge_features > 0; ++k) {  // the first token has some as well
    data_.edge_ids.push_back(static_cast<std::uint32_t>(random_.below(shape_.edge_features)));
    if (shape_.valued) data_.edge_values.push_back(random_value());
  }
  data_.edge_begin.push_back(data_.edge_ids.size());
  data_.gold.push_back(gold);
  accepted_.push_back({gold});
  if (shape_.partial) add_allowed(gold);
}

// A third of the tokens accept any label, a third gold or the next label.
void ChainWorld::add_allowed(LabelId gold) {
  std::vector<LabelId>& accepted = accepted_.back();
  data_.allowed_begin.push_back(static_cast<std::uint32_t>(data_.allowed_labels.size()));
  const std::uint64_t kind = random_.below(3);
  for (std::size_t y = 0; y < shape_.labels && kind > 0; ++y) {
    const bool also = kind == 1 || y == (gold + 1u) % shape_.labels;
    if (also && y != gold) accepted.push_back(static_cast<LabelId>(y));
  }
  if (kind > 0) data_.allowed_labels.insert(data_.allowed_labels.end(), accepted.begin(), accepted.end());
  data_.allowed_end.push_back(static_cast<std::uint32_t>(data_.allowed_labels.size()));
}

float ChainWorld::random_value() { return (static_cast<float>(random_.below(65)) - 32.0f) / 16.0f; }

Weights ChainWorld::random_weights() {
  Weights w(layout_.dimension());
  for (float& value : w.span()) value = (static_cast<float>(random_.below(257)) - 128.0f) / 64.0f;
  return w;
}

std::vector<Path> ChainWorld::paths(std::size_t s) const { return well_formed_paths(shape_, tokens(s)); }

Dense ChainWorld::features(std::size_t s, const Path& path) const {
  Dense phi(layout_.dimension());
  const std::size_t labels = shape_.labels;
  const std::size_t after_nodes = layout_.node_features * labels;
  for (std::size_t t = 0; t < path.size(); ++t) {
    const std::size_t token = data_.sentence_begin[s] + t;
    for (std::size_t k = data_.node_begin[token]; k < data_.node_begin[token + 1]; ++k) {
      phi[data_.node_ids[k] * labels + path[t]] += shape_.valued ? data_.node_values[k] : 1.0;
    }
    if (t == 0) continue;
    const std::size_t pair = path[t - 1] * labels + path[t];
    if (shape_.transitions) phi[after_nodes + pair] += 1.0;
    for (std::size_t k = data_.edge_begin[token]; k < data_.edge_begin[token + 1]; ++k) {
      const std::size_t matrix = data_.edge_ids[k] + (shape_.transitions ? 1 : 0);
      phi[after_nodes + matrix * labels * labels + pair] += shape_.valued ? data_.edge_values[k] : 1.0;
    }
  }
  return phi;
}

double ChainWorld::score(std::size_t s, const Path& path, const Weights& w) const {
  const Dense phi = features(s, path);
  double sum = 0.0;
  for (std::size_t d = 0; d < phi.size(); ++d) sum += phi[d] * w[d];
  return sum;
}

double ChainWorld::loss(std::size_t s, const Path& path) const {
  double sum = 0.0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    double least = 1e9;
    for (const LabelId gold : accepted_[data_.sentence_begin[s] + t]) {
      least = std::min(least, static_cast<double>(costs_[gold * shape_.labels + path[t]]));
    }
    sum += least;
  }
  return sum;
}

bool ChainWorld::is_accepted(std::size_t s, const Path& path) const {
  for (std::size_t t = 0; t < path.size(); ++t) {
    const std::vector<LabelId>& accepted = accepted_[data_.sentence_begin[s] + t];
    if (std::find(accepted.begin(), accepted.end(), path[t]) == accepted.end()) return false;
  }
  return true;
}

std::vector<Path> ChainWorld::golds(std::size_t s, const Weights& w) const {
  std::vector<Path> best;
  double high = -1e9;
  for (const Path& path : paths(s)) {
    if (!is_accepted(s, path)) continue;
    const double value = score(s, path, w);
    if (value > high) best.clear();
    if (value >= high) best.push_back(path);
    high = std::max(high, value);
  }
  return best;
}

EnumeratedTask ChainWorld::enumerated() const {
  std::vector<std::vector<Candidate>> lists;
  for (std::size_t s = 0; s < data_.sentences(); ++s) {
    std::vector<Candidate> list(1);
    for (const Path& path : paths(s)) {
      Candidate candidate{.loss = loss(s, path)};
      const Dense phi = features(s, path);
      for (std::size_t d = 0; d < phi.size(); ++d) {
        if (phi[d] != 0.0) candidate.features.add(static_cast<FeatureId>(d), static_cast<float>(phi[d]));
      }
      if (is_accepted(s, path)) {
        list[0] = std::move(candidate);
      } else {
        list.push_back(std::move(candidate));
      }
    }
    lists.push_back(std::move(list));
  }
  return {std::move(lists), layout_.dimension()};
}

}  // namespace hinge::test
