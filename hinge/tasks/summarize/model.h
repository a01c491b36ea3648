// The contents of a `summarize` model file, and summarizing with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hinge/tasks/summarize/decoder.h"
#include "hinge/tasks/summarize/plan.h"
#include "hinge/tasks/system.h"

namespace hinge::summarize {

struct SummarySentence {
  std::uint32_t document = 0;
  std::uint32_t position = 0;  // in its document, from 0
  std::string text;            // without the parts that were cut
  bool cut = false;
};

struct Summary {
  std::vector<SummarySentence> sentences;
  std::size_t words = 0;
  double score = 0.0, bound = 0.0;
  bool exact = true;
};

// The sentences of a choice, in the order of the documents.
std::vector<SummarySentence> chosen_sentences(const TopicText& text, const TopicView& data,
                                              std::span<const char> chosen);

// Immutable: threads may share one, each with a Workspace of its own.
class Summarizer {
 public:
  class Workspace;

  // Views the file, which must outlive it. Throws ModelError if it is damaged.
  explicit Summarizer(const ModelFile& file);

  const Plan& plan() const { return plan_; }
  std::span<const float> weights() const { return weights_; }
  const std::vector<std::string>& names() const { return names_; }

  Summary summarize(const Topic& topic, Workspace& workspace) const;

 private:
  Plan plan_;
  std::unique_ptr<TreeMaker> trees_;
  std::vector<std::string> names_;
  std::vector<float> weights_;  // in the order of this build's features
};

// One per thread. The summarizer must outlive it.
class Summarizer::Workspace {
 public:
  explicit Workspace(const Summarizer& summarizer)
      : splitter_(summarizer.plan_.text, summarizer.trees_.get()), decoder_(summarizer.plan_.data.solver) {}

  // Of the last summary.
  const TopicText& text() const { return text_; }
  const TopicData& data() const { return data_; }
  const Decoder& decoder() const { return decoder_; }
  std::span<const char> chosen() const { return chosen_; }

 private:
  friend class Summarizer;

  TopicSplitter splitter_;
  Decoder decoder_;
  TopicText text_;
  TopicData data_;
  std::vector<char> chosen_;
};

}  // namespace hinge::summarize
