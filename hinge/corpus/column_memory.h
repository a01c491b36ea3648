// Sentences in memory, for a ColumnReader without a file. All cells share one
// string, so adding a cell needs no allocation of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

// Every token has one cell per column; a sentence may have no tokens. A cell is
// any UTF-8 text without NUL bytes, "" included. The end_ functions throw
// InputError "sentence 3, token 5: ...", counted from 1. Do not use an object
// again after it has thrown.
class ColumnMemory {
 public:
  // columns: at least 1.
  explicit ColumnMemory(std::size_t columns) : columns_(columns) {}

  void add_cell(std::string_view text) {
    texts_ += text;
    cell_end_.push_back(texts_.size());
  }
  void end_token();
  void end_sentence();
  void clear();  // removes all sentences; keeps the capacity

  std::size_t columns() const { return columns_; }
  std::size_t sentences() const { return sentence_end_.size(); }
  std::size_t tokens(std::size_t sentence) const { return sentence_end_[sentence] - begin(sentence); }
  std::size_t all_tokens() const { return tokens_; }
  std::size_t begin(std::size_t sentence) const { return sentence == 0 ? 0 : sentence_end_[sentence - 1]; }
  // token: counted over all sentences.
  std::string_view cell(std::size_t token, std::size_t column) const {
    const std::size_t k = token * columns_ + column;
    const std::size_t first = k == 0 ? 0 : cell_end_[k - 1];
    return std::string_view(texts_).substr(first, cell_end_[k] - first);
  }
  // Appends the cells [tokens][columns] of a sentence.
  void views(std::size_t sentence, std::vector<std::string_view>& cells) const;

  static std::string place(std::size_t sentence, std::size_t token);  // (0, 0): "sentence 1, token 1"
  std::string here() const;                                           // the place being built

 private:
  std::size_t columns_;
  std::size_t tokens_ = 0;
  std::string texts_;
  std::vector<std::size_t> cell_end_;      // [cells], into texts_
  std::vector<std::size_t> sentence_end_;  // [sentences], into tokens
};

}  // namespace hinge
