#include "hinge/features/factor_keys.h"

#include "hinge/features/text.h"

namespace hinge {
namespace {

constexpr std::string_view kAbsentCell = "_";

// One attribute of "Case=Nom|Number=Sing".
std::string_view feature_of(std::string_view feats, std::string_view name) {
  while (!feats.empty()) {
    const std::size_t end = std::min(feats.find('|'), feats.size());
    const std::string_view pair = feats.substr(0, end);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    feats.remove_prefix(std::min(end + 1, feats.size()));
  }
  return kAbsentCell;
}

const Key kRoot = hash_text("\x01root");
const Key kStart = hash_text("\x01start");
const Key kEnd = hash_text("\x01end");
const Key kNoWord = hash_text("\x01none");

}  // namespace

std::string_view FieldHasher::text_of(const Field& field, const WordCells& word) {
  switch (field.kind) {
    case FieldKind::kForm:
      return word.form;
    case FieldKind::kLemma:
      return word.lemma != "_" ? word.lemma : word.form;
    case FieldKind::kUpos:
      return word.upos != "_" ? word.upos : word.xpos;
    case FieldKind::kXpos:
      return word.xpos != "_" ? word.xpos : word.upos;
    case FieldKind::kFeats:
      return word.feats;
    case FieldKind::kPrefix:
      return text_prefix(word.form, field.n);
    case FieldKind::kSuffix:
      return text_suffix(word.form, field.n);
    case FieldKind::kFeature:
      return feature_of(word.feats, field.name);
    case FieldKind::kLower:
      text_lower(word.form, buffer_);
      return buffer_;
    case FieldKind::kShape:
      text_shape(word.form, buffer_);
      return buffer_;
  }
  return {};
}

void FieldHasher::add_root(std::vector<Key>& keys) const { keys.insert(keys.end(), fields_.size(), kRoot); }

WordCells FieldHasher::visible(const WordCells& word) const {
  const auto seen = [](bool visible, std::string_view cell) { return visible ? cell : kAbsentCell; };
  return {.form = word.form,
          .lemma = seen(cells_.lemma, word.lemma),
          .upos = seen(cells_.upos, word.upos),
          .xpos = seen(cells_.xpos, word.xpos),
          .feats = seen(cells_.feats, word.feats)};
}

void FieldHasher::add_word(const WordCells& word, std::vector<Key>& keys) {
  const WordCells cells = visible(word);
  for (const Field& field : fields_) keys.push_back(hash_text(text_of(field, cells)));
}

Key template_seed(const FactorTemplate& t) { return hash_text(t.source); }

RoleKeys::RoleKeys(std::span<const FactorTemplate* const> templates, Role role) : width_(templates.size()) {
  for (std::size_t column = 0; column < templates.size(); ++column) {
    if (!templates[column]->has(role)) continue;
    Share share{.column = column,
                .seed = combine(template_seed(*templates[column]), static_cast<Key>(role) + 1),
                .atoms = {}};
    for (const FactorAtom& atom : templates[column]->atoms) {
      if (atom.role == role) share.atoms.push_back(atom);
    }
    shares_.push_back(std::move(share));
  }
}

void RoleKeys::fill(const SentenceFields& sentence, std::vector<Key>& keys) const {
  const auto words = static_cast<std::ptrdiff_t>(sentence.words());
  keys.assign((sentence.words() + 2) * width_, 0);
  for (std::ptrdiff_t i = 0; i <= words; ++i) {
    Key* row = keys.data() + static_cast<std::size_t>(i) * width_;
    for (const Share& share : shares_) {
      Key key = share.seed;
      for (const FactorAtom& atom : share.atoms) {
        const std::ptrdiff_t at = i + atom.offset;
        const Key value = at < 0 ? kStart
                          : at > words
                              ? kEnd
                              : sentence.keys[static_cast<std::size_t>(at) * sentence.fields + atom.field];
        key = combine(key, value);
      }
      row[share.column] = key;
    }
  }
  Key* none = keys.data() + (sentence.words() + 1) * width_;
  for (const Share& share : shares_) none[share.column] = combine(share.seed, kNoWord);
}

}  // namespace hinge
