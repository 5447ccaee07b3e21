#include "nn/metrics/best_path.h"

#include <algorithm>

namespace dl::nn {

int64_t BestPath(std::span<const float> outputs, int64_t width, std::span<int32_t> classes) {
  const int64_t blank = width - 1;
  int64_t count = 0, before = blank;
  for (; !outputs.empty(); outputs = outputs.subspan(width)) {
    const auto step = outputs.first(width);
    const int64_t largest = std::ranges::max_element(step) - step.begin();
    if (largest != blank && largest != before) classes[count++] = static_cast<int32_t>(largest);
    before = largest;
  }
  return count;
}

std::vector<int32_t> BestPath(std::span<const float> outputs, int64_t width) {
  std::vector<int32_t> classes(outputs.size() / width);
  classes.resize(BestPath(outputs, width, classes));
  return classes;
}

std::span<const int32_t> SequenceOf(std::span<const int32_t> labels) {
  return labels.first(std::ranges::find_if(labels, [](int32_t c) { return c < 0; }) -
                      labels.begin());
}

}  // namespace dl::nn
