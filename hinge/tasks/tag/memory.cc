#include "hinge/tasks/tag/memory.h"

#include <atomic>
#include <cmath>

#include "hinge/corpus/text_source.h"

namespace hinge::tag {

namespace {

// Names are checked as one text, so each must also begin at a character boundary.
bool begins_letter(std::string_view text) {
  return text.empty() || (static_cast<unsigned char>(text[0]) & 0xC0) != 0x80;
}

}  // namespace

Sentences Sentences::of_cells(std::size_t columns, bool labelled) {
  if (columns == 0) fail<InputError>("tokens have no cells; give each at least the word");
  return {columns + labelled, /*attributes=*/false, labelled};
}

Sentences Sentences::of_attributes(bool labelled) { return {1, /*attributes=*/true, labelled}; }

void Sentences::add_attribute(std::string_view name, double value) {
  const auto number = static_cast<float>(value);
  if (!std::isfinite(number))
    fail<InputError>(
        "{}: the value of attribute '{}' is {}, but a finite number (at most 3.4e38) was expected",
        columns_.here(), name, value);
  const std::size_t first = names_.size();
  names_ += name;
  end_name(first, number);
}

void Sentences::add_attribute(std::string_view key, std::string_view text) {
  const std::size_t first = names_.size();
  names_.append(key).append(1, ':').append(text);
  end_name(first, 1.0f);
}

void Sentences::end_name(std::size_t first, float value) {
  keys_.push_back(hash_text(std::string_view(names_).substr(first)));
  values_.push_back(value);
  name_end_.push_back(names_.size());
}

void Sentences::add_label(std::string_view label) {
  if (!labelled_ || has_label_ || label.empty())
    fail<InputError>("{}: {}", columns_.here(),
                     !labelled_      ? "has a label, but the data was declared unlabelled"
                     : label.empty() ? "the label is empty; give it a name"
                                     : "has a second label; end the token first");
  has_label_ = true;
  columns_.add_cell(label);
}

void Sentences::end_token() {
  if (labelled_ && !has_label_)
    fail<InputError>("{}: has no label; give every token of a sentence one", columns_.here());
  if (attributes_ && !labelled_) columns_.add_cell("");
  if (!attributes_ && !keys_.empty())
    fail<InputError>("{}: has attributes, but the data has cells; give one or the other", columns_.here());
  columns_.end_token();
  begin_.push_back(keys_.size());
  has_label_ = false;
}

void Sentences::end_sentence() {
  if (keys_.size() != begin_.back())
    fail<InputError>("{}: the sentence ends inside this token; end the token first", columns_.here());
  const std::size_t sentence = sentences();
  columns_.end_sentence();
  const AttributeRows rows = attributes(sentence);
  const std::size_t begin = rows.begin.front();
  const std::size_t end = rows.begin.back();
  if (begin == end) return;
  const auto first = static_cast<std::size_t>(rows.name(begin).data() - names_.data());
  bool good = find_bad_byte(std::string_view(names_).substr(first)) == std::string_view::npos;
  for (std::size_t k = begin; k < end; ++k) good = good && begins_letter(rows.name(k));
  if (!good)
    fail<InputError>("sentence {}: the name of an attribute is not UTF-8 or has a NUL byte; decode it first",
                     sentence + 1);
}

std::uint64_t Sentences::next_serial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

std::size_t Sentences::first_before(std::size_t sentence, std::size_t n) const {
  for (; sentence > 0 && n > 0; --sentence) n -= tokens(sentence - 1) > 0;
  return sentence;
}

void Sentences::clear() {
  serial_ = next_serial();
  has_label_ = false;
  columns_.clear();
  begin_.assign(1, 0);
  keys_.clear();
  values_.clear();
  name_end_.clear();
  names_.clear();
}

AttributeRows Sentences::attributes(std::size_t sentence) const {
  return {.begin = std::span(begin_).subspan(columns_.begin(sentence), tokens(sentence) + 1),
          .keys = keys_.data(),
          .values = values_.data(),
          .name_end = name_end_.data(),
          .names = names_.data()};
}

}  // namespace hinge::tag
