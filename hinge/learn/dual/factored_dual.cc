#include "hinge/learn/dual/factored_dual.h"

#include <cmath>
#include <limits>

namespace hinge {
namespace {

// Of one example with L2-loss, where a violation of v has a mass of 2 C v.
constexpr std::int64_t kMostMass = FactoredDual::kWhole << 16;
constexpr double kRounding = 1e-7;

auto find_part(std::vector<PartMass>& masses, Part part) {
  return std::ranges::lower_bound(masses, part, {}, &PartMass::part);
}

}  // namespace

FactoredDual::FactoredDual(const Task& task, Workers& workers, const FactoredSettings& settings)
    : task_(task),
      parts_(*find_extension<FactoredTask>(task)),
      workers_(workers),
      settings_(settings),
      unit_(settings.C / static_cast<double>(kWhole)),
      scratch_(task.make_scratch()),
      w_(task.dimension(), settings.average ? Averaging::kUniform : Averaging::kNone),
      shifts_(task.size()),
      total_(task.size(), settings.loss == Loss::kL1 ? kWhole : 0) {}

// Fills gold_, masses_ and support_.
void FactoredDual::open(std::size_t i) {
  parts_.gold_parts(i, *scratch_, gold_);
  masses_.clear();
  support_.clear();
  const Masses& shifts = shifts_[i];
  std::size_t g = 0, s = 0;
  while (g < gold_.size() || s < shifts.size()) {
    const bool is_gold = s == shifts.size() || (g < gold_.size() && gold_[g] <= shifts[s].part);
    PartMass mass{is_gold ? gold_[g] : shifts[s].part, is_gold ? total_[i] : 0};
    if (is_gold) ++g;
    if (s < shifts.size() && shifts[s].part == mass.part) mass.mass += shifts[s++].mass;
    if (mass.mass != 0) masses_.push_back(mass);
    if (mass.mass > 0) support_.push_back(mass.part);
  }
}

// The reverse: sets the shifts.
void FactoredDual::close(std::size_t i) {
  Masses& shifts = shifts_[i];
  shifts.clear();
  std::size_t g = 0, m = 0;
  while (g < gold_.size() || m < masses_.size()) {
    const bool is_gold = m == masses_.size() || (g < gold_.size() && gold_[g] <= masses_[m].part);
    PartMass shift{is_gold ? gold_[g] : masses_[m].part, is_gold ? -total_[i] : 0};
    if (is_gold) ++g;
    if (m < masses_.size() && masses_[m].part == shift.part) shift.mass += masses_[m++].mass;
    if (shift.mass != 0) shifts.push_back(shift);
  }
}

// What a unit of mass costs: the derivative of 1/(4C) |mu|^2.
double FactoredDual::price(std::size_t i) const { return ridge() * unit_ * static_cast<double>(total_[i]); }

FactoredDual::Finding FactoredDual::find(std::size_t i, const Weights& seen, Search search) {
  open(i);
  parts_.exchange(i, seen, support_, search, *scratch_, found_);
  check_violation(found_.loss, found_.margin, i);
  const double violation = found_.loss - found_.margin;
  double high = violation;
  double low = found_.worst.empty() ? violation : found_.violation;
  if (settings_.loss == Loss::kL2) {  // mass may also be added or removed
    high = std::max(high, price(i));
    low = std::min(low, price(i));
  }
  return {found_.loss, violation, high - low};
}

bool FactoredDual::move(std::size_t i) {
  bool moved = false;
  for (const Exchange::Piece& piece : found_.pieces) moved |= move_piece(i, piece);
  if (settings_.loss == Loss::kL2) moved |= grow_or_shrink(i);
  if (moved) close(i);
  return moved;
}

// Sets psi_ to the features of the first `lost` parts minus those of the rest. Returns by
// how much the dual grows if a little mass moves from the former to the latter.
double FactoredDual::gain(std::size_t i, std::span<const Part> parts, std::size_t lost) {
  psi_.clear();
  amounts_.assign(parts.size(), -1.0);
  std::fill_n(amounts_.begin(), lost, 1.0);
  const double loss = -parts_.add_features(i, parts, amounts_, *scratch_, psi_);
  psi_.merge();
  return loss - parts_.product(weights(), psi_, *scratch_);
}

std::int64_t FactoredDual::least_mass(std::span<const Part> parts) const {
  std::int64_t least = kMostMass;
  for (const Part part : parts) {
    const auto at = std::ranges::lower_bound(masses_, part, {}, &PartMass::part);
    least = std::min(least, at != masses_.end() && at->part == part ? at->mass : 0);
  }
  return least;
}

// The best step along psi_: D grows by gain t - 1/2 (|psi|^2 + ridge) t^2. Changes w and
// returns the step in units. If the curvature is not positive, as a kernel that is not
// positive definite may have it, the best step is the longest.
std::int64_t FactoredDual::step(double gain, double ridge, std::int64_t limit) {
  if (!(gain > kRounding) || limit <= 0) return 0;
  const double curvature = parts_.squared_length(psi_, *scratch_) + ridge;
  const double best = gain / curvature / unit_;
  const std::int64_t units =
      curvature > 0.0 && best < static_cast<double>(limit) ? static_cast<std::int64_t>(best) : limit;
  if (units > 0) w_.add(static_cast<double>(units) * unit_, psi_);
  return units;
}

void FactoredDual::change(std::span<const Part> parts, std::int64_t units) {
  for (const Part part : parts) {
    auto at = find_part(masses_, part);
    if (at == masses_.end() || at->part != part) at = masses_.insert(at, {part, 0});
    at->mass += units;
    if (at->mass == 0) masses_.erase(at);
  }
}

// From the worst output's parts of the piece to the best one's.
bool FactoredDual::move_piece(std::size_t i, const Exchange::Piece& piece) {
  const auto all = std::span(found_.parts).subspan(piece.begin, piece.end - piece.begin);
  const auto lost = all.first(piece.middle - piece.begin);
  const std::int64_t limit = least_mass(lost);
  if (limit <= 0) return false;
  const std::int64_t units = step(gain(i, all, lost.size()), /*ridge=*/0.0, limit);
  if (units <= 0) return false;
  change(lost, -units);
  change(all.subspan(lost.size()), units);
  return true;
}

// What `from` has and `to` lacks, then the reverse.
void FactoredDual::difference(std::span<const Part> from, std::span<const Part> to) {
  differing_.clear();
  std::ranges::set_difference(from, to, std::back_inserter(differing_));
  lost_ = differing_.size();
  std::ranges::set_difference(to, from, std::back_inserter(differing_));
}

// Adds mass to the best output or takes it from the worst.
bool FactoredDual::grow_or_shrink(std::size_t i) {
  if (found_.best.empty()) return false;
  difference(gold_, found_.best);
  const double growth = gain(i, differing_, lost_) - price(i);
  std::int64_t units = step(growth, ridge(), kMostMass - total_[i]);
  if (units > 0) {
    change(found_.best, units);
    total_[i] += units;
    return true;
  }
  if (found_.worst.empty()) return false;
  difference(found_.worst, gold_);
  const double relief = gain(i, differing_, lost_) + price(i);
  units = step(relief, ridge(), least_mass(found_.worst));
  if (units <= 0) return false;
  change(found_.worst, -units);
  total_[i] -= units;
  return true;
}

// Adds w(mu) to w and returns sum mu . Delta.
double FactoredDual::rebuild(Weights& w) const {
  constexpr std::size_t kWave = 256;
  ScratchPool scratches(task_, workers_);
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < shifts_.size(); ++i) {
    if (!shifts_[i].empty()) moved.push_back(i);
  }
  std::vector<Gradient> features(std::min(kWave, moved.size()));
  std::vector<double> losses(features.size());
  double sum = 0.0;
  for (std::size_t begin = 0; begin < moved.size(); begin += kWave) {
    const std::size_t count = std::min(kWave, moved.size() - begin);
    workers_.each(count, [&](std::size_t k) {
      const std::size_t i = moved[begin + k];
      std::vector<Part> parts;
      std::vector<double> amounts;
      for (const PartMass& shift : shifts_[i]) {
        parts.push_back(shift.part);
        amounts.push_back(unit_ * static_cast<double>(shift.mass));
      }
      features[k].clear();
      losses[k] = parts_.add_features(i, parts, amounts, scratches.local(), features[k]);
    });
    for (std::size_t k = 0; k < count; ++k) {
      axpy(-1.0, features[k], w);
      sum += losses[k];
    }
  }
  return sum;
}

Weights FactoredDual::model() const {
  if (settings_.average) return w_.model();
  Weights w(task_.dimension());
  rebuild(w);
  return w;
}

Weights FactoredDual::take_model() {
  if (settings_.average) return w_.take_model();
  w_ = AveragedWeights(0, Averaging::kNone);
  return model();
}

void FactoredDual::refresh() {
  Weights w(task_.dimension());
  rebuild(w);
  w_.start_from(w);
}

double FactoredDual::value() const {
  Weights w(task_.dimension());
  double value = rebuild(w);
  value -= 0.5 * task_.squared_norm(w);
  if (settings_.loss == Loss::kL1) return value;
  for (const std::int64_t total : total_) {
    const double mass = unit_ * static_cast<double>(total);
    value -= mass * mass / (4.0 * settings_.C);
  }
  return value;
}

std::vector<PartMass> FactoredDual::marginals(std::size_t i) {
  open(i);
  return masses_;
}

void FactoredDual::visit(State& state) {
  state(w_);
  state.fixed(shifts_, total_);
  const bool whole = settings_.loss == Loss::kL1;
  for (std::size_t i = 0; i < shifts_.size(); ++i) {
    const std::int64_t most = total_[i];
    state.require(whole ? most == kWhole : most >= 0 && most <= kMostMass);
    for (std::size_t k = 0; k < shifts_[i].size(); ++k) {
      const PartMass& shift = shifts_[i][k];
      state.require(k == 0 || shifts_[i][k - 1].part < shift.part);
      state.require(shift.mass >= -most && shift.mass <= most);
    }
  }
}

}  // namespace hinge
