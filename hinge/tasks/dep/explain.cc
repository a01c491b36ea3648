#include "hinge/tasks/dep/explain.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace hinge::dep {
namespace {

Reasons reasons_of(std::vector<Contribution> all) {
  std::erase_if(all, [](const Contribution& one) { return one.amount == 0.0; });
  std::ranges::stable_sort(all, std::greater(), [](const Contribution& one) { return std::abs(one.amount); });
  double margin = 0.0;
  for (const Contribution& one : all) margin += one.amount;
  return {margin, std::move(all)};
}

std::uint32_t& in(FactorWords& words, Role role) { return words[static_cast<std::size_t>(role)]; }

// "left:1, right:2": every place once.
void add_place(const std::string& place, std::string& places) {
  if (places == "-") {
    places = place;
  } else if ((", " + places + ",").find(", " + place + ",") == std::string::npos) {
    places += ", " + place;
  }
}

struct KindOfTriple {
  FactorKind kind;
  Triple part;
  auto operator<=>(const KindOfTriple&) const = default;
};

}  // namespace

// Sums up the features of two trees by key. A feature of both counts with its
// weights for the sides and distances in the one minus those in the other.
class Explainer::Sums {
 public:
  Sums(const TreeLayout& layout, const float* w) : layout_(layout), w_(w) {}

  // Calls `name()` only for a new key.
  template <typename Name>
  void add(Key key, Slots slots, double sign, const std::string& place, const Name& name) {
    const FeatureId base = layout_.base(key);
    if (base == TreeLayout::kNone) return;
    const auto [found, is_new] = index_.try_emplace(key, contributions_.size());
    if (is_new) contributions_.push_back({name(), "-", "-", 0.0});
    Contribution& one = contributions_[found->second];
    add_place(place, sign > 0.0 ? one.chosen : one.rival);
    one.amount += sign * (static_cast<double>(w_[base ^ slots.direction]) +
                          static_cast<double>(w_[base ^ slots.distance]));
  }
  std::vector<Contribution> take() { return std::move(contributions_); }

 private:
  const TreeLayout& layout_;
  const float* w_;
  absl::flat_hash_map<Key, std::size_t> index_;
  std::vector<Contribution> contributions_;
};

Explainer::Explainer(const ParserPlan& plan, const LabelSet& labels, const ParserWeights& w)
    : plan_(plan),
      names_(labels),
      w_(w),
      hasher_(plan.templates),
      arcs_(plan.arcs, plan.layout),
      second_(plan.second, plan.layout),
      label_features_(plan.labels, plan.layout),
      label_sums_(padded_labels(labels.size())) {}

std::span<const std::uint32_t> Explainer::label_rows(std::size_t modifier) const {
  const std::size_t width = plan_.labels.size();
  return std::span(label_rows_).subspan((modifier - 1) * width, width);
}

LabelId Explainer::nearest_label(std::size_t modifier, LabelId label) {
  sum_rows(w_.labels, label_rows(modifier), nullptr, names_.size(), label_sums_.size(), label_sums_.data());
  LabelId best = label;
  for (std::size_t y = 0; y < names_.size(); ++y) {
    if (y != label && (best == label || label_sums_[y] > label_sums_[best])) best = static_cast<LabelId>(y);
  }
  return best;
}

void Explainer::add_arc(HeadId head, HeadId modifier, double sign, FactorTexts& texts, Sums& sums) {
  const Slots slots = slots_of(head, modifier, arcs_.bin(head, modifier));
  const std::string place = texts.distance(head, modifier);
  arcs_.each_named_key(head, modifier, [&](Key key, const FactorTemplate& t, std::size_t between) {
    sums.add(key, slots, sign, place, [&] {
      FactorWords at{};
      in(at, Role::kHead) = head;
      in(at, Role::kModifier) = modifier;
      in(at, Role::kBetween) = static_cast<std::uint32_t>(between);
      return texts.text(FactorKind::kArc, t, at);
    });
  });
}

// Changing a head changes few parts: those with the arc, and those of neighbours
// whose sibling or grandparent changes.
void Explainer::add_triples(std::span<const HeadId> heads, std::span<const HeadId> rivals,
                            FactorTexts& texts, Sums& sums) {
  std::vector<SecondOrderScores::Arc> arcs;
  for (HeadId m = 1; m < heads.size(); ++m) {
    arcs.push_back({heads[m], m});
    if (rivals[m] != heads[m]) arcs.push_back({rivals[m], m});
  }
  std::ranges::sort(arcs, {}, [](const auto& arc) { return std::pair(arc.head, arc.modifier); });
  second_.prepare({keys_, hasher_.fields()}, arcs, plan_.options.single_root);

  const auto triples_of = [this](std::span<const HeadId> tree) {
    std::vector<KindOfTriple> all;
    second_.each_triple(tree, [&](FactorKind kind, const Triple& part) { all.push_back({kind, part}); });
    std::ranges::sort(all);
    return all;
  };
  const auto add_first = [&](std::span<const KindOfTriple> first, std::span<const KindOfTriple> second,
                             double sign) {
    std::vector<KindOfTriple> only;
    std::ranges::set_difference(first, second, std::back_inserter(only));
    for (const KindOfTriple& triple : only) {
      const FactorKind kind = triple.kind;
      const Triple& part = triple.part;
      FactorWords at{};
      for (std::size_t k = 0; k < 3; ++k) in(at, roles_of(kind)[k]) = part.word[k];
      const std::string place = texts.distance(in(at, Role::kHead), in(at, Role::kModifier));
      auto t = plan_.templates.of(kind).begin();
      second_.each_key(kind, part, [&](Key key) {
        sums.add(key, part.slots, sign, place, [&] { return texts.text(kind, *t, at); });
        ++t;
      });
    }
  };
  const auto here = triples_of(heads);
  const auto there = triples_of(rivals);
  add_first(here, there, 1.0);
  add_first(there, here, -1.0);
}

Reasons Explainer::explain_heads(std::span<const HeadId> heads, std::span<const HeadId> rivals,
                                 FactorTexts& texts) {
  Sums sums(plan_.layout, w_.parts);
  for (HeadId m = 1; m < heads.size(); ++m) {
    if (rivals[m] == heads[m]) continue;
    add_arc(heads[m], m, 1.0, texts, sums);
    add_arc(rivals[m], m, -1.0, texts, sums);
  }
  if (plan_.options.order == 2) add_triples(heads, rivals, texts, sums);
  return reasons_of(sums.take());
}

Reasons Explainer::explain_label(std::size_t modifier, LabelId label, LabelId rival,
                                 FactorTexts& texts) const {
  if (rival == label) return {};
  std::vector<Contribution> all;
  FactorWords at{};
  for (std::size_t role = 0; role < kRoles; ++role)
    at[role] = label_features_.word(static_cast<Role>(role), modifier);
  const auto rows = label_rows(modifier);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const float* row = w_.labels + rows[t] * names_.size();
    all.push_back({texts.text(FactorKind::kLabel, *plan_.labels.templates()[t], at), names_.names()[label],
                   names_.names()[rival], static_cast<double>(row[label]) - static_cast<double>(row[rival])});
  }
  return reasons_of(std::move(all));
}

std::vector<Explanation> Explainer::explain(std::span<const WordCells> words, TreeView tree,
                                            TreeView rivals, const BestOther& best_other) {
  keys_.clear();
  hasher_.add_root(keys_);
  for (const WordCells& word : words) hasher_.add_word(word, keys_);
  const SentenceFields sentence{keys_, hasher_.fields()};
  arcs_.prepare(sentence);
  const bool labelled = names_.size() > 0;
  if (labelled) label_features_.find(sentence, tree.heads, label_rows_);
  FactorTexts texts(plan_.templates, words);
  std::vector<Explanation> all;
  for (HeadId m = 1; m <= words.size(); ++m) {
    const HeadId head = tree.heads[m];
    const bool other_head = !rivals.heads.empty() && rivals.heads[m] != head;
    Explanation& of = all.emplace_back();
    of.head = head;
    if (other_head) {
      of.rival_heads.assign(tree.heads.begin(), tree.heads.end());
      of.rival_heads[m] = rivals.heads[m];
    } else {
      of.rival_heads = best_other(m);
      if (of.rival_heads.empty()) of.rival_heads.assign(tree.heads.begin(), tree.heads.end());
    }
    of.rival_head = of.rival_heads[m];
    of.of_head = explain_heads(tree.heads, of.rival_heads, texts);
    if (!labelled) continue;
    of.label = tree.labels[m];
    const bool other_label = !rivals.labels.empty() && rivals.labels[m] != of.label;
    of.rival_label = other_label ? rivals.labels[m] : nearest_label(m, of.label);
    of.of_label = explain_label(m, of.label, of.rival_label, texts);
  }
  return all;
}

}  // namespace hinge::dep
