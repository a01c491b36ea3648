#include "hinge/corpus/stop_words.h"

#include <algorithm>
#include <array>

namespace hinge {
namespace {

// clang-format off
constexpr auto kStopWords = std::to_array<std::string_view>({
    "a", "about", "above", "across", "after", "again", "against", "all", "almost", "along", "already", "also",
    "although", "always", "am", "among", "an", "and", "another", "any", "anyone", "anything", "are", "aren",
    "around", "as", "at", "away", "be", "became", "because", "become", "becomes", "been", "before", "behind",
    "being", "below", "beside", "besides", "between", "beyond", "both", "but", "by", "can", "cannot", "could",
    "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "done", "down", "during", "each",
    "either", "else", "enough", "etc", "even", "ever", "every", "everyone", "everything", "few", "for",
    "from", "further", "get", "gets", "getting", "give", "given", "gives", "go", "goes", "going", "gone",
    "got", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "hence", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "however", "i", "if", "in", "indeed", "instead", "into", "is",
    "isn", "it", "its", "itself", "just", "last", "least", "less", "let", "like", "ll", "m", "made", "make",
    "makes", "many", "may", "maybe", "me", "might", "mine", "more", "most", "much", "must", "my", "myself",
    "near", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "now", "of", "off", "often",
    "on", "once", "one", "ones", "only", "onto", "or", "other", "others", "otherwise", "our", "ours",
    "ourselves", "out", "over", "own", "per", "perhaps", "quite", "rather", "re", "really", "s", "same",
    "shall", "she", "should", "shouldn", "since", "so", "some", "somebody", "someone", "something",
    "sometimes", "somewhat", "still", "such", "t", "than", "that", "the", "their", "theirs", "them",
    "themselves", "then", "there", "therefore", "these", "they", "this", "those", "though", "through",
    "throughout", "thus", "to", "together", "too", "toward", "towards", "under", "unless", "until", "up",
    "upon", "us", "use", "used", "uses", "using", "ve", "very", "via", "was", "wasn", "we", "well", "were",
    "weren", "what", "whatever", "when", "where", "whether", "which", "while", "who", "whoever", "whole",
    "whom", "whose", "why", "will", "with", "within", "without", "won", "would", "wouldn", "yet", "you",
    "your", "yours", "yourself", "yourselves",
});
// clang-format on
static_assert(std::ranges::is_sorted(kStopWords));

}  // namespace

std::span<const std::string_view> stop_words() { return kStopWords; }

bool is_stop_word(std::string_view word) {
  return std::binary_search(kStopWords.begin(), kStopWords.end(), word);
}

}  // namespace hinge
