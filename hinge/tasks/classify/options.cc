#include "hinge/tasks/classify/options.h"

#include "hinge/tasks/cacheable.h"
#include "hinge/tasks/classify/check.h"
#include "hinge/tasks/classify/evaluate.h"
#include "hinge/tasks/classify/sample.h"
#include "hinge/tasks/classify/training_set.h"

namespace hinge::classify {
namespace {

class ClassifyChoice final : public TaskChoice, public Cacheable {
 public:
  ClassifyChoice() : table_("classify") { options_.describe(table_); }

  OptionTable& options() override { return table_; }

  void continue_from(const ModelFile& model) override { known_ = read_known(model); }

  std::unique_ptr<TrainingSet> load(const Source& source, Workers&) const override {
    return make_training_set(source, options_, known_);
  }

  void compile(const Source& source, Workers&, SpillSpace& space, BlockCacheWriter& out) const override {
    compile_training_set(source, options_, known_, space, out);
  }
  std::unique_ptr<TrainingSet> open(std::shared_ptr<BlockCache> cache) const override {
    return open_training_set(std::move(cache), options_);
  }

  Evaluation evaluate(const std::string& gold, const std::string& system) const override {
    return evaluate_files(gold, system, {parse_format(options_.format), options_.label_prefix});
  }

  void check(const Source& source, CorpusCheck& check) const override {
    check_texts(source, {parse_format(options_.format), options_.label_prefix}, check);
  }
  std::span<const FindingKind> finding_kinds() const override { return classify::finding_kinds(); }

  void sample(std::int64_t texts, std::uint64_t seed, OutputFile& out) const override {
    sample_texts(texts, seed, out);
  }

 private:
  ClassifyOptions options_;
  OptionTable table_;
  Known known_;
};

}  // namespace

void ClassifyOptions::describe(OptionTable& table) {
  table
      .add("format", format,
           "lines: fasttext (__label__NAME text), tab (label, tab, text), or auto: by the first line")
      .one_of({"auto", "fasttext", "tab"});
  table.add("label_prefix", label_prefix, "what labels begin with in fastText's format");
  table.add("lowercase", lowercase, "ignore upper and lower case");
  table.add("ngrams", ngrams, "length of the longest word n-grams; 0: no words")
      .at_least(0)
      .at_most(static_cast<double>(kMostNGrams));
  table.add("chars", chars, "lengths of character n-grams inside words, such as 3 or 3-5; 0: none");
  table.add("hash_bits", hash_bits, "hash features into 2^bits rows; 0: keep a vocabulary")
      .at_least(0)
      .at_most(static_cast<double>(kMostHashBits));
  table.add("min_count", min_count, "with hash_bits=0: drop features that fewer texts have").at_least(1);
  table.add("prune", prune, "drop weights up to this absolute value from the model").at_least(0);
  table.add("names", names, kNamesHelp).with({Trait::kIfSet});
}

std::unique_ptr<TaskChoice> choose() { return std::make_unique<ClassifyChoice>(); }

}  // namespace hinge::classify
