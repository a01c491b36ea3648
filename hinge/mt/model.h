// A translation system in one file: words, rules, language model, weights. It is mapped,
// not read, so it opens in milliseconds whatever its size.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/files/json.h"
#include "hinge/files/output_file.h"
#include "hinge/files/section_file.h"
#include "hinge/mt/ngram_model.h"
#include "hinge/mt/rules.h"
#include "hinge/mt/translation_forest.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

inline constexpr std::uint32_t kModelFormat = 1;  // the newest this build reads and writes

class Model {
 public:
  // Throws ModelError if the file is not a translation model, is newer, damaged or cut
  // short.
  static Model open(const std::string& path);
  static bool is_model(const std::string& path);  // by its first bytes

  const std::string& name() const { return file_->name(); }
  std::uint64_t bytes() const { return file_->size(); }
  Parts parts() const;  // views into this
  const Json& description() const { return description_; }
  SparseSet sparse() const { return SparseSet(description_.text("sparse")); }
  std::vector<NamedWeight> weights() const;
  void verify() const { file_->verify(); }  // checks every byte

 private:
  explicit Model(SectionFile file);

  std::unique_ptr<SectionFile> file_;
  Json description_;
  Words source_, target_;
  Rules rules_;
  NgramModel language_model_;
};

// `description` holds at least "sparse" and "frequent".
void write_model(OutputFile& out, const Parts& parts, const Json& description,
                 std::span<const NamedWeight> weights);

}  // namespace hinge::mt
