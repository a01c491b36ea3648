#include "hinge/features/merged_vocabulary.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hinge/core/state_bytes.h"

namespace hinge {
namespace {

// A key as a rank met it.
struct Met {
  Key key;
  std::uint32_t count;
  std::uint32_t id;  // on that rank
};

// A key of all ranks.
struct Shared {
  Key key;
  std::uint32_t count;
  std::uint32_t rank;  // the first that met it,
  std::uint32_t id;    // and its id there
  std::uint32_t unused = 0;
};

template <typename T, typename Body>
void each_in(const Bytes& bytes, const Body& body) {
  for (std::span<const std::byte> in(bytes); !in.empty();) body(take_value<T>(in));
}

// Which rank adds up the counts of a key.
std::size_t owner_of(Key key, std::size_t ranks) {
  return static_cast<std::size_t>((key >> 32) * ranks >> 32);
}

// What this rank met, for the ranks that add it up.
std::vector<Bytes> by_owner(const Vocabulary& vocabulary, std::size_t ranks) {
  std::vector<Bytes> to_each(ranks);
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id)
    put_value(Met{vocabulary.key(id), vocabulary.count(id), id}, to_each[owner_of(vocabulary.key(id), ranks)]);
  return to_each;
}

// This rank's part of the hash space, as each rank met it: keys that stay. The first `kept` of the first rank
// are never dropped.
std::vector<Shared> add_up(std::vector<Bytes> of_ranks, std::size_t kept, std::int64_t min_count) {
  std::vector<Shared> all;
  NumberMap places;
  std::uint32_t rank = 0;
  for (Bytes& from : of_ranks) {
    each_in<Met>(from, [&](const Met& met) {
      const auto [place, is_new] = places.add(met.key, static_cast<std::uint32_t>(all.size()));
      if (is_new)
        all.push_back({met.key, met.count, rank, met.id});
      else
        all[place].count += met.count;
    });
    Bytes().swap(from);
    ++rank;
  }
  std::erase_if(all, [&](const Shared& s) {
    const bool is_kept = s.rank == 0 && s.id < kept;
    return !is_kept && s.count < min_count;
  });
  return all;
}

// The keys of all ranks that stay, numbered as one process would.
std::vector<Shared> sorted_keys(std::vector<Shared> mine, Communicator& ranks) {
  std::vector<Bytes> parts = ranks.gather(std::as_bytes(std::span(mine)));
  std::vector<Shared>().swap(mine);
  std::size_t bytes = 0;
  for (const Bytes& part : parts) bytes += part.size();
  std::vector<Shared> all;
  all.reserve(bytes / sizeof(Shared));
  for (Bytes& part : parts) {
    each_in<Shared>(part, [&all](const Shared& s) { all.push_back(s); });
    Bytes().swap(part);
  }
  std::ranges::sort(all, [](const Shared& a, const Shared& b) {
    if (a.count != b.count) return a.count > b.count;
    return std::pair(a.rank, a.id) < std::pair(b.rank, b.id);
  });
  return all;
}

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::uint16_t> merge_labels(LabelSet& labels, Communicator& ranks) {
  const std::vector<std::string> mine = labels.names();
  if (ranks.size() > 1) {
    StateToBytes bytes;
    std::vector<std::string> names = mine;
    bytes(names);
    labels = LabelSet();
    for (const Bytes& from : ranks.gather(bytes.bytes())) {
      StateFromBytes state(from);
      state(names);
      for (const std::string& name : names) labels.intern(name);
    }
  }
  std::vector<std::uint16_t> new_numbers;
  for (const std::string& name : mine) new_numbers.push_back(labels.intern(name));
  return new_numbers;
}

MergedKeys merge_and_prune(Vocabulary& vocabulary, std::int64_t min_count, Communicator& ranks) {
  MergedKeys merged;
  if (ranks.size() == 1) {
    merged.new_ids = vocabulary.prune(min_count);
    return merged;
  }
  const std::vector<Key> mine = vocabulary.keys();
  const std::size_t kept = vocabulary.kept();
  std::vector<Bytes> met = by_owner(vocabulary, static_cast<std::size_t>(ranks.size()));
  vocabulary = Vocabulary();
  std::vector<Shared> part = add_up(ranks.exchange(std::move(met)), kept, min_count);
  const std::vector<Shared> all = sorted_keys(std::move(part), ranks);
  const auto rank = static_cast<std::uint32_t>(ranks.rank());
  std::vector<Key> keys;
  keys.reserve(all.size());
  if (rank == 0) merged.named_by.resize(static_cast<std::size_t>(ranks.size()));
  for (const Shared& s : all) {
    if (s.rank == rank) merged.named.push_back(s.id);
    if (rank == 0) merged.named_by[s.rank].push_back(static_cast<std::uint32_t>(keys.size()));
    keys.push_back(s.key);
  }
  vocabulary = Vocabulary::of(std::move(keys));
  merged.new_ids.reserve(mine.size());
  for (const Key key : mine) merged.new_ids.push_back(vocabulary.find(key));
  return merged;
}

void merge_names(FeatureNames& names, const MergedKeys& keys, const std::vector<Template>& templates,
                 Communicator& ranks) {
  if (ranks.size() == 1) return names.renumber(keys.new_ids);
  Bytes mine;
  if (ranks.rank() > 0) {
    ByteWriter out;
    names.write(keys.named, out);
    const auto bytes = std::as_bytes(std::span(out.bytes()));
    mine.assign(bytes.begin(), bytes.end());
    names = FeatureNames();
  }
  std::vector<Bytes> of_ranks = give_to_first(ranks, std::move(mine));
  if (of_ranks.empty()) return;
  std::vector<std::uint32_t> new_ids = keys.new_ids;
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) {
    ByteReader in(text_of(of_ranks[rank]), "feature names");
    const FeatureNames others = FeatureNames::load(in, templates);
    for (std::uint32_t k = 0; k < others.size(); ++k) names.record(others, k, others.template_of(k));
    new_ids.insert(new_ids.end(), keys.named_by[rank].begin(), keys.named_by[rank].end());
    Bytes().swap(of_ranks[rank]);
  }
  names.renumber(new_ids);
}

void merge_names(std::vector<std::string>& names, const MergedKeys& keys, Communicator& ranks) {
  std::vector<std::string> merged;
  const auto put = [&merged](std::uint32_t id, std::string& name) {
    if (id == Vocabulary::kUnknown) return;
    if (id >= merged.size()) merged.resize(id + 1);
    merged[id] = std::move(name);
  };
  StateToBytes mine;
  if (ranks.rank() > 0) {
    for (const std::uint32_t id : keys.named) mine(names[id]);
  } else {
    for (std::size_t id = 0; id < names.size(); ++id) put(keys.new_ids[id], names[id]);
  }
  names = {};
  const std::vector<Bytes> of_ranks = give_to_first(ranks, mine.bytes());
  for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) {
    StateFromBytes theirs(of_ranks[rank]);
    for (const std::uint32_t id : keys.named_by[rank]) {
      std::string name;
      theirs(name);
      put(id, name);
    }
  }
  names = std::move(merged);
}

}  // namespace hinge
