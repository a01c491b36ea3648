// Tags words with a model that `hinge train tag` wrote:
//
//   tag_words MODEL She/PRP saw/VBD the/DT report/NN
//
// A token has the columns of the training data but for the label, here with "/" between them.
#include <hinge/hinge.h>
#include <hinge/tasks/tag/model.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

int main(int argc, char** argv) try {
  const auto file = hinge::ModelFile::open(argc > 1 ? argv[1] : "");
  const hinge::tag::Tagger tagger(file);            // threads share it,
  hinge::tag::Tagger::Workspace workspace(tagger);  // each with a workspace of its own

  const std::string_view last = argv[argc - 1];
  const auto columns = static_cast<std::size_t>(1 + std::ranges::count(last, '/'));
  auto sentences = hinge::tag::Sentences::of_cells(columns, /*labelled=*/false);
  for (int i = 2; i < argc; ++i) {
    for (std::string_view rest = argv[i]; !rest.empty();) {
      sentences.add_cell(rest.substr(0, rest.find('/')));
      rest.remove_prefix(std::min(rest.find('/'), rest.size() - 1) + 1);
    }
    sentences.end_token();
  }
  sentences.end_sentence();

  tagger.score(sentences, 0, workspace);
  for (int i = 2; const hinge::LabelId label : tagger.best(workspace))
    std::printf("%s %s\n", argv[i++], tagger.labels().names()[label].c_str());
} catch (const hinge::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
