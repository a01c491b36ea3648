// Feature templates in the syntax of CRF++ and Wapiti, with more functions.
//
//   U05:%x[-1,0]/%x[0,0]     a feature of the token: text with cells inserted
//   B                        a feature of two adjacent labels
//   *07:%x[0,1]              both
//
// A macro names a row relative to the token and a column, from 0:
//
//   %x[r,c]            the cell             %lower[r,c] (or %X)  in lower case
//   %prefix[r,c,n]     its first n letters  %suffix[r,c,n]       its last n
//   %shape[r,c]        "Xx-d"               %digits[r,c]         digits as 0
//   %t[r,c,"re"]       true or false: whether the regular expression matches
//   %if[r,c,"re"]      the feature fires only if the regular expression matches
//   %m[r,c,"re"]       the text that matched
//   %cluster[r,c,n]    first n bits of the word's Brown cluster
//   %gazetteer[r,c,"file"]  B or I where a line of the file matches here
//   %lexicon[r,c,c2,k] the k-th most frequent cell of column c2 in the training
//                      data, among tokens with this cell in column c
//   %v[r,c]            the cell as a number: the value of the feature
//
// A row may count from the latest token with the same word (column 0 in lower case) in
// earlier sentences of the document: %lower[earlier-1,0] is the word before it. It is
// absent if there is none.
//
// %T and %M ignore case; %Cluster does for a word that has no cluster as written. Lines that are empty or begin with # are ignored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

enum class ViewKind {
  kCell,
  kLower,
  kPrefix,
  kSuffix,
  kShape,
  kDigits,
  kTest,
  kIf,
  kMatch,
  kCluster,
  kGazetteer,
  kLexicon,
  kAnyCluster
};

// A function of one column, computed once per token for all templates.
struct View {
  ViewKind kind = ViewKind::kCell;
  std::size_t column = 0;
  std::size_t n = 0;      // length, bits or rank
  std::size_t other = 0;  // the lexicon's second column
  std::string text;       // regular expression or file
  bool operator==(const View&) const = default;
};

struct TemplateItem {
  std::size_t view;  // index into TemplateSet::views, or into TemplateSet::earlier
  int row;
  bool earlier = false;
};

// A view at a row that counts from the word's earlier occurrence.
struct EarlierView {
  std::size_t view;
  int row;
  bool operator==(const EarlierView&) const = default;
};

struct Template {
  std::string source;                 // the line as written
  std::size_t line = 0;               // from 1
  std::vector<std::string> literals;  // [items + 1], the text around the items
  std::vector<TemplateItem> items;
  bool has_value = false;  // a %v: its column and row
  std::size_t value_column = 0;
  int value_row = 0;
};

struct TemplateSet {
  std::string name;    // of the file or preset, for messages
  std::string source;  // the whole text, stored in models
  std::vector<View> views;
  std::vector<EarlierView> earlier;
  std::size_t same_word = 0;    // if there are any: the view by which occurrences are the same
  std::vector<Template> nodes;  // U
  std::vector<Template> edges;  // B

  bool has_values() const;
  std::size_t reach() const;  // largest distance of a row from its token
  std::size_t view_of(const TemplateItem& item) const {
    return item.earlier ? earlier[item.view].view : item.view;
  }
};

// `name` is the file or preset, for messages. Throws InputError with the line.
TemplateSet parse_templates(std::string_view text, const std::string& name);

// Throws OptionError if a template reads a column at or beyond `columns`.
void check_columns(const TemplateSet& templates, const std::string& name, std::size_t columns,
                   const std::string& data_name);
// The first template that reads this view, for messages: "FILE:LINE: 'TEMPLATE'".
std::string place_of_view(const TemplateSet& templates, std::size_t view);

}  // namespace hinge
