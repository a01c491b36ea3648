#include "hinge/corpus/nbest/named_weights.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/core.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/nbest/moses_values.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/output_file.h"

namespace hinge {
namespace {

class WeightReader {
 public:
  // sections: the file may be a moses.ini.
  WeightReader(const std::string& path, bool sections) : lines_(path), sections_(sections) {}

  std::vector<NamedWeight> read() {
    std::vector<std::string_view> words;
    for (std::string_view line; lines_.next(line);) {
      split_at_blanks(line, words);
      const bool comment = !words.empty() && words[0].starts_with('#') && !words[0].ends_with('=');
      if (!words.empty() && !comment) read_line(words);
    }
    for (const std::string& path : files_) add_file(path);
    if (weights_.empty()) {
      fail<InputError>("{}: has no weights, but lines like 'name= 0.5'{} were expected", lines_.name(),
                       section_ ? " below [weight]" : "");
    }
    return std::move(weights_);
  }

 private:
  void read_line(std::span<const std::string_view> words) {
    if (sections_ && words.size() == 1 && words[0].starts_with('[') && words[0].ends_with(']')) {
      section_ = words[0].substr(1, words[0].size() - 2);
      // Moses before version 2.
      if (section_->starts_with("weight-") && *section_ != "weight-file")
        fail<InputError>("{}:{}: [{}] is the form of old versions of Moses; write the weights below [weight]",
                         lines_.name(), lines_.number(), *section_);
    } else if (!section_ || *section_ == "weight") {
      read_weight(words);
    } else if (*section_ == "weight-file") {
      files_.push_back(find_file(std::string(words[0])));
    }
  }

  std::string find_file(const std::string& path) const {
    const std::filesystem::path beside = std::filesystem::path(lines_.name()).parent_path() / path;
    if (std::filesystem::exists(beside)) return beside.string();
    if (!std::filesystem::exists(path))
      fail<InputError>("{}:{}: there is no file '{}' of sparse weights; give its path from this folder",
                       lines_.name(), lines_.number(), shown(path));
    return path;
  }

  // Dense weights win: the file is for features that the moses.ini does not name.
  void add_file(const std::string& path) {
    for (NamedWeight& weight : WeightReader(path, /*sections=*/false).read()) {
      if (line_of_name_.try_emplace(weight.name, lines_.number()).second)
        weights_.push_back(std::move(weight));
    }
  }

  void read_weight(std::span<const std::string_view> words) {
    const std::size_t equals = words[0].rfind('=');
    if (words.size() == 1 && equals != std::string_view::npos && equals + 1 < words[0].size()) {
      add(words[0].substr(0, equals), words[0].substr(equals + 1), 0);  // name=value
    } else if (words.size() > 1 && equals + 1 == words[0].size()) {
      const std::string_view name = words[0].substr(0, equals);
      if (words.size() == 2) add(name, words[1], 0);
      for (std::uint32_t value_index = 1; words.size() > 2 && value_index < words.size(); ++value_index) {
        add(fmt::format("{}_{}", name, value_index), words[value_index], value_index);
      }
    } else if (words.size() == 2) {
      add(words[0], words[1], 0);
    } else {
      fail<InputError>(
          "{}:{}: is '{}', but 'name= value', with one value or more, or 'name value' was expected",
          lines_.name(), lines_.number(), shown(join(words, " ")));
    }
  }

  void add(std::string_view name, std::string_view text, std::uint32_t value_index) {
    float value;
    if (name.empty() || !parse_float(text, value)) {
      fail<InputError>("{}:{}: the weight of '{}' is '{}', but a name and {} were expected; correct the line",
                       lines_.name(), lines_.number(), shown(name), shown(text), kFloatExpected);
    }
    const auto [line, is_new] = line_of_name_.try_emplace(std::string(name), lines_.number());
    if (!is_new) {
      fail<InputError>("{}:{}: '{}' has a weight already, from line {}; keep one", lines_.name(),
                       lines_.number(), shown(name), line->second);
    }
    weights_.push_back({std::string(name), value, value_index});
  }

  LineReader lines_;
  bool sections_;
  std::optional<std::string> section_;  // of a moses.ini
  std::vector<std::string> files_;      // of sparse weights
  std::vector<NamedWeight> weights_;
  absl::flat_hash_map<std::string, std::size_t> line_of_name_;
};

// Whether `name value` would be read back as something else.
bool needs_equals(std::string_view name) { return name.starts_with('#') || name.ends_with('='); }

}  // namespace

std::vector<NamedWeight> read_weights(const std::string& path) {
  return WeightReader(path, /*sections=*/true).read();
}

void write_weights(const std::string& path, std::span<const NamedWeight> weights, WeightStyle style) {
  std::string text;
  if (style == WeightStyle::kMoses) {
    std::vector<NamedValue> values;
    for (const NamedWeight& weight : weights)
      values.push_back({weight.name, weight.value_index, weight.value, 0});
    append_moses_values(text, values, '\n');
    if (!values.empty()) text += '\n';
  } else {
    for (const NamedWeight& weight : weights) {
      fmt::format_to(std::back_inserter(text), "{}{} {}\n", weight.name, needs_equals(weight.name) ? "=" : "",
                     weight.value);
    }
  }
  OutputFile out(path);
  out.write(text);
  out.commit();
}

}  // namespace hinge
