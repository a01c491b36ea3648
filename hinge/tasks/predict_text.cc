#include "hinge/tasks/predict_text.h"

#include <algorithm>
#include <vector>

#include "hinge/core/ordered_loop.h"

namespace hinge {

namespace {

// Predicts some inputs at a time and reuses their memory for the next round.
class Round {
 public:
  Round(Workers& workers, const TakeTexts& take) : workers_(workers), take_(take) {}

  void run(std::size_t n, const std::function<void(std::size_t, std::string&)>& predict) {
    if (texts_.size() < n) texts_.resize(n);
    for (std::string& text : texts_) text.clear();
    const LoopEnd end = each_until_error(workers_, n, [&](std::size_t i) { predict(i, texts_[i]); });
    take_(std::span(texts_).first(std::min(end.done + 1, n)));
    end.rethrow();
  }

 private:
  Workers& workers_;
  const TakeTexts& take_;
  std::vector<std::string> texts_;
};

}  // namespace

void predict_text(const Source& source, ColumnFormat format, Workers& workers, const MakeSlicePredictor& make,
                  const TakeTexts& take) {
  SliceReader reader(source, format, workers);
  PerThread<std::unique_ptr<SlicePredictor>> predictors(workers, make);
  Round round(workers, take);
  for (auto slices = reader.next(); !slices.empty(); slices = reader.next()) {
    round.run(slices.size(),
              [&](std::size_t i, std::string& out) { predictors.local()->predict(slices[i], out); });
  }
}

void predict_each(std::size_t n, Workers& workers,
                  const std::function<void(std::size_t, std::string&)>& predict, const TakeTexts& take) {
  constexpr std::size_t kMost = 1024;
  Round round(workers, take);
  for (std::size_t begin = 0; begin < n; begin += kMost) {
    round.run(std::min(n - begin, kMost), [&](std::size_t i, std::string& out) { predict(begin + i, out); });
  }
}

TakeTexts write_to(OutputFile& out) {
  return [&out](std::span<const std::string> texts) {
    for (const std::string& text : texts) out.write(text);
    out.flush();
  };
}

TakeTexts append_to(std::string& text) {
  return [&text](std::span<const std::string> more) {
    for (const std::string& piece : more) text += piece;
  };
}

}  // namespace hinge
