// A model with all or part of one section replaced by any bytes, under valid
// checksums, is either refused with a ModelError or predicts something; likewise raw
// bytes as a whole file. The first byte chooses the section, the next two where the
// replacement begins; 0xFFFF replaces all of it.
#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/core/threads.h"
#include "hinge/files/output_file.h"
#include "hinge/tasks/registry.h"

namespace {

constexpr char kTrain[] = "The DT B-NP\ncat NN I-NP\nsat VBD B-VP\n\nDogs NNS B-NP\nran VBD B-VP\n";

hinge::ModelFile tiny_model() {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(kTrain);
  const hinge::fuzz::MemoryFile file(bytes, sizeof kTrain - 1);
  const auto task = hinge::find_task("tag").choose();
  task->options().set("features", "np-chunk");
  const auto set = task->load(file.path());
  hinge::Weights w(set->task().dimension());
  for (std::size_t id = 0; id < w.size(); id += 3) w[id] = static_cast<float>(id % 7) - 3.0f;
  hinge::ModelWriter writer;
  hinge::Json meta = hinge::Json().set("task", "tag");
  set->save(w, writer, meta);
  writer.add("meta", meta.dump());
  return hinge::ModelFile::from_bytes(writer.bytes(), "tiny");
}

void use(std::string bytes) {
  try {
    const auto file = hinge::ModelFile::from_bytes(std::move(bytes), "fuzz");
    const auto predictor = hinge::open_predictor(file);
    const auto* text = reinterpret_cast<const std::uint8_t*>(kTrain);
    const hinge::fuzz::MemoryFile input(text, sizeof kTrain - 1);
    hinge::OutputFile out("/dev/null");
    hinge::Workers workers(1);
    predictor->predict(input.path(), out, {}, workers);
    (void)predictor->heaviest(5);
  } catch (const hinge::Error&) {
    return;
  }
}

std::string changed(std::string section, std::size_t place, const std::string& payload) {
  if (place == 0xFFFF) return payload;
  const std::size_t begin = place % (section.size() + 1);
  return section.replace(begin, payload.size(), payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hinge::ModelFile model = tiny_model();
  if (size < 3) return 0;
  const std::string payload(reinterpret_cast<const char*>(data + 3), size - 3);
  const std::size_t place = data[1] + std::size_t{256} * data[2];
  const auto sections = model.sizes();
  if (data[0] >= sections.size()) {
    use(payload);
    return 0;
  }
  hinge::ModelWriter writer;
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const std::string whole(model.section(sections[s].first));
    writer.add(sections[s].first, s == data[0] ? changed(whole, place, payload) : whole);
  }
  use(writer.bytes());
  return 0;
}
