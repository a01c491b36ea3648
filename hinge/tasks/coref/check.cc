#include "hinge/tasks/coref/check.h"

#include "hinge/corpus/documents.h"
#include "hinge/corpus/scan.h"

namespace hinge::coref {
namespace {

constexpr FindingKind kKinds[] = {
    {"in-two-clusters", Severity::kWarning, "words that are a mention of two clusters",
     "join the clusters, or remove one mention: no prediction can be right for both"},
    {"no-mentions", Severity::kWarning, "documents without mentions", "check that the last column was kept"},
    {"crossing-mentions", Severity::kNote, "mentions that overlap without one holding the other",
     "check their ends"},
    {"single-mention", Severity::kNote, "clusters of one mention, while most have several",
     "check the name of the cluster"},
};
constexpr const FindingKind& kTwoClusters = kKinds[0];
constexpr const FindingKind& kNoMentions = kKinds[1];
constexpr const FindingKind& kCrossing = kKinds[2];
constexpr const FindingKind& kSingle = kKinds[3];

// Mentions that begin this much later are not compared: crossing ones are short.
constexpr std::size_t kMostNeighbours = 50;

class DocumentCheck {
 public:
  explicit DocumentCheck(CorpusCheck& check) : check_(check) {}

  void document(const Document& document, std::size_t line) {
    Key input = 1;
    for (const DocumentToken& token : document.tokens) input = combine(input, hash_text(token.word));
    Key gold = 1;
    for (const Mention& mention : document.mentions)
      gold = combine(combine(gold, mention.begin), combine(mention.end, mention.cluster));
    check_.example({.line = line,
                    .text = document.name,
                    .input = input,
                    .gold = gold,
                    .length = document.tokens.size()});
    if (document.mentions.empty()) check_.find(kNoMentions, line, "{}", shown(document.name));
    pairs(document);
    singles(document);
  }

  void finish() {
    if (single_.size() * 2 >= clusters_) return;
    for (const auto& [line, text] : single_) check_.find(kSingle, line, "{}", text);
    check_.add_total(kSingle, static_cast<std::int64_t>(clusters_));
  }

 private:
  static std::string text_of(const Document& document, const Mention& mention) {
    std::string text;
    for (std::uint32_t t = mention.begin; t < mention.end && text.size() < 50; ++t)
      text.append(text.empty() ? "" : " ").append(document.tokens[t].word);
    return shown(text);
  }

  // Mentions are sorted by their beginnings.
  void pairs(const Document& document) {
    const auto& mentions = document.mentions;
    for (std::size_t k = 0; k < mentions.size(); ++k) {
      const std::size_t most = std::min(mentions.size(), k + kMostNeighbours);
      for (std::size_t m = k + 1; m < most && mentions[m].begin < mentions[k].end; ++m) {
        const std::size_t line = document.tokens[mentions[m].begin].line;
        if (mentions[m].range() == mentions[k].range() && mentions[m].cluster != mentions[k].cluster)
          check_.find(kTwoClusters, line, "'{}' in {} and {}", text_of(document, mentions[m]),
                      document.cluster_names[mentions[k].cluster],
                      document.cluster_names[mentions[m].cluster]);
        if (mentions[m].begin > mentions[k].begin && mentions[m].end > mentions[k].end)
          check_.find(kCrossing, line, "'{}' and '{}'", text_of(document, mentions[k]),
                      text_of(document, mentions[m]));
      }
    }
  }

  void singles(const Document& document) {
    std::vector<std::pair<std::uint32_t, const Mention*>> counts(document.cluster_names.size());
    for (const Mention& mention : document.mentions) {
      ++counts[mention.cluster].first;
      counts[mention.cluster].second = &mention;
    }
    for (const auto& [count, mention] : counts) {
      clusters_ += count > 0;
      if (count == 1)
        single_.emplace_back(document.tokens[mention->begin].line,
                             fmt::format("'{}'", text_of(document, *mention)));
    }
  }

  CorpusCheck& check_;
  std::size_t clusters_ = 0;
  std::vector<std::pair<std::size_t, std::string>> single_;
};

}  // namespace

void check_documents(const Source& source, CorpusCheck& check) {
  check.name({"documents", "tokens"});
  DocumentSplitter splitter(source.input());
  DocumentCheck documents(check);
  try {
    for (DocumentText text; splitter.next(text);) {
      const std::size_t line = text.first_line;
      try {
        const Document document = parse_document(std::move(text));
        if (!document.tokens.empty()) documents.document(document, line);
      } catch (const InputError& error) {
        check.refuse(error);
      }
    }
  } catch (const InputError& error) {  // where documents begin and end is unclear from here on
    check.refuse(error);
  }
  documents.finish();
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::coref
