#include "hinge/pipeline/annotation.h"

#include "hinge/core/error.h"

namespace hinge {

Annotators open_annotators(const std::string& models, std::string_view name) {
  const std::vector<std::string> paths = split_list(models);
  if (paths.empty() && !models.empty()) fail<OptionError>("{} is '{}' but must name a model", name, models);
  return Annotators(paths);
}

Source annotate_training(const Source& source, const JobSettings& settings, Workers& workers,
                         Observer& observer, const std::function<void(const std::string&)>& say) {
  if (!settings.jackknife) return source;
  const std::string name = settings.spelled("jackknife");
  if (settings.tagger.empty())
    fail<OptionError>("{} trains a tagger for each part; name one to copy with {}", name,
                      settings.spelled("tagger"));
  if (source.memory != nullptr)
    fail<OptionError>("{}: {} annotates text, but this is in memory; write it to a file", source.name(),
                      name);
  return jackknife(open_annotators(settings.tagger, settings.spelled("tagger")),
                   static_cast<std::size_t>(*settings.jackknife), source, workers, observer, say);
}

}  // namespace hinge
