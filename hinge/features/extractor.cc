#include "hinge/features/extractor.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/core/missing.h"
#include "hinge/core/state_bytes.h"
#include "hinge/features/text.h"

namespace hinge {
namespace {

bool uses_pattern(ViewKind kind) {
  return kind == ViewKind::kTest || kind == ViewKind::kIf || kind == ViewKind::kMatch;
}

// Questions are absent beyond the ends of the sentence. There, the other views have
// a boundary name as their value.
bool is_question(ViewKind kind) {
  return kind == ViewKind::kIf || kind == ViewKind::kMatch || kind == ViewKind::kGazetteer ||
         kind == ViewKind::kCluster || kind == ViewKind::kAnyCluster || kind == ViewKind::kLexicon;
}

bool is_derived(ViewKind kind) { return kind != ViewKind::kCell && kind != ViewKind::kGazetteer; }

std::vector<Key> seeds_of(const std::vector<Template>& templates) {
  std::vector<Key> seeds;
  for (const Template& t : templates) seeds.push_back(template_key(t));
  return seeds;
}

std::string boundary_name(std::ptrdiff_t distance) { return fmt::format("_B{:+}", distance); }

std::optional<std::string_view> fitting(std::string_view piece, std::size_t n) {
  return text_length(piece) == n ? std::optional(piece) : std::nullopt;
}

std::optional<std::string_view> non_empty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

FeatureModel::~FeatureModel() = default;
FeatureModel::FeatureModel(FeatureModel&&) noexcept = default;

FeatureModel::FeatureModel(TemplateSet templates) : templates_(std::move(templates)) {
  for (const View& view : templates_.views) {
    patterns_.push_back(uses_pattern(view.kind) ? std::make_unique<RE2>(view.text, RE2::Quiet) : nullptr);
    slot_.push_back(0);
    if (view.kind != ViewKind::kLexicon) continue;
    const auto columns = std::pair(view.column, view.other);
    const auto known = std::find(tag_columns_.begin(), tag_columns_.end(), columns);
    slot_.back() = static_cast<std::size_t>(known - tag_columns_.begin());
    if (known == tag_columns_.end()) {
      tag_columns_.push_back(columns);
      tag_lexicons_.emplace_back();
    }
  }
}

void FeatureModel::read_lexicons(const std::string& clusters_path) {
  for (std::size_t v = 0; v < templates_.views.size(); ++v) {
    const View& view = templates_.views[v];
    if (view.kind == ViewKind::kGazetteer) {
      slot_[v] = gazetteers_.size();
      try {
        gazetteers_.push_back(Gazetteer::read(view.text));
      } catch (const MissingInput& error) {
        fail<MissingInput>("{}: {}", place_of_view(templates_, v), error.what());
      } catch (const InputError& error) {
        fail<InputError>("{}: {}", place_of_view(templates_, v), error.what());
      }
    } else if ((view.kind == ViewKind::kCluster || view.kind == ViewKind::kAnyCluster) && clusters_.empty()) {
      if (clusters_path.empty()) {
        fail<OptionError>("{} uses clusters, but none are given; add -p clusters=FILE (a Brown 'paths' file)",
                          place_of_view(templates_, v));
      }
      clusters_ = BrownClusters::read(clusters_path);
    }
  }
}

void FeatureModel::count(const Cells& cells) {
  for (std::size_t l = 0; l < tag_lexicons_.size(); ++l) {
    const auto [word, tag] = tag_columns_[l];
    for (std::size_t t = 0; t < cells.tokens(); ++t)
      tag_lexicons_[l].count(cells.at(t, word), cells.at(t, tag));
  }
}

void FeatureModel::add_counts_of_ranks() {
  for (TagLexicon& lexicon : tag_lexicons_) add_ranks(lexicon);
}

void FeatureModel::finish_counting() {
  for (TagLexicon& lexicon : tag_lexicons_) lexicon.finish();
}

void FeatureModel::write(ByteWriter& out) const {
  out.put(std::string_view(templates_.source));
  clusters_.write(out);
  out.put<std::uint64_t>(gazetteers_.size());
  for (const Gazetteer& gazetteer : gazetteers_) gazetteer.write(out);
  for (const TagLexicon& lexicon : tag_lexicons_) lexicon.write(out);
}

FeatureModel FeatureModel::load(ByteReader& in) {
  FeatureModel model(parse_templates(in.get_text(), "the templates of the model"));
  model.clusters_ = BrownClusters::load(in);
  const auto gazetteers = in.get<std::uint64_t>();
  for (std::uint64_t g = 0; g < gazetteers; ++g) model.gazetteers_.push_back(Gazetteer::load(in));
  std::size_t next = 0;
  for (std::size_t v = 0; v < model.templates_.views.size(); ++v) {
    if (model.templates_.views[v].kind == ViewKind::kGazetteer) model.slot_[v] = next++;
  }
  if (next != gazetteers) fail<ModelError>("the gazetteers of the model are damaged; train again");
  for (TagLexicon& lexicon : model.tag_lexicons_) lexicon = TagLexicon::load(in);
  return model;
}

std::optional<std::string_view> FeatureModel::match(std::size_t view, std::string_view cell) const {
  const re2::StringPiece text(cell.data(), cell.size());
  re2::StringPiece found;
  const bool matched = patterns_[view]->Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1);
  switch (templates_.views[view].kind) {
    case ViewKind::kTest:
      return matched ? "true" : "false";
    case ViewKind::kIf:
      return matched ? std::optional<std::string_view>("true") : std::nullopt;
    default:
      return matched ? std::optional(std::string_view(found.data(), found.size())) : std::nullopt;
  }
}

std::optional<std::string_view> FeatureModel::text_of(std::size_t index, std::string_view cell, Key cell_key,
                                                      std::string& buffer) const {
  const View& view = templates_.views[index];
  switch (view.kind) {
    case ViewKind::kLower:
      text_lower(cell, buffer);
      return buffer;
    case ViewKind::kPrefix:
      return fitting(text_prefix(cell, view.n), view.n);
    case ViewKind::kSuffix:
      return fitting(text_suffix(cell, view.n), view.n);
    case ViewKind::kShape:
      text_shape(cell, buffer);
      return buffer;
    case ViewKind::kDigits:
      text_digits(cell, buffer);
      return buffer;
    case ViewKind::kTest:
    case ViewKind::kIf:
    case ViewKind::kMatch:
      return match(index, cell);
    case ViewKind::kCluster:
      return non_empty(clusters_.path_of(cell_key).substr(0, view.n));
    case ViewKind::kAnyCluster:
      return non_empty(clusters_.path_of_any_case(cell, cell_key, buffer).substr(0, view.n));
    case ViewKind::kLexicon:
      return non_empty(tag_lexicons_[slot_[index]].tag(cell_key, view.n - 1));
    case ViewKind::kCell:
    case ViewKind::kGazetteer:
      break;
  }
  return cell;
}

// As in CRF++, templates with the same literal text give the same feature if their
// values agree: the key starts from the literal text alone.
Key template_key(const Template& t) {
  Key key = kAbsent;
  for (const std::string& literal : t.literals) key = combine(key, hash_text(literal));
  return key;
}

Extractor::Extractor(const FeatureModel& model)
    : model_(model),
      reach_(model.templates().reach()),
      history_(model.templates().earlier.size()),
      node_seeds_(seeds_of(model.templates().nodes)),
      edge_seeds_(seeds_of(model.templates().edges)) {
  const auto& views = model.templates().views;
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (views[v].column >= memories_.size()) memories_.resize(views[v].column + 1);
    if (is_derived(views[v].kind)) memories_[views[v].column].views.push_back(v);
  }
  for (std::size_t k = 1; k <= reach_; ++k) {
    before_.push_back(hash_text(boundary_name(-static_cast<std::ptrdiff_t>(k))));
    after_.push_back(hash_text(boundary_name(static_cast<std::ptrdiff_t>(k))));
  }
}

void Extractor::extract(const Cells& cells, FeatureKeys& out) {
  begin_sentence(cells);
  const TemplateSet& templates = model_.templates();
  const bool earlier = !templates.earlier.empty() && tokens_ > 0;
  if (earlier) look_up_earlier();
  combine_templates(templates.nodes, node_seeds_, cells, out.nodes, out.node_values);
  combine_templates(templates.edges, edge_seeds_, cells, out.edges, out.edge_values);
  if (earlier) remember();
}

void Extractor::observe(const Cells& cells) {
  begin_sentence(cells);
  if (tokens_ > 0) remember();
}

// A document begins at a line -DOCSTART-, as in the CoNLL-2003 data.
void Extractor::begin_sentence(const Cells& cells) {
  sentence_ = cells;
  tokens_ = cells.tokens();
  width_ = tokens_ + 2 * reach_;
  hash_cells(cells);
  fill_views(cells);
  if (model_.templates().earlier.empty() || tokens_ == 0) return;
  if (cells.at(0, 0) == "-DOCSTART-") history_.begin_document();
  history_.begin_sentence();
}

void Extractor::look_up_earlier() {
  const TemplateSet& templates = model_.templates();
  const Key* words = values_.data() + templates.same_word * width_ + reach_;
  occurrences_.resize(tokens_);
  earlier_values_.resize(templates.earlier.size() * tokens_);
  for (std::size_t t = 0; t < tokens_; ++t) {
    const std::size_t occurrence = history_.find(words[t]);
    occurrences_[t] = occurrence;
    for (std::size_t k = 0; k < templates.earlier.size(); ++k)
      earlier_values_[k * tokens_ + t] = occurrence == History::kNone ? kAbsent : history_.key(occurrence, k);
  }
}

void Extractor::remember() {
  const TemplateSet& templates = model_.templates();
  const Key* words = values_.data() + templates.same_word * width_ + reach_;
  for (std::size_t t = 0; t < tokens_; ++t) {
    remembered_.clear();
    for (const EarlierView& earlier : templates.earlier) {
      const TemplateItem item{earlier.view, earlier.row};
      const int beyond = beyond_by(static_cast<std::ptrdiff_t>(t) + earlier.row);
      const std::string_view cell =
          beyond != 0 ? std::string_view()
                      : sentence_.at(position(item, t) - reach_, templates.views[earlier.view].column);
      remembered_.push_back({value_key(item, t), cell, beyond});
    }
    history_.add(words[t], remembered_);
  }
}

void Extractor::hash_cells(const Cells& cells) {
  cell_keys_.resize(memories_.size() * tokens_);
  for (std::size_t c = 0; c < memories_.size(); ++c) {
    for (std::size_t t = 0; t < tokens_; ++t) cell_keys_[c * tokens_ + t] = hash_text(cells.at(t, c));
  }
}

void Extractor::fill_views(const Cells& cells) {
  const auto& views = model_.templates().views;
  values_.resize(views.size() * width_);
  for (std::size_t v = 0; v < views.size(); ++v) {
    Key* row = values_.data() + v * width_;
    for (std::size_t k = 0; k < reach_; ++k) {
      row[reach_ - 1 - k] = is_question(views[v].kind) ? kAbsent : before_[k];
      row[reach_ + tokens_ + k] = is_question(views[v].kind) ? kAbsent : after_[k];
    }
    if (views[v].kind == ViewKind::kCell) {
      std::copy_n(cell_keys_.data() + views[v].column * tokens_, tokens_, row + reach_);
    } else if (views[v].kind == ViewKind::kGazetteer) {
      fill_gazetteer(v, row + reach_);
    }
  }
  for (std::size_t c = 0; c < memories_.size(); ++c) {
    const Memory& memory = memories_[c];
    for (std::size_t t = 0; t < tokens_ && !memory.views.empty(); ++t) {
      const Key* values = derived(c, cells.at(t, c), cell_keys_[c * tokens_ + t]);
      for (std::size_t k = 0; k < memory.views.size(); ++k)
        values_[memory.views[k] * width_ + reach_ + t] = values[k];
    }
  }
}

void Extractor::fill_gazetteer(std::size_t view, Key* out) const {
  const Gazetteer& gazetteer = model_.gazetteer(view);
  const std::size_t column = model_.templates().views[view].column;
  const std::span<const Key> words(cell_keys_.data() + column * tokens_, tokens_);
  for (std::size_t t = 0; t < tokens_;) {
    const GazetteerMatch match = gazetteer.longest_match(words.subspan(t));
    out[t] = match.length > 0 ? gazetteer.begin_key(match.type) : kAbsent;
    for (std::size_t k = 1; k < match.length; ++k) out[t + k] = gazetteer.inside_key(match.type);
    t += std::max<std::size_t>(match.length, 1);
  }
}

const Key* Extractor::derived(std::size_t column, std::string_view cell, Key key) {
  constexpr std::size_t kMostRemembered = 1 << 18;
  Memory& memory = memories_[column];
  if (memory.rows.size() >= kMostRemembered) {
    memory.rows.clear();
    memory.values.clear();
  }
  const auto [row, is_new] = memory.rows.add(key, static_cast<std::uint32_t>(memory.rows.size()));
  if (is_new) {
    for (const std::size_t view : memory.views) {
      const auto text = model_.text_of(view, cell, key, buffer_);
      memory.values.push_back(text ? hash_text(*text) : kAbsent);
    }
  }
  return memory.values.data() + row * memory.views.size();
}

void Extractor::combine_templates(const std::vector<Template>& templates, const std::vector<Key>& seeds,
                                  const Cells& cells, std::vector<Key>& keys,
                                  std::vector<float>& values) const {
  const std::size_t n = templates.size();
  keys.resize(tokens_ * n);
  values.assign(model_.templates().has_values() ? tokens_ * n : 0, 1.0f);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t t = 0; t < tokens_; ++t) {
      Key key = seeds[k];
      for (const TemplateItem& item : templates[k].items) {
        const Key value = value_key(item, t);
        key = value == kAbsent ? kAbsent : combine(key, value);
        if (key == kAbsent) break;
      }
      keys[t * n + k] = key;
    }
    if (!templates[k].has_value) continue;
    for (std::size_t t = 0; t < tokens_; ++t) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(t) + templates[k].value_row;
      if (at < 0 || at >= static_cast<std::ptrdiff_t>(tokens_)) {
        keys[t * n + k] = kAbsent;
        continue;
      }
      const std::string_view cell = cells.at(static_cast<std::size_t>(at), templates[k].value_column);
      double number = 0.0;
      const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
      values[t * n + k] = static_cast<float>(number);
      if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(values[t * n + k])) {
        throw NotANumber{static_cast<std::size_t>(at), std::string(cell)};
      }
      if (values[t * n + k] == 0.0f) keys[t * n + k] = kAbsent;
    }
  }
}

// How far a place lies before the sentence (negative) or after it; 0 within.
int Extractor::beyond_by(std::ptrdiff_t at) const {
  if (at < 0) return static_cast<int>(at);
  return static_cast<int>(std::max<std::ptrdiff_t>(0, at - static_cast<std::ptrdiff_t>(tokens_) + 1));
}

std::string Extractor::value_text(const TemplateItem& item, std::size_t token) const {
  if (item.earlier) {
    const History::Value value = history_.value(occurrences_[token], item.view);
    if (value.beyond != 0) return boundary_name(value.beyond);
    return inside_text(model_.templates().view_of(item), value.cell, value.key);
  }
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(token) + item.row;
  if (const int beyond = beyond_by(at); beyond != 0) return boundary_name(beyond);
  const View& view = model_.templates().views[item.view];
  return inside_text(item.view, sentence_.at(static_cast<std::size_t>(at), view.column), value_key(item, token));
}

// The text of a value within a sentence, made from a cell.
std::string Extractor::inside_text(std::size_t view, std::string_view cell, Key value) const {
  if (model_.templates().views[view].kind == ViewKind::kGazetteer)
    return model_.gazetteer(view).text(value);
  std::string buffer;
  const auto text = model_.text_of(view, cell, hash_text(cell), buffer);
  return text ? std::string(*text) : std::string();
}

std::string Extractor::feature_text(const Template& t, std::size_t token) const {
  std::string text = t.literals[0];
  for (std::size_t k = 0; k < t.items.size(); ++k) text += value_text(t.items[k], token) + t.literals[k + 1];
  return text;
}

}  // namespace hinge
