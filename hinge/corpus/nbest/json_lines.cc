// {"id": 0, "text": "...", "features": {"name": v, ...}, "score": x, "cost": c}
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/parser.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

using nlohmann::json;

// Callbacks for the library's SAX parser, which builds no tree of the line.
class JsonParser final : public NBestParser, private nlohmann::json_sax<json> {
 public:
  explicit JsonParser(NBestBuilder& builder) : builder_(builder) {}

  void parse(std::string_view line, Place where, Hypothesis& hypothesis) override {
    where_ = where;
    hypothesis_ = &hypothesis;
    hypothesis.entries.clear();
    hypothesis.score.reset();
    hypothesis.cost.reset();
    depth_ = 0;
    ignored_depth_ = 0;
    seen_ = 0;
    json::sax_parse(line.begin(), line.end(), static_cast<nlohmann::json_sax<json>*>(this));
    for (const Key key : {kId, kText, kFeatures}) {
      if ((seen_ & (1u << key)) == 0) {
        fail<InputError>("{}: has no \"{}\"; {}", where_.text(), kNames[key], kShape);
      }
    }
    hypothesis.text = trim(text_);
  }

 private:
  enum Key { kId, kText, kFeatures, kScore, kCost, kOther };
  static constexpr std::string_view kNames[] = {"id", "text", "features", "score", "cost"};
  static constexpr std::string_view kShape =
      "a line is an object like {\"id\": 0, \"text\": \"a b\", \"features\": {\"lm\": -1.5}, \"score\": -2}";

  [[noreturn]] void refuse(std::string_view found) const {
    if (depth_ == 0) fail<InputError>("{}: is {}; {}", where_.text(), found, kShape);
    if (depth_ > 1) {
      fail<InputError>("{}: feature '{}' is {}, but {} was expected; {}", where_.text(), shown(feature_),
                       found, kFloatExpected, kShape);
    }
    const std::string_view wanted = key_ == kId         ? "a whole number from 0"
                                    : key_ == kText     ? "a text"
                                    : key_ == kFeatures ? "an object of names and numbers"
                                                        : kFloatExpected;
    fail<InputError>("{}: \"{}\" is {}, but {} was expected; {}", where_.text(), kNames[key_], found, wanted,
                     kShape);
  }

  // Whether this value belongs to an ignored key.
  bool ignored() const { return depth_ > 0 && key_ == kOther; }

  // Whether a number is expected here.
  bool wants_number() const { return depth_ == 2 || (depth_ == 1 && (key_ == kScore || key_ == kCost)); }

  bool number(double value, std::string_view found) {
    if (ignored()) return true;
    if (!wants_number()) refuse(found);
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) refuse(found);
    const float narrow = static_cast<float>(value) + 0.0f;  // no minus zero
    if (depth_ == 1 && key_ == kScore) {
      hypothesis_->score = narrow;
    } else if (depth_ == 1 || feature_ == builder_.options().cost_feature) {
      set_cost(narrow);
    } else {
      hypothesis_->entries.push_back({builder_.feature(feature_), narrow});
    }
    return true;
  }

  void set_cost(float value) {
    if (hypothesis_->cost) fail<InputError>("{}: the cost is given twice; give it once", where_.text());
    hypothesis_->cost = value;
  }

  bool null() override { return ignored() || (refuse("null"), true); }
  bool boolean(bool value) override { return ignored() || (refuse(value ? "true" : "false"), true); }
  bool number_integer(std::int64_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) override {
    if (depth_ == 1 && key_ == kId) {
      hypothesis_->id = value;
      return true;
    }
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(double value, const std::string& text) override { return number(value, shown(text)); }
  bool binary(json::binary_t&) override { return true; }  // not in text

  bool string(std::string& value) override {
    if (ignored()) return true;
    if (depth_ != 1 || key_ != kText) refuse(fmt::format("the text '{}'", shown(value)));
    for (const char c : value) {
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') continue;
      fail<InputError>(
          "{}: the text has a line break or another control character, but one line was expected; replace it "
          "by a space",
          where_.text());
    }
    text_ = std::move(value);
    return true;
  }

  bool start_object(std::size_t) override {
    if (ignored()) {
      ++ignored_depth_;
    } else if (depth_ == 0 || (depth_ == 1 && key_ == kFeatures)) {
      ++depth_;
    } else {
      refuse("an object");
    }
    return true;
  }

  bool key(std::string& name) override {
    if (ignored_depth_ > 0) return true;
    if (depth_ == 2) {
      check_feature(name);
      feature_ = std::move(name);
      return true;
    }
    key_ = kOther;
    for (const Key known : {kId, kText, kFeatures, kScore, kCost}) {
      if (name == kNames[known]) key_ = known;
    }
    if (key_ == kOther) return true;
    if ((seen_ & (1u << key_)) != 0)
      fail<InputError>("{}: has \"{}\" twice; {}", where_.text(), name, kShape);
    seen_ |= 1u << key_;
    return true;
  }

  bool end_object() override {
    if (ignored_depth_ > 0) {
      --ignored_depth_;
    } else {
      --depth_;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (!ignored()) refuse("an array");
    ++ignored_depth_;
    return true;
  }
  bool end_array() override {
    --ignored_depth_;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
      fail<InputError>("{}: has a number that is too large at byte {}, but {} was expected; {}",
                       where_.text(), position, kFloatExpected, kShape);
    }
    fail<InputError>("{}: is not valid JSON at byte {} (NaN and Infinity are not allowed); {}", where_.text(),
                     position, kShape);
  }

  // Lists can be written in the Moses format, where a name has no spaces.
  void check_feature(const std::string& name) const {
    const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    if (!name.empty() && std::none_of(name.begin(), name.end(), is_blank)) return;
    fail<InputError>("{}: the feature name '{}' is empty or has a space; use other characters, such as _",
                     where_.text(), shown(name));
  }

  NBestBuilder& builder_;
  Place where_;
  Hypothesis* hypothesis_ = nullptr;
  std::string text_;
  std::string feature_;            // the last key of features
  Key key_ = kOther;               // the last key of the line's object
  int depth_ = 0;                  // 1 in the line's object, 2 in its features
  std::size_t ignored_depth_ = 0;  // below an ignored key
  unsigned seen_ = 0;              // bits of keys
};

}  // namespace

std::unique_ptr<NBestParser> json_parser(NBestBuilder& builder) {
  return std::make_unique<JsonParser>(builder);
}

}  // namespace hinge
