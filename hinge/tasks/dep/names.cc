#include "hinge/tasks/dep/names.h"

#include <fmt/core.h>

#include "hinge/core/interrupt.h"
#include "hinge/tasks/dep/labels.h"
#include "hinge/tasks/dep/second.h"

namespace hinge::dep {
namespace {

constexpr std::string_view kPartNames = "parts.names", kLabelNames = "labels.names";

std::uint32_t& in(FactorWords& words, Role role) { return words[static_cast<std::size_t>(role)]; }

// Names what the features of a sentence after the other are.
class RowNamer {
 public:
  RowNamer(const ParserPlan& plan, const FieldTexts& texts, TreeNames& names)
      : plan_(plan),
        texts_(texts),
        names_(names),
        arcs_(plan.arcs, plan.layout),
        second_(plan.second, plan.layout),
        labels_(plan.labels, plan.layout) {}

  void add_arcs(const SentenceFields& sentence, std::span<const HeadId> gold) {
    FactorTexts texts(plan_.templates, sentence, texts_);
    arcs_.prepare(sentence);
    for (std::size_t m = 1; m < gold.size(); ++m) add_arc(gold[m], m, texts);
    for (std::size_t h = 0; h < gold.size(); ++h) {
      for (std::size_t m = 1; m < gold.size(); ++m) {
        if (h != m) add_arc(h, m, texts);
      }
    }
  }

  void add_triples(const SentenceFields& sentence, std::span<const SecondOrderScores::Arc> arcs) {
    FactorTexts texts(plan_.templates, sentence, texts_);
    second_.prepare(sentence, arcs, plan_.options.single_root);
    second_.each_triple([&](FactorKind kind, const Triple& part) {
      FactorWords at{};
      for (std::size_t k = 0; k < 3; ++k) in(at, roles_of(kind)[k]) = part.word[k];
      auto t = plan_.templates.of(kind).begin();
      second_.each_key(kind, part, [&](Key key) {
        meet_part(key, [&] { return texts.text(kind, *t, at); });
        ++t;
      });
    });
  }

  void add_labels(const SentenceFields& sentence, std::span<const HeadId> gold) {
    FactorTexts texts(plan_.templates, sentence, texts_);
    labels_.each_key(sentence, gold, [&](std::size_t m, std::size_t t, Key key) {
      names_.labels.meet(static_cast<std::uint32_t>(plan_.layout.label_row(key)), key, [&] {
        FactorWords at{};
        for (std::size_t role = 0; role < kRoles; ++role) at[role] = labels_.word(static_cast<Role>(role), m);
        return texts.text(FactorKind::kLabel, *plan_.labels.templates()[t], at);
      });
    });
  }

 private:
  template <typename Name>
  void meet_part(Key key, const Name& name) {
    const FeatureId base = plan_.layout.base(key);
    if (base != TreeLayout::kNone) names_.parts.meet(base / kSlots, key, name);
  }

  void add_arc(std::size_t head, std::size_t modifier, FactorTexts& texts) {
    arcs_.each_named_key(head, modifier, [&](Key key, const FactorTemplate& t, std::size_t between) {
      meet_part(key, [&] {
        FactorWords at{};
        in(at, Role::kHead) = static_cast<std::uint32_t>(head);
        in(at, Role::kModifier) = static_cast<std::uint32_t>(modifier);
        in(at, Role::kBetween) = static_cast<std::uint32_t>(between);
        return texts.text(FactorKind::kArc, t, at);
      });
    });
  }

  const ParserPlan& plan_;
  const FieldTexts& texts_;
  TreeNames& names_;
  ArcScorer arcs_;
  SecondScorer second_;
  LabelFeatures labels_;
};

}  // namespace

TreeNames name_rows(const TreeData& data, const CandidateArcs& candidates, const FieldTexts& texts,
                    const ParserPlan& plan, const TreeNames& known) {
  TreeNames names;
  const TreeLayout& layout = plan.layout;
  names.parts.keep(known.parts, [&](Key key) { return layout.base(key) / kSlots; });
  names.labels.keep(known.labels, [&](Key key) { return static_cast<std::uint32_t>(layout.label_row(key)); });
  RowNamer namer(plan, texts, names);
  for (std::size_t i = 0; i < data.sentences(); ++i) {
    check_interrupt();
    namer.add_arcs(data.sentence(i), data.heads_of(i));
    if (plan.options.order == 2) namer.add_triples(data.sentence(i), candidates.of(i));
    if (layout.labels() > 0) namer.add_labels(data.sentence(i), data.heads_of(i));
  }
  return names;
}

void write_names(const TreeNames& names, std::span<const std::uint32_t> parts,
                 std::span<const std::uint32_t> labels, ModelWriter& out) {
  names.parts.write(kPartNames, parts, out);
  names.labels.write(kLabelNames, labels, out);
}

TreeNames read_names(const ModelFile& file) {
  return {.parts = RowNames::read(file, kPartNames), .labels = RowNames::read(file, kLabelNames)};
}

// Slots of hashed rows are permuted by the key (layout.h); grandparents have more of them for sides
// and fewer for distances (second.cc).
std::string slot_text(const ParserPlan& plan, const TreeNames& names, std::uint32_t row, std::uint32_t slot) {
  const std::size_t bins = plan.templates.distances.size();
  if (plan.layout.hashed()) slot ^= plan.layout.base(names.parts.key(row)) % kSlots;
  const bool left = slot % 2 != 0;
  if (!names.parts.text(row).starts_with(name_of(FactorKind::kGrand))) {
    if (slot < 2) return side_text(left);
    const std::uint32_t bin = (slot - 2) / 2;
    return bin < bins ? distance_text(plan.templates, bin, left) : fmt::format("slot {}", slot);
  }
  if (slot < 4) return fmt::format("{} of {}", side_text(left), side_text(slot >= 2));
  const std::uint32_t bin = (slot - 4) / 2;
  if (bin >= bins) return fmt::format("slot {}", slot);
  return bin < 5 ? distance_text(plan.templates, bin, left)
                 : fmt::format("{}:{}+", side_text(left), plan.templates.distances[bin]);
}

}  // namespace hinge::dep
