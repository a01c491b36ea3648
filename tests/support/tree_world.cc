#include "tests/support/tree_world.h"

#include <algorithm>
#include <set>

namespace hinge::test {

using dep::TreeAlgorithm;

const char* const kSmallTemplates =
    "distances 1 2 4\n"
    "arc h.form\n"
    "arc h-1.upos h.upos\n"
    "arc m.upos m+1.form\n"
    "arc h.upos m.upos\n"
    "arc h+1.upos m.form m-2.form\n"
    "arc h.upos b.upos m.upos\n"
    "arc b.form\n"
    "sibling h.upos s.upos m.upos\n"
    "sibling s-1.form m.upos\n"
    "sibling h.form\n"
    "grand g.upos h.upos m.upos\n"
    "grand g+1.form\n"
    "grand g.form m.upos\n"
    "label m.form\n"
    "label h.upos m.upos dir\n"
    "label g.upos l.upos dist\n"
    "label p.form r.upos n-1.upos dir dist\n"
    "label dist\n";

std::ostream& operator<<(std::ostream& out, const TreeShape& shape) { return out << shape.name; }

TreeWorld::TreeWorld(const TreeShape& shape, std::uint64_t seed, std::size_t sentences)
    : shape_(shape),
      random_(seed),
      plan_(parse_factor_templates(shape.templates, "templates"), shape.options,
            dep::TreeLayout(shape.hash_bits, shape.label_bits, shape.labels)) {
  data_.fields = plan_.templates.fields.size();
  for (std::size_t s = 0; s < sentences; ++s) add_sentence(1 + random_.below(shape.longest));
  if (shape.hash_bits == 0) fill_dictionary();
  if (shape.labels > 0) find_label_rows();
  for (Sentence& sentence : sentences_) {
    for (const Heads& heads : sentence.trees) {
      std::vector<FeatureId>& ids = sentence.features.emplace_back();
      const auto add = [&](Key key, std::uint32_t slot) { add_weight(key, slot, ids); };
      for (std::size_t m = 1; m < heads.size(); ++m) {
        each_arc_feature(sentence, heads[m], m, add);
        if (shape_.options.order == 2) each_part_feature(sentence, heads, m, add);
      }
    }
  }
  if (shape.options.order == 2) {
    task_ = std::make_unique<dep::SecondTask>(data_, plan_, candidates_);
  } else {
    task_ = std::make_unique<dep::TreeTask>(data_, plan_);
  }
}

void TreeWorld::add_sentence(std::size_t words) {
  const std::vector<std::string> forms = {"a", "b", "c", "d"};
  const std::vector<std::string> tags = {"N", "V", "D"};
  Sentence sentence;
  FieldHasher hasher(plan_.templates);
  std::vector<Key> keys;
  hasher.add_root(keys);
  for (std::size_t m = 1; m <= words; ++m) {
    sentence.words.push_back({forms[random_.below(forms.size())], tags[random_.below(tags.size())]});
    hasher.add_word({.form = sentence.words.back().form, .upos = sentence.words.back().upos}, keys);
  }
  data_.keys.append(keys);
  const TreeKind kind{.projective = shape_.options.algorithm == TreeAlgorithm::kEisner,
                      .single_root = shape_.options.single_root};
  sentence.trees = all_trees(words, kind);
  const Heads gold = sentence.trees[random_.below(sentence.trees.size())];
  if (shape_.options.order == 2) {
    choose_candidates(gold, words);
    std::set<std::pair<std::size_t, std::size_t>> arcs;
    for (const auto& [head, modifier] : candidates_.of(sentences_.size())) arcs.insert({head, modifier});
    std::erase_if(sentence.trees, [&](const Heads& heads) {
      for (std::size_t m = 1; m <= words; ++m) {
        if (!arcs.contains({heads[m], m})) return true;
      }
      return false;
    });
  }
  const auto place = std::ranges::find(sentence.trees, gold);
  sentence.gold = static_cast<std::size_t>(place - sentence.trees.begin());
  for (std::size_t m = 0; m <= words; ++m) {
    data_.heads.push_back(gold[m]);
    data_.labels.push_back(
        static_cast<LabelId>(m == 0 || shape_.labels == 0 ? 0 : random_.below(shape_.labels)));
    data_.costs.push_back(shape_.costly ? static_cast<float>(random_.below(9)) / 4.0f : 1.0f);
  }
  data_.begin.push_back(data_.heads.size());
  sentences_.push_back(std::move(sentence));
}

void TreeWorld::choose_candidates(const Heads& gold, std::size_t words) {
  for (HeadId h = 0; h <= words; ++h) {
    for (HeadId m = 1; m <= words; ++m) {
      if (h == m) continue;
      if (!shape_.pruned || gold[m] == h || random_.below(3) > 0) candidates_.arcs.push_back({h, m});
    }
  }
  candidates_.begin.push_back(candidates_.arcs.size());
}

// The features of gold trees, as in training.
void TreeWorld::fill_dictionary() {
  const auto add = [this](Key key, std::uint32_t) { plan_.layout.dictionary().add(key); };
  for (const Sentence& sentence : sentences_) {
    const Heads& gold = sentence.trees[sentence.gold];
    for (std::size_t m = 1; m < gold.size(); ++m) {
      each_arc_feature(sentence, gold[m], m, add);
      if (shape_.options.order == 2) each_part_feature(sentence, gold, m, add);
    }
  }
}

void TreeWorld::find_label_rows() {
  dep::LabelFeatures features(plan_.labels, plan_.layout);
  std::vector<std::uint32_t> rows;
  for (std::size_t s = 0; s < sentences_.size(); ++s) {
    features.find(data_.sentence(s), data_.heads_of(s), rows);
    data_.label_rows.append(rows);
  }
}

std::vector<WordCells> TreeWorld::cells(std::size_t s) const {
  std::vector<WordCells> cells;
  for (const Word& word : sentences_[s].words) cells.push_back({.form = word.form, .upos = word.upos});
  return cells;
}

Weights TreeWorld::random_weights() {
  Weights w(task_->dimension());
  for (float& value : w.span()) value = (static_cast<float>(random_.below(257)) - 128.0f) / 64.0f;
  return w;
}

// ---- Features

Key TreeWorld::value(const Sentence& sentence, std::ptrdiff_t at, std::size_t field) const {
  if (at < 0) return hash_text("\x01start");
  if (at == 0) return hash_text("\x01root");
  if (at > static_cast<std::ptrdiff_t>(sentence.words.size())) return hash_text("\x01end");
  const Word& word = sentence.words[static_cast<std::size_t>(at) - 1];
  return hash_text(plan_.templates.fields[field].kind == FieldKind::kForm ? word.form : word.upos);
}

Key TreeWorld::key(const Sentence& sentence, const FactorTemplate& t,
                   const std::vector<Place>& places) const {
  Key key = 0;
  for (const auto& [role, word] : places) {
    if (!t.has(role)) continue;
    Key share = combine(hash_text(t.source), static_cast<Key>(role) + 1);
    if (word == kNobody) {
      share = combine(share, hash_text("\x01none"));
    } else {
      for (const FactorAtom& atom : t.atoms) {
        if (atom.role == role) share = combine(share, value(sentence, word + atom.offset, atom.field));
      }
    }
    key ^= share;
  }
  return key;
}

// Templates with a word between give one key per distinct value.
std::vector<Key> TreeWorld::arc_keys(const Sentence& sentence, std::size_t head, std::size_t modifier) const {
  const auto h = static_cast<std::ptrdiff_t>(head);
  const auto m = static_cast<std::ptrdiff_t>(modifier);
  std::vector<Key> keys;
  for (const FactorTemplate& t : plan_.templates.of(FactorKind::kArc)) {
    if (!t.has(Role::kBetween)) {
      keys.push_back(key(sentence, t, {{Role::kHead, h}, {Role::kModifier, m}}));
      continue;
    }
    std::set<Key> between;
    for (std::ptrdiff_t b = std::min(h, m) + 1; b < std::max(h, m); ++b)
      between.insert(key(sentence, t, {{Role::kHead, h}, {Role::kModifier, m}, {Role::kBetween, b}}));
    keys.insert(keys.end(), between.begin(), between.end());
  }
  return keys;
}

void TreeWorld::each_arc_feature(const Sentence& sentence, std::size_t head, std::size_t modifier,
                                 const Feature& body) const {
  const std::uint32_t left = modifier < head;
  const auto distance = static_cast<std::uint32_t>(left ? head - modifier : modifier - head);
  for (const Key key : arc_keys(sentence, head, modifier)) {
    body(key, left);
    body(key, 2 + 2 * plan_.templates.bin(distance) + left);
  }
}

void TreeWorld::each_part_feature(const Sentence& sentence, const Heads& heads, std::size_t modifier,
                                  const Feature& body) const {
  const auto m = static_cast<std::ptrdiff_t>(modifier);
  const auto h = static_cast<std::ptrdiff_t>(heads[modifier]);
  const std::uint32_t left = m < h;
  const std::uint32_t bin = plan_.templates.bin(static_cast<std::uint32_t>(std::abs(h - m)));
  std::ptrdiff_t sibling = kNobody;  // the child of h between h and m that is nearest to m
  for (std::ptrdiff_t at = m + (left ? 1 : -1); at != h && sibling == kNobody; at += left ? 1 : -1) {
    if (heads[static_cast<std::size_t>(at)] == heads[modifier]) sibling = at;
  }
  for (const FactorTemplate& t : plan_.templates.of(FactorKind::kSibling)) {
    const Key of_part = key(sentence, t, {{Role::kHead, h}, {Role::kSibling, sibling}, {Role::kModifier, m}});
    body(of_part, left);
    body(of_part, 2 + 2 * bin + left);
  }
  if (h == 0) return;
  const auto g = static_cast<std::ptrdiff_t>(heads[static_cast<std::size_t>(h)]);
  for (const FactorTemplate& t : plan_.templates.of(FactorKind::kGrand)) {
    const Key of_part = key(sentence, t, {{Role::kGrand, g}, {Role::kHead, h}, {Role::kModifier, m}});
    body(of_part, 2 * (h < g) + left);
    body(of_part, 4 + 2 * std::min(bin, 5u) + left);
  }
}

void TreeWorld::add_weight(Key key, std::uint32_t slot, std::vector<FeatureId>& ids) const {
  if (shape_.hash_bits > 0) {
    ids.push_back(static_cast<FeatureId>(key >> (60 - shape_.hash_bits)) ^ slot);
    return;
  }
  const std::uint32_t row = plan_.layout.dictionary().find(key);
  if (row != KeyIndex::kNone) ids.push_back(row * 16 + slot);
}

std::vector<FeatureId> TreeWorld::arc_features(std::size_t s, std::size_t head, std::size_t modifier) const {
  std::vector<FeatureId> ids;
  each_arc_feature(sentences_[s], head, modifier,
                   [&](Key key, std::uint32_t slot) { add_weight(key, slot, ids); });
  return ids;
}

Key TreeWorld::label_key(const Sentence& sentence, const Heads& heads, const FactorTemplate& t,
                         std::size_t word) const {
  const auto m = static_cast<std::ptrdiff_t>(word);
  const auto h = static_cast<std::ptrdiff_t>(heads[word]);
  std::ptrdiff_t first = kNobody, last = kNobody, before = kNobody, after = kNobody;
  for (std::size_t other = 1; other < heads.size(); ++other) {
    const auto at = static_cast<std::ptrdiff_t>(other);
    if (heads[other] == word) {
      last = at;
      if (first == kNobody) first = at;
    }
    if (heads[other] != heads[word]) continue;
    if (at < m) before = at;
    if (at > m && after == kNobody) after = at;
  }
  const std::ptrdiff_t g = h == 0 ? kNobody : static_cast<std::ptrdiff_t>(heads[heads[word]]);
  Key result = hash_text(t.source) ^ key(sentence, t,
                                         {{Role::kHead, h},
                                          {Role::kModifier, m},
                                          {Role::kGrand, g},
                                          {Role::kFirst, first},
                                          {Role::kLast, last},
                                          {Role::kBefore, before},
                                          {Role::kAfter, after}});
  const Key side = m < h ? 1 : 2;
  const Key bin = plan_.templates.bin(static_cast<std::uint32_t>(std::abs(h - m)));
  if (t.direction) result = combine(result, side);
  if (t.distance) result = combine(result, 4 * bin + side);
  return result;
}

std::vector<FeatureId> TreeWorld::label_features(std::size_t s, const Heads& heads, std::size_t word,
                                                 LabelId label) const {
  std::vector<FeatureId> ids;
  const std::size_t parts =
      shape_.hash_bits > 0 ? std::size_t{16} << shape_.hash_bits : 16 * plan_.layout.dictionary().size();
  for (const FactorTemplate& t : plan_.templates.of(FactorKind::kLabel)) {
    const Key row = label_key(sentences_[s], heads, t, word) >> (64 - shape_.label_bits);
    ids.push_back(static_cast<FeatureId>(parts + row * shape_.labels + label));
  }
  return ids;
}

// ---- Outputs

Labels TreeWorld::gold_labels(std::size_t s) const {
  if (shape_.labels == 0) return {};
  const auto begin = data_.labels.begin() + static_cast<std::ptrdiff_t>(data_.begin[s]);
  return {begin, begin + static_cast<std::ptrdiff_t>(words(s) + 1)};
}

SparseVector TreeWorld::features(std::size_t s, std::size_t tree, const Labels& labels) const {
  SparseVector result;
  for (const FeatureId id : tree_features(s, tree)) result.add(id, 1.0f);
  for (std::size_t m = 1; m < labels.size(); ++m) {
    for (const FeatureId id : label_features(s, m, labels[m])) result.add(id, 1.0f);
  }
  result.merge();
  return result;
}

SparseVector TreeWorld::psi(std::size_t s, std::size_t tree, const Labels& labels) const {
  SparseVector result = features(s, gold_tree(s), gold_labels(s));
  result.append(features(s, tree, labels), -1.0f);
  result.merge();
  return result;
}

void TreeWorld::each_output(std::size_t s, const Weights& w,
                            const std::function<void(const LabelledTree&)>& body) const {
  const auto sum = [&w](const std::vector<FeatureId>& ids) {
    double total = 0.0;
    for (const FeatureId id : ids) total += w[id];
    return total;
  };
  const std::size_t n = words(s);
  std::vector<double> label_scores((n + 1) * shape_.labels);
  for (std::size_t m = 1; m <= n; ++m) {
    for (std::size_t y = 0; y < shape_.labels; ++y)
      label_scores[m * shape_.labels + y] = sum(label_features(s, m, static_cast<LabelId>(y)));
  }
  const Heads& gold = trees(s)[gold_tree(s)];
  const float* costs = data_.costs.data() + data_.begin[s];
  const Labels right = gold_labels(s);
  for (std::size_t tree = 0; tree < trees(s).size(); ++tree) {
    const double tree_score = sum(tree_features(s, tree));
    LabelledTree output{.tree = tree, .labels = Labels(right.size()), .score = 0.0, .loss = 0.0};
    for (std::size_t m = 0; m <= n;) {
      output.score = tree_score;
      output.loss = 0.0;
      for (m = 1; m <= n; ++m) {
        const bool wrong_label = !right.empty() && output.labels[m] != right[m];
        if (!right.empty()) output.score += label_scores[m * shape_.labels + output.labels[m]];
        if (trees(s)[tree][m] != gold[m] || (wrong_label && shape_.options.label_cost))
          output.loss += costs[m];
      }
      body(output);
      m = right.empty() ? n + 1 : 1;
      while (m <= n && ++output.labels[m] == shape_.labels) output.labels[m++] = 0;
    }
  }
}

double TreeWorld::gold_score(std::size_t s, const Weights& w) const {
  return dot(w, features(s, gold_tree(s), gold_labels(s)));
}

EnumeratedTask TreeWorld::enumerated() const {
  std::vector<std::vector<Candidate>> lists;
  const Weights zero(task_->dimension());
  for (std::size_t s = 0; s < sentences_.size(); ++s) {
    std::vector<Candidate> list(1);
    const Labels right = gold_labels(s);
    each_output(s, zero, [&](const LabelledTree& output) {
      Candidate candidate{.features = features(s, output.tree, output.labels), .loss = output.loss};
      if (output.tree == gold_tree(s) && output.labels == right) {
        list[0] = std::move(candidate);
      } else {
        list.push_back(std::move(candidate));
      }
    });
    lists.push_back(std::move(list));
  }
  return {std::move(lists), task_->dimension()};
}

bool same_features(SparseVector a, const SparseVector& merged) {
  a.merge();
  return std::ranges::equal(a.entries(), merged.entries());
}

}  // namespace hinge::test
