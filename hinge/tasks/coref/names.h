// Readable features: "pair m.head=dog a.head=cat". Features are made of hashes, so the
// texts behind these are collected from the words of documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/tasks/coref/data.h"
#include "hinge/tasks/coref/templates.h"

namespace hinge::coref {

// Texts of the values of fields.
class ValueTexts {
 public:
  // Adds those of a document's mentions.
  void add(const Tokens& tokens, const MentionView& set);
  // "?" if the value was never added.
  std::string text(Field field, Key value) const;
  // Of a relation in DocumentView::relations.
  std::string_view relation(Key key) const { return recorded(key); }

 private:
  void record(Key key, std::string_view text);
  std::string_view recorded(Key key) const;

  NumberMap numbers_;
  std::vector<std::string> texts_;
};

// Every feature has a number among the kinds of names: kForms * template + form for pairs;
// then come the templates of new clusters.
std::size_t start_kind(const TemplateSet& templates, std::size_t t);
// [kinds]: how many values such a feature has.
std::vector<std::size_t> value_counts(const TemplateSet& templates);

// The values of a feature of m and a candidate, or null for a new cluster, in the order of
// feature_text().
void find_values(const TemplateSet& templates, std::size_t kind, const DocumentView& data, std::size_t m,
                 const Candidate* candidate, const ValueTexts& texts, std::vector<std::string>& values);
// "typed string=same m.type=it"
std::string feature_text(const TemplateSet& templates, std::size_t kind,
                         const std::vector<std::string>& values);

}  // namespace hinge::coref
