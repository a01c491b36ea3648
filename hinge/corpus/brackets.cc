#include "hinge/corpus/brackets.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_token(char c) { return is_blank(c) || c == '(' || c == ')'; }

// "NP" for "NP-SBJ-1", "NP=2" and "NP|X". A label that begins with a mark, such as
// -NONE- or -LRB-, is whole.
std::string_view bare_label(std::string_view label) {
  const std::size_t end = label.find_first_of("-=|", 1);
  return label.empty() || label[0] == '-' ? label : label.substr(0, end);
}

// Reads one bracket after the other; counts lines.
class Parser {
 public:
  struct Problem {
    std::size_t line;
    std::string text;
  };

  Parser(std::string_view text, std::size_t at, std::size_t line, BracketCleaning cleaning, BracketTree& tree)
      : text_(text), at_(at), line_(line), cleaning_(cleaning), tree_(tree) {}

  std::size_t at() const { return at_; }
  std::size_t line() const { return line_; }

  // The character at the next token, or 0 at the end.
  char peek() {
    while (at_ < text_.size() && is_blank(text_[at_])) line_ += text_[at_++] == '\n';
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // A whole tree from its opening bracket on. False: the text ends within it.
  bool tree() {
    const std::size_t first = tree_.nodes.size();
    open_.clear();
    do {
      switch (peek()) {
        case '\0':
          return false;
        case '(':
          open();
          break;
        case ')':
          close();
          break;
        default:
          word();
      }
    } while (!open_.empty());
    keep_if_filled(first);
    return true;
  }

  std::string_view token() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_token(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  struct Open {
    std::uint32_t node;
    std::size_t line;
    bool filled;  // has a child, kept or not
  };

  void open() {
    if (open_.size() == kMostBracketDepth)
      throw Problem{line_, fmt::format("the brackets are more than {} deep", kMostBracketDepth)};
    ++at_;
    const auto n = static_cast<std::uint32_t>(tree_.words.size());
    if (!open_.empty()) {
      open_.back().filled = true;
      if (tree_.nodes[open_.back().node].word)
        throw Problem{line_, "a bracket holds a word and a phrase; expected (TAG word) or (LABEL (...))"};
    }
    open_.push_back({static_cast<std::uint32_t>(tree_.nodes.size()), line_, false});
    // A label follows at once, as in Penn's files; "( (S" has none.
    const std::string_view label = peek() == '(' || peek() == ')' ? std::string_view() : token();
    tree_.nodes.push_back({label, n, n, 0, false});
  }

  void word() {
    if (open_.empty()) {
      const std::string_view found = token();
      throw Problem{line_, fmt::format("'{}' is outside the brackets; expected '('", found)};
    }
    BracketNode& node = tree_.nodes[open_.back().node];
    if (open_.back().filled) throw Problem{line_, "a bracket holds a word and more; expected (TAG word)"};
    node.word = open_.back().filled = true;
    tree_.words.push_back(token());
    if (tree_.words.size() > kMostTreeWords)
      throw Problem{line_, fmt::format("a tree has more than {} words", kMostTreeWords)};
  }

  void close() {
    if (open_.empty()) throw Problem{line_, "')' without '('; remove it or add the missing '('"};
    ++at_;
    const Open last = open_.back();
    open_.pop_back();
    BracketNode& node = tree_.nodes[last.node];
    if (!last.filled)
      throw Problem{last.line, fmt::format("the bracket '({})' is empty; expected a word or brackets in it",
                                           node.label)};
    if (node.label.empty() && !open_.empty())
      throw Problem{last.line, "a bracket has no label; only the one around the whole tree may have none"};
    finish(last.node);
  }

  void finish(std::uint32_t k) {
    BracketNode& node = tree_.nodes[k];
    if (node.word && node.label == "-NONE-" && !cleaning_.keep_empty) {
      tree_.nodes.pop_back();
      tree_.words.pop_back();
      return;
    }
    node.end = static_cast<std::uint32_t>(tree_.words.size());
    node.next = static_cast<std::uint32_t>(tree_.nodes.size());
    if (!node.word && node.begin == node.end) {
      tree_.nodes.resize(k);
      return;
    }
    if (!node.word && !cleaning_.keep_functions) node.label = bare_label(node.label);
  }

  // Drops a tree that has lost all its words.
  void keep_if_filled(std::size_t first) {
    if (tree_.nodes.size() > first && tree_.nodes[first].begin == tree_.nodes[first].end)
      tree_.nodes.resize(first);
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t line_;
  BracketCleaning cleaning_;
  BracketTree& tree_;
  std::vector<Open> open_;
};

}  // namespace

void link_nodes(BracketTree& tree) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t k = 0; k < tree.nodes.size(); ++k) {
    for (; !open.empty() && tree.nodes[open.back()].end <= tree.nodes[k].begin; open.pop_back())
      tree.nodes[open.back()].next = k;
    open.push_back(k);
  }
  for (const std::uint32_t k : open) tree.nodes[k].next = static_cast<std::uint32_t>(tree.nodes.size());
}

BracketReader::BracketReader(const TextInput& input, BracketCleaning cleaning)
    : source_(input, ChunkEnd::kLine), cleaning_(cleaning), name_(source_.name()), line_(input.first_line) {}

std::string BracketReader::where() const { return fmt::format("{}:{}", name(), tree_line_); }

void BracketReader::refuse(std::size_t line, const std::string& problem) const {
  fail<InputError>("{}:{}: {}", name(), line, problem);
}

// Drops what was read and adds the next lines of the file; false at its end.
bool BracketReader::fill() {
  std::string_view chunk;
  if (at_end_ || !ahead_.empty()) return false;
  if (!source_.next(chunk)) {
    at_end_ = true;
    return false;
  }
  if (source_.part() != part_) {
    ahead_ = chunk;
    return false;
  }
  text_.erase(0, at_);
  seen_ = std::max(seen_, at_) - at_;
  at_ = 0;
  text_.append(chunk);
  if (text_.size() > kMostBlockBytes)
    refuse(line_, fmt::format("a tree does not end within {} MB", kMostBlockBytes >> 20));
  return true;
}

// Goes on with the next of several files; false if there is none.
bool BracketReader::begin_file() {
  if (ahead_.empty()) return false;
  part_ = source_.part();
  name_ = source_.name();
  line_ = source_.first_line();
  text_ = ahead_;
  ahead_ = {};
  at_ = seen_ = 0;
  open_ = 0;
  return true;
}

// Whether the text from at_ on holds a whole tree, or something that is wrong. Counts every
// bracket once, however slowly a tree arrives.
bool BracketReader::holds_tree() {
  for (; seen_ < text_.size(); ++seen_) {
    const char c = text_[seen_];
    if (c != '(' && c != ')') continue;
    open_ += c == '(' ? 1 : -1;
    if (open_ <= 0) return true;
  }
  return false;
}

bool BracketReader::next(BracketTree& tree) {
  seen_ = at_;
  open_ = 0;
  while (true) {
    tree.clear();
    Parser parser(text_, at_, line_, cleaning_, tree);
    try {
      const char first = parser.peek();
      at_ = parser.at();
      line_ = parser.line();
      if (first == '\0') {
        if (!fill() && !begin_file()) return false;
        continue;
      }
      tree_line_ = line_;
      if (first == '(' && !holds_tree() && fill()) continue;
      if (!parser.tree())
        refuse(tree_line_, "the brackets that begin here are never closed; add the missing ')'");
    } catch (const Parser::Problem& problem) {
      refuse(problem.line, problem.text);
    }
    at_ = parser.at();
    line_ = parser.line();
    if (!tree.words.empty()) return true;
    seen_ = at_;
    open_ = 0;
  }
}

bool parse_brackets(std::string_view text, std::string_view where, BracketCleaning cleaning,
                    BracketTree& tree) {
  tree.clear();
  Parser parser(text, 0, 1, cleaning, tree);
  std::size_t trees = 0;
  try {
    tree.nodes.push_back({"", 0, 0, 0, false});
    while (parser.peek() != '\0') {
      const std::size_t before = tree.nodes.size();
      if (!parser.tree()) fail<InputError>("{}: a bracket is never closed; add the missing ')', or put the whole tree here", where);
      trees += tree.nodes.size() > before;
    }
  } catch (const Parser::Problem& problem) {
    fail<InputError>("{}: {}", where, problem.text);
  }
  if (tree.words.empty()) return false;
  tree.nodes[0].end = static_cast<std::uint32_t>(tree.words.size());
  tree.nodes[0].next = static_cast<std::uint32_t>(tree.nodes.size());
  if (trees == 1) {
    tree.nodes.erase(tree.nodes.begin());
    for (BracketNode& node : tree.nodes) --node.next;
  }
  return true;
}

bool looks_like_brackets(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.size() < 2 || text[0] != '(') return false;
  if (!ends_token(text[1])) return true;
  const std::size_t second = text.find_first_not_of(" \t", 1);
  return second != std::string_view::npos && text[second] == '(';
}

void append_escaped(std::string_view word, std::string& out) {
  for (const char c : word) {
    if (c == '(') {
      out += "-LRB-";
    } else if (c == ')') {
      out += "-RRB-";
    } else {
      out += c;
    }
  }
}

void append_brackets(const BracketTree& tree, std::string& out) {
  std::vector<std::uint32_t> ends;  // of the open brackets
  for (std::uint32_t k = 0; k < tree.nodes.size(); ++k) {
    const BracketNode& node = tree.nodes[k];
    for (; !ends.empty() && ends.back() == k; ends.pop_back()) out += ')';
    if (!ends.empty()) out += ' ';
    out += '(';
    out += node.label;
    if (node.word) {
      out += ' ';
      append_escaped(tree.words[node.begin], out);
    }
    ends.push_back(node.next);
  }
  out.append(ends.size(), ')');
}

}  // namespace hinge
