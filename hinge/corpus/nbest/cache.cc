#include "hinge/corpus/nbest/cache.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/files/section_file.h"

namespace hinge {
namespace {

constexpr SectionKind kCache = {
    .magic = std::string_view("HNBST\r\n\x1a", 8),
    .format = kNBestCacheFormat,
    .what = "a cache of n-best lists",
    .make = "give the lists themselves",
    .redo = "make it again from the lists",
    .refuse = [](const std::string& message) { throw InputError(message); },
};

// Calls body(section name, array) for each array of the lists.
template <typename Lists, typename Body>
void each_array(Lists& lists, const Body& body) {
  body("ids", lists.ids);
  body("list_begin", lists.list_begin);
  body("text_begin", lists.text_begin);
  body("texts", lists.texts);
  body("row_begin", lists.row_begin);
  body("features", lists.features);
  body("values", lists.values);
  body("scores", lists.scores);
  body("costs", lists.costs);
  body("cost_name", lists.cost_name);
  body("name_begin", lists.name_begin);
  body("names", lists.names);
  body("parts", lists.value_index);
}

// The file may hold anything: checks what NBestLists guarantees of its arrays.
class Checker {
 public:
  Checker(const NBestLists& lists, const SectionFile& file) : lists_(lists), file_(file) {}

  void check() const {
    const std::size_t lists = lists_.ids.size();
    require(lists > 0 && lists_.list_begin.size() == lists + 1, "list_begin");
    const std::uint64_t hypotheses = lists_.list_begin.back();
    check_begins(lists_.list_begin, hypotheses, /*may_be_empty=*/false, "list_begin");
    require(lists_.text_begin.size() - 1 == hypotheses, "text_begin");
    check_begins(lists_.text_begin, lists_.texts.size(), /*may_be_empty=*/true, "text_begin");
    require(lists_.row_begin.size() - 1 == hypotheses, "row_begin");
    check_begins(lists_.row_begin, lists_.features.size(), /*may_be_empty=*/true, "row_begin");
    require(lists_.name_begin.size() - 1 == lists_.value_index.size(), "name_begin");
    check_begins(lists_.name_begin, lists_.names.size(), /*may_be_empty=*/false, "name_begin");
    check_rows();
    require(lists_.values.size() == lists_.features.size() && are_finite(lists_.values), "values");
    check_optional(lists_.scores, "scores");
    check_optional(lists_.costs, "costs");
    check_ids();
  }

 private:
  void require(bool holds, std::string_view section) const {
    if (!holds) file_.refuse_damaged(fmt::format("section '{}' does not fit the others", section));
  }

  void check_begins(std::span<const std::uint64_t> begin, std::uint64_t end, bool may_be_empty,
                    std::string_view section) const {
    require(!begin.empty() && begin.front() == 0 && begin.back() == end, section);
    for (std::size_t i = 1; i < begin.size(); ++i) {
      require(may_be_empty ? begin[i - 1] <= begin[i] : begin[i - 1] < begin[i], section);
    }
  }

  void check_rows() const {
    for (std::size_t h = 0; h + 1 < lists_.row_begin.size(); ++h) {
      std::uint64_t least = 0;
      for (std::uint64_t i = lists_.row_begin[h]; i < lists_.row_begin[h + 1]; ++i) {
        require(lists_.features[i] >= least && lists_.features[i] < lists_.value_index.size(), "features");
        least = std::uint64_t{lists_.features[i]} + 1;
      }
    }
  }

  static bool are_finite(std::span<const float> numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](float number) { return std::isfinite(number); });
  }

  void check_optional(std::span<const float> numbers, std::string_view section) const {
    require(numbers.empty() || numbers.size() == lists_.hypotheses(), section);
    require(are_finite(numbers), section);
  }

  void check_ids() const {
    absl::flat_hash_set<std::uint64_t> met;
    for (const std::uint64_t id : lists_.ids) require(met.insert(id).second, "ids");
  }

  const NBestLists& lists_;
  const SectionFile& file_;
};

}  // namespace

void write_nbest_cache(const NBestLists& lists, const std::string& path) {
  SectionWriter writer(kCache);
  each_array(lists, [&](std::string_view name, const auto& array) { writer.add_view(name, array); });
  OutputFile out(path);
  writer.write(out);
  out.commit();
}

NBestLists open_nbest_cache(const std::string& path) {
  auto mapped = std::make_shared<const SectionFile>(SectionFile::open(path, kCache));
  const SectionFile& file = *mapped;
  file.verify();
  NBestLists lists;
  each_array(lists, [&]<typename T>(std::string_view name, std::span<const T>& array) {
    if (file.section(name).size() % sizeof(T) != 0) {
      file.refuse_damaged(fmt::format("section '{}' ends inside a number", name));
    }
    array = file.array<T>(name);
  });
  Checker(lists, file).check();
  lists.owner = std::move(mapped);
  return lists;
}

bool is_nbest_cache(const std::string& path) { return SectionFile::is_of(path, kCache); }

}  // namespace hinge
