#include "hinge/mt/directed_aligner.h"

#include <algorithm>

#include "hinge/core/interrupt.h"

namespace hinge::mt {
namespace {

constexpr std::size_t kShares = 64;  // fixed, so that sums do not depend on threads

std::vector<TensionCounts::Lengths> all_lengths(const Bitext& text, Direction direction) {
  std::vector<TensionCounts::Lengths> lengths;
  for (std::size_t i = 0; i < text.sentences(); ++i)
    lengths.push_back({static_cast<std::uint32_t>(made_side(text, direction).sentence(i).size()),
                       static_cast<std::uint32_t>(given_side(text, direction).sentence(i).size())});
  return lengths;
}

}  // namespace

// A thread's scratch.
struct DirectedAligner::Room {
  LinkScores scores;
  JumpChain chain;
};

DirectedAligner::DirectedAligner(const Bitext& text, const WordPairs& pairs, Direction direction,
                                 const DirectedOptions& options, Workers& workers)
    : text_(text),
      pairs_(pairs),
      direction_(direction),
      options_(options),
      workers_(workers),
      table_(text, pairs, direction, options.alpha, workers),
      tension_counts_(all_lengths(text, direction)),
      tension_(options.tension),
      links_(pairs.cells()),
      null_(made_side(text, direction).tokens.size()) {}

void DirectedAligner::gather(std::size_t i, LinkScores& scores) const {
  const std::span<const Word> made = made_side(text_, direction_).sentence(i);
  const std::size_t m = made.size(), n = given_side(text_, direction_).sentence(i).size();
  scores.resize(m, n);
  for (std::size_t j = 0; j < m; ++j) scores.null_translation[j] = table_.null_words()[made[j]];
  const std::uint32_t* number = pairs_.number.data() + pairs_.cell_begin[i];
  const std::span<const float> probability = table_.pairs();
  if (direction_ == Direction::kReverse) {
    for (std::size_t k = 0; k < m * n; ++k) scores.translation[k] = probability[number[k]];
  } else {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < m; ++j) scores.translation[j * n + k] = probability[*number++];
  }
}

void DirectedAligner::scatter(std::size_t i, const LinkScores& scores) {
  const std::size_t m = scores.m, n = scores.n;
  std::copy(scores.null.begin(), scores.null.end(),
            null_.begin() + static_cast<std::ptrdiff_t>(made_side(text_, direction_).begin[i]));
  float* link = links_.data() + pairs_.cell_begin[i];
  if (direction_ == Direction::kReverse) {
    std::copy(scores.link.begin(), scores.link.end(), link);
  } else {
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < m; ++j) *link++ = scores.link[j * n + k];
  }
}

void DirectedAligner::expect_sentence(std::size_t i, Room& room, Sums& sums) {
  gather(i, room.scores);
  if (model_ == AlignModel::kDiagonal) {
    const DiagonalSums diagonal = diagonal_posteriors(options_.null_probability, tension_, room.scores);
    sums.log_likelihood += diagonal.log_likelihood;
    sums.distance += diagonal.distance;
  } else {
    sums.log_likelihood += room.chain.posteriors(jumps_, room.scores, sums.jumps);
  }
  scatter(i, room.scores);
}

double DirectedAligner::expect() {
  PerThread<Room> rooms(workers_, [this] { return Room{{}, JumpChain(options_.null_probability)}; });
  std::vector<Sums> shares(kShares);
  const std::size_t sentences = text_.sentences();
  workers_.each(kShares, [&](std::size_t share) {
    Room& room = rooms.local();
    for (std::size_t i = sentences * share / kShares; i < sentences * (share + 1) / kShares; ++i) {
      check_interrupt();
      expect_sentence(i, room, shares[share]);
    }
  });
  sums_ = {};
  for (const Sums& share : shares) {
    sums_.log_likelihood += share.log_likelihood;
    sums_.distance += share.distance;
    sums_.jumps.add(share.jumps);
  }
  return sums_.log_likelihood;
}

void DirectedAligner::fit_tension() {
  tension_counts_.reset();
  tension_counts_.add_distance(sums_.distance);
  const Side& made = made_side(text_, direction_);
  for (std::size_t i = 0; i < text_.sentences(); ++i) {
    const std::size_t m = made.sentence(i).size();
    tension_counts_.add({static_cast<std::uint32_t>(m),
                         static_cast<std::uint32_t>(given_side(text_, direction_).sentence(i).size())},
                        std::span(null_).subspan(made.begin[i], m));
  }
  tension_ = tension_counts_.best();
}

void DirectedAligner::maximize() {
  table_.estimate(links_, null_);
  if (model_ == AlignModel::kJumps)
    jumps_.maximize(sums_.jumps);
  else if (options_.fit_tension)
    fit_tension();
}

Alignment DirectedAligner::best() const {
  Alignment alignment;
  std::vector<Link> links;
  const Side& made = made_side(text_, direction_);
  for (std::size_t i = 0; i < text_.sentences(); ++i) {
    const std::size_t columns = text_.target.sentence(i).size();
    const std::size_t m = made.sentence(i).size(), n = given_side(text_, direction_).sentence(i).size();
    const float* cells = links_.data() + pairs_.cell_begin[i];
    links.clear();
    for (std::size_t j = 0; j < m; ++j) {
      float most = null_[made.begin[i] + j];
      std::size_t from = n;
      for (std::size_t k = 0; k < n; ++k) {
        const float link =
            direction_ == Direction::kForward ? cells[k * columns + j] : cells[j * columns + k];
        if (link > most) most = link, from = k;
      }
      if (from == n) continue;
      const auto made_at = static_cast<std::uint16_t>(j), given_at = static_cast<std::uint16_t>(from);
      links.push_back(direction_ == Direction::kForward ? Link{given_at, made_at} : Link{made_at, given_at});
    }
    alignment.add(links);
  }
  return alignment;
}

void agree_on(std::span<float> forward, std::span<float> reverse, Workers& workers) {
  constexpr std::size_t kBlock = 1 << 16;
  workers.each((forward.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t end = std::min(forward.size(), (block + 1) * kBlock);
    for (std::size_t k = block * kBlock; k < end; ++k) forward[k] = reverse[k] = forward[k] * reverse[k];
  });
}

}  // namespace hinge::mt
