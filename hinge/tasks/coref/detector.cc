#include "hinge/tasks/coref/detector.h"

#include <algorithm>
#include <array>

#include "hinge/core/interrupt.h"

namespace hinge::coref {
namespace {

constexpr int kBits = 18;
constexpr int kEpochs = 5;
constexpr double kStep = 0.05;  // the largest

using enum Field;

// Properties and pairs of them.
constexpr std::array<Field, 20> kSingle = {
    kForm,     kString, kHead,    kStem,     kFirst,    kLast,      kBefore, kAfter,  kLength,    kTag,
    kRelation, kParent, kArticle, kSeenHead, kSeenText, kLaterHead, kDepth,  kEntity, kParentTag, kFollowed};
constexpr std::array<std::pair<Field, Field>, 25> kPairs = {
    {{kForm, kRelation},      {kForm, kParent},      {kForm, kAfter},        {kForm, kBefore},
     {kTag, kRelation},       {kTag, kLength},       {kTag, kAfter},         {kTag, kBefore},
     {kArticle, kHead},       {kArticle, kSeenHead}, {kArticle, kLaterHead}, {kSeenText, kLaterHead},
     {kSeenHead, kLaterHead}, {kKind, kSeenHead},    {kKind, kSeenText},     {kKind, kLaterHead},
     {kLength, kRelation},    {kLength, kArticle},   {kHead, kRelation},     {kKind, kDepth},
     {kRelation, kParentTag}, {kKind, kFollowed},    {kFollowed, kRelation}, {kFollowed, kHead},
     {kFirst, kLast}}};

constexpr std::size_t kFeatures = 1 + kSingle.size() + kPairs.size();
using Ids = std::array<std::uint32_t, kFeatures>;

Key of(const FieldKeys& fields, Field field) { return fields[static_cast<std::size_t>(field)]; }

Ids ids_of(const FieldKeys& fields) {
  Ids ids{};
  std::size_t n = 0;
  const auto put = [&](Key key) { ids[n++] = static_cast<std::uint32_t>(key >> (64 - kBits)); };
  put(combine(1, 1));
  for (const Field field : kSingle) put(combine(static_cast<Key>(field) + 2, of(fields, field)));
  for (const auto& [x, y] : kPairs)
    put(combine(combine(100 + 40 * static_cast<Key>(x) + static_cast<Key>(y), of(fields, x)), of(fields, y)));
  return ids;
}

float sum_of(const std::vector<float>& weights, const Ids& ids) {
  float sum = 0.0f;
  for (const std::uint32_t id : ids) sum += weights[id];
  return sum;
}

}  // namespace

std::size_t Detector::dimension() { return std::size_t{1} << kBits; }

Detector::Detector() : weights_(dimension()) {}

float Detector::score(const FieldKeys& fields) const { return sum_of(weights_, ids_of(fields)); }

Detector Detector::learn(const DetectorExamples& examples, std::span<const std::size_t> documents,
                         double miss) {
  Detector result;
  std::vector<float>& w = result.weights_;
  std::vector<double> late(dimension());  // sum of step number * change, for the average
  double steps = 1.0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const std::size_t document : documents) {
      check_interrupt();
      for (std::size_t k = examples.begin[document]; k < examples.begin[document + 1]; ++k, steps += 1.0) {
        const bool mention = examples.mention[k] != 0;
        const double sign = mention ? 1.0 : -1.0;
        const Ids ids = ids_of(examples.fields[k]);
        const double lacking = (mention ? miss : 1.0) - sign * static_cast<double>(sum_of(w, ids));
        if (lacking <= 0.0) continue;
        const double step =
            sign * std::min(mention ? miss * kStep : kStep, lacking / static_cast<double>(kFeatures));
        for (const std::uint32_t id : ids) {
          w[id] += static_cast<float>(step);
          late[id] += steps * step;
        }
      }
    }
  }
  for (std::size_t id = 0; id < w.size(); ++id) w[id] -= static_cast<float>(late[id] / steps);
  return result;
}

}  // namespace hinge::coref
