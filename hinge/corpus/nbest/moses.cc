// id ||| text ||| name= v v ... name2= v ||| score ||| anything
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/parser.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

constexpr std::string_view kBars = "|||";
constexpr std::size_t kFields = 4;  // the rest is ignored

// The next bars surrounded by spaces; words and feature names may contain bars.
std::size_t find_bars(std::string_view line, std::size_t from) {
  for (std::size_t at = line.find(kBars, from); at != std::string_view::npos; at = line.find(kBars, at + 1)) {
    const std::size_t behind = at + kBars.size();
    if ((at == 0 || is_space(line[at - 1])) && (behind == line.size() || is_space(line[behind]))) return at;
  }
  return std::string_view::npos;
}

class MosesParser final : public NBestParser {
 public:
  explicit MosesParser(NBestBuilder& builder) : builder_(builder), expected_(kMostExpected) {}

  void parse(std::string_view line, Place where, Hypothesis& hypothesis) override {
    where_ = where;
    std::array<std::string_view, kFields> fields;
    const std::size_t count = split(line, fields);
    if (count < 3) {
      fail<InputError>(
          "{}: has {} field{}, but 'id ||| text ||| features ||| score' was expected; check the separators "
          "and "
          "that the line was not cut short",
          where.text(), count, count == 1 ? "" : "s");
    }
    hypothesis.id = parse_id(fields[0]);
    hypothesis.text = fields[1];
    hypothesis.cost.reset();
    parse_features(fields[2], hypothesis);
    hypothesis.score.reset();
    if (count == kFields) hypothesis.score = parse_score(fields[3]);
  }

 private:
  // A name with several values is several features.
  struct Named {
    std::string name;
    std::vector<std::uint32_t> features;  // kNoFeature for the cost
  };
  static constexpr std::size_t kMostExpected = 64;

  std::size_t split(std::string_view line, std::array<std::string_view, kFields>& fields) const {
    std::size_t count = 0;
    for (std::size_t from = 0; count < kFields;) {
      const std::size_t bars = find_bars(line, from);
      fields[count++] = trim(line.substr(from, bars - from));
      if (bars == std::string_view::npos) break;
      from = bars + kBars.size();
    }
    return count;
  }

  std::uint64_t parse_id(std::string_view text) const {
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error == std::errc() && end == text.data() + text.size()) return id;
    fail<InputError>(
        "{}: the sentence id is '{}', but a whole number from 0 was expected; number the sentences",
        where_.text(), shown(text));
  }

  float parse_score(std::string_view text) const {
    float score = 0.0f;
    if (parse_float(text, score)) return score;
    fail<InputError>("{}: the score is '{}', but {} was expected; check the decoder that wrote it",
                     where_.text(), shown(text), kFloatExpected);
  }

  void parse_features(std::string_view rest, Hypothesis& hypothesis) {
    hypothesis.entries.clear();
    for (std::size_t position = 0; !rest.empty(); ++position) {
      const std::string_view name = take_name(rest, position);
      take_values(rest, name);
      const std::span<const std::uint32_t> features = resolve(name, position);
      if (features[0] == NBestBuilder::kNoFeature) {
        set_cost(hypothesis);
        continue;
      }
      for (std::size_t i = 0; i < features.size(); ++i)
        hypothesis.entries.push_back({features[i], values_[i]});
    }
  }

  // Takes "name=" from the front. Most lines have the same names in the same
  // order as the line before, so these are tried first, without a search.
  std::string_view take_name(std::string_view& rest, std::size_t position) const {
    if (position < kMostExpected) {
      const std::string& name = expected_[position].name;
      if (rest.size() > name.size() + 1 && rest[name.size()] == '=' && is_space(rest[name.size() + 1]) &&
          rest.starts_with(name) && !name.empty()) {
        const std::string_view taken = rest.substr(0, name.size());
        rest.remove_prefix(name.size() + 1);
        return taken;
      }
    }
    const std::string_view word = first_word(rest);
    const std::size_t equals = word.rfind('=');  // the name itself may contain '='
    if (equals == std::string_view::npos || equals == 0) {
      fail<InputError>("{}: found '{}' where a feature name and '=' were expected; write 'name= value'",
                       where_.text(), shown(word));
    }
    rest.remove_prefix(equals + 1);
    return word.substr(0, equals);
  }

  // Moves the values at the front of `rest` to values_, skipping spaces.
  void take_values(std::string_view& rest, std::string_view name) {
    values_.clear();
    for (skip_spaces(rest); !rest.empty(); skip_spaces(rest)) {
      const std::string_view word = first_word(rest);
      if (word.back() == '=') break;
      float value;
      if (!parse_float(word, value)) {
        if (word.find('=') != std::string_view::npos) break;
        fail<InputError>(
            "{}: the value of feature '{}' is '{}', but {} was expected; check the decoder that wrote it",
            where_.text(), shown(name), shown(word), kFloatExpected);
      }
      values_.push_back(value);
      rest.remove_prefix(word.size());
    }
    if (values_.empty()) {
      fail<InputError>("{}: feature '{}' has no value; write 'name= value', or leave it out", where_.text(),
                       shown(name));
    }
  }

  static void skip_spaces(std::string_view& rest) {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  }

  static std::string_view first_word(std::string_view rest) {
    std::size_t end = 0;
    while (end < rest.size() && !is_space(rest[end])) ++end;
    return rest.substr(0, end);
  }

  // The features of the name whose values were just read.
  std::span<const std::uint32_t> resolve(std::string_view name, std::size_t position) {
    Named& named = position < kMostExpected ? expected_[position] : unexpected_;
    if (named.name == name && named.features.size() == values_.size()) return named.features;
    named.name.clear();  // in case of an exception
    if (name == builder_.options().cost_feature) {
      check_count(name, 1);
      named.features.assign(1, NBestBuilder::kNoFeature);
    } else if (const auto group = groups_.find(name); group != groups_.end()) {
      check_count(name, group->second.size());
      named.features = group->second;
    } else if (values_.size() == 1) {
      named.features.assign(1, builder_.feature(name));
    } else {
      named.features = new_group(name);
    }
    named.name = name;
    return named.features;
  }

  std::vector<std::uint32_t> new_group(std::string_view name) {
    if (builder_.find(name) != NBestBuilder::kNoFeature) check_count(name, 1);
    std::vector<std::uint32_t> features;
    for (std::uint32_t value_index = 1; value_index <= values_.size(); ++value_index) {
      features.push_back(builder_.feature(fmt::format("{}_{}", name, value_index), value_index));
    }
    groups_.emplace(name, features);
    return features;
  }

  void check_count(std::string_view name, std::size_t expected) const {
    if (values_.size() == expected) return;
    fail<InputError>(
        "{}: feature '{}' has {} value{}, but {} {} expected; check that the line was not cut short",
        where_.text(), shown(name), values_.size(), values_.size() == 1 ? "" : "s", expected,
        expected == 1 ? "was" : "were");
  }

  void set_cost(Hypothesis& hypothesis) const {
    if (hypothesis.cost) {
      fail<InputError>("{}: the cost, feature '{}', is given twice; give it once", where_.text(),
                       shown(builder_.options().cost_feature));
    }
    hypothesis.cost = values_[0];
  }

  NBestBuilder& builder_;
  Place where_;
  std::vector<float> values_;    // of the name just read
  std::vector<Named> expected_;  // [position] in the previous line
  Named unexpected_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> groups_;  // names with several values
};

}  // namespace

std::unique_ptr<NBestParser> moses_parser(NBestBuilder& builder) {
  return std::make_unique<MosesParser>(builder);
}

}  // namespace hinge
