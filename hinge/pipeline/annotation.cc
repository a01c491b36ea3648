#include "hinge/pipeline/annotation.h"

#include "hinge/core/error.h"

namespace hinge {
namespace {

std::vector<std::string> tagger_paths(const std::string& taggers, std::string_view name) {
  std::vector<std::string> paths = split_list(taggers);
  if (paths.empty()) fail<OptionError>("{} is '{}' but must name a model", name, taggers);
  return paths;
}

void check_file(const Source& source, std::string_view name) {
  if (source.memory != nullptr)
    fail<OptionError>("{}: {} annotates files, but this is in memory; write it to a file", source.name(),
                      name);
}

}  // namespace

Annotated annotate(const Source& source, const std::string& taggers, std::string_view name) {
  if (taggers.empty()) return Annotated(source);
  check_file(source, name);
  return Annotated(tag_file(tagger_paths(taggers, name), source.path));
}

Annotated annotate_training(const Source& source, const JobSettings& settings, Workers& workers,
                            Observer& observer, const std::function<void(const std::string&)>& say) {
  if (!settings.jackknife) return Annotated(source);
  const std::string name = settings.spelled("jackknife");
  if (settings.tagger.empty())
    fail<OptionError>("{} learns a tagger anew for each part; say with {} what kind", name,
                      settings.spelled("tagger"));
  check_file(source, name);
  const Jackknife how{.taggers = tagger_paths(settings.tagger, settings.spelled("tagger")),
                      .folds = *settings.jackknife};
  return Annotated(jackknife(how, source.path, workers, observer, say));
}

}  // namespace hinge
