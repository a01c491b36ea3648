#include "hinge/corpus/nbest/lists.h"

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/corpus/nbest/parser.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/text_source.h"

namespace hinge {
namespace {

class Reader {
 public:
  explicit Reader(const NBestOptions& options)
      : builder_(options), moses_(moses_parser(builder_)), json_(json_parser(builder_)) {}

  void read_text(const TextInput& input) {
    LineReader lines(input);
    NBestParser* parser = nullptr;
    for (std::string_view line; lines.next(line);) {
      const std::string_view content = trim(line);
      if (content.empty()) continue;
      if (parser == nullptr) parser = content.front() == '{' ? json_.get() : moses_.get();
      const Place where{lines.name(), lines.number()};
      parser->parse(line, where, hypothesis_);
      builder_.add(hypothesis_, where);
    }
    if (parser == nullptr) {
      fail<InputError>("{}: is empty, but n-best lists were expected; check that the decoder wrote them",
                       lines.name());
    }
  }

  void add(const NBestLists& lists, const std::string& path) { builder_.add(lists, path); }
  NBestLists finish() { return builder_.finish(); }

 private:
  NBestBuilder builder_;
  std::unique_ptr<NBestParser> moses_;
  std::unique_ptr<NBestParser> json_;
  Hypothesis hypothesis_;
};

NBestLists open_cache(const std::string& path, const NBestOptions& options) {
  NBestLists lists = open_nbest_cache(path);
  const std::string_view name(lists.cost_name.data(), lists.cost_name.size());
  if (options.cost_feature.empty() || (options.cost_optional && lists.costs.empty())) return lists;
  if (lists.costs.empty() || name != options.cost_feature) {
    fail<InputError>("{}: has {}; make the cache again from the lists, with --cost {}", path,
                     lists.costs.empty() ? "no costs" : fmt::format("costs from another feature, '{}'", name),
                     options.cost_feature);
  }
  return lists;
}

}  // namespace

NBestLists read_nbest(std::span<const std::string> paths, const NBestOptions& options) {
  if (paths.size() == 1 && !options.merge && is_nbest_cache(paths[0])) return open_cache(paths[0], options);
  Reader reader(options);
  for (const std::string& path : paths) {
    if (is_nbest_cache(path)) {
      reader.add(open_cache(path, options), path);
    } else {
      reader.read_text(path);
    }
  }
  return reader.finish();
}

NBestLists read_nbest(const TextInput& input, const NBestOptions& options) {
  if (!input.text) {
    std::vector<std::string> paths = {input.name};
    for (const TextInput& file : input.more) paths.push_back(file.name);
    return read_nbest(paths, options);
  }
  Reader reader(options);
  reader.read_text(input);
  return reader.finish();
}

}  // namespace hinge
