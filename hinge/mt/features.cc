#include "hinge/mt/features.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/options.h"

namespace hinge::mt {
namespace {

// With the weights to start with; logarithms of probabilities are negative, so a
// positive weight prefers what is probable.
struct DenseRow {
  std::string_view name;
  float first_weight;
};
constexpr std::array<DenseRow, kDenseFeatures> kDense = {{{"LanguageModel", 0.2f},
                                                          {"UnknownWords", -1.0f},
                                                          {"TargetGivenSource", 0.1f},
                                                          {"SourceGivenTarget", 0.1f},
                                                          {"LexTargetGivenSource", 0.1f},
                                                          {"LexSourceGivenTarget", 0.1f},
                                                          {"PairCount", 0.0f},
                                                          {"PairOnce", 0.0f},
                                                          {"SourceOnce", 0.0f},
                                                          {"WordCount", 0.3f},
                                                          {"RuleCount", -0.05f},
                                                          {"Glue", -0.05f},
                                                          {"PassThrough", -0.5f}}};

constexpr std::array<std::string_view, kSparseKinds> kKinds = {"pair", "insert", "delete", "bigram", "shape"};

// Names are words in files of weights and n-best lists, where these bytes have a
// meaning.
constexpr std::string_view kEscaped = "%~=|";

std::string escape(std::string_view word) {
  std::string text;
  for (const char c : word) {
    if (kEscaped.find(c) == std::string_view::npos) {
      text += c;
    } else {
      text += fmt::format("%{:02X}", c);
    }
  }
  return text;
}

std::string unescape(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto same = [&](char c) { return text.substr(i, 3) == fmt::format("%{:02X}", c); };
    const auto found = std::ranges::find_if(kEscaped, same);
    word.push_back(found == kEscaped.end() ? text[i] : *found);
    if (found != kEscaped.end()) i += 2;
  }
  return word;
}

bool has_two_words(SparseKind kind) { return kind != SparseKind::kDelete; }

}  // namespace

std::string_view dense_name(std::size_t feature) { return kDense[feature].name; }

SparseSet::SparseSet(std::string_view kinds) {
  for (const std::string& name : split_list(kinds)) {
    const auto found = std::ranges::find(kKinds, name);
    if (name == "all") {
      bits_ = (1u << kSparseKinds) - 1;
    } else if (found != kKinds.end()) {
      bits_ |= 1u << static_cast<unsigned>(found - kKinds.begin());
    } else {
      fail<OptionError>("sparse has '{}' but expected a list of pair, insert, delete, bigram, shape, or all",
                        name);
    }
  }
}

Key sparse_key(SparseKind kind, Key first, Key second) {
  return combine(combine(static_cast<Key>(kind) + 1, first), second);
}

std::string sparse_name(SparseKind kind, std::string_view first, std::string_view second) {
  std::string name(kKinds[static_cast<std::size_t>(kind)]);
  name += ':';
  name += escape(first);
  if (!has_two_words(kind)) return name;
  name += '~';
  name += escape(second);
  return name;
}

FeatureWeights::FeatureWeights(std::span<const NamedWeight> weights, std::string_view name) {
  for (const NamedWeight& weight : weights) {
    const auto dense = std::ranges::find(kDense, weight.name, &DenseRow::name);
    if (dense != kDense.end()) {
      dense_[static_cast<std::size_t>(dense - kDense.begin())] = weight.value;
    } else if (!add_sparse(weight.name, weight.value)) {
      std::vector<std::string_view> names;
      for (const DenseRow& row : kDense) names.push_back(row.name);
      const std::string_view near = nearest_name(weight.name, names);
      fail<InputError>("{}: has a weight for '{}', which is not a feature of translations{}; remove the line",
                       name, weight.name, near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
    }
  }
}

bool FeatureWeights::add_sparse(std::string_view name, float value) {
  const std::size_t colon = name.find(':');
  const auto kind_name = std::ranges::find(kKinds, name.substr(0, colon));
  if (colon == std::string_view::npos || kind_name == kKinds.end()) return false;
  const auto kind = static_cast<SparseKind>(kind_name - kKinds.begin());
  const std::string_view rest = name.substr(colon + 1);
  const std::size_t between = rest.find('~');
  if ((between != std::string_view::npos) != has_two_words(kind)) return false;
  const Key first = hash_text(unescape(rest.substr(0, between)));
  const Key second = has_two_words(kind) ? hash_text(unescape(rest.substr(between + 1))) : kAbsent;
  const std::uint32_t number = index_.add(sparse_key(kind, first, second));
  if (number == values_.size()) values_.push_back(0.0f);
  values_[number] = value;
  has_[static_cast<std::size_t>(kind)] |= value != 0.0f;
  return true;
}

std::vector<NamedWeight> first_weights() {
  std::vector<NamedWeight> weights;
  for (const DenseRow& row : kDense) weights.push_back({std::string(row.name), row.first_weight});
  return weights;
}

Shape shape_of(std::span<const Symbol> side) {
  Shape shape;
  for (const Symbol symbol : side) {
    const char letter = symbol == kFirstGap ? 'X' : symbol == kSecondGap ? 'Y' : 'a';
    const bool continues = shape.size > 0 && letter == 'a' && shape.letters[shape.size - 1] == 'a';
    if (!continues) shape.letters[shape.size++] = letter;
  }
  return shape;
}

}  // namespace hinge::mt
