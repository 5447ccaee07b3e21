#include "nn/conf/step_lengths.h"

namespace dl::nn {

int64_t StepWindow::LengthOf(int64_t length) const {
  const int64_t last = length + added - 1;  // where a window can begin, from the first window
  if (last < 0) return 1;
  const int64_t windows = last / stride + 1;
  const bool is_part_left = last % stride != 0;
  return ceil_mode && is_part_left && windows * stride < length + before ? windows + 1 : windows;
}

int64_t StepLengths::Of(int64_t length) const {
  for (const StepWindow& window : windows) length = window.LengthOf(length);
  return length;
}

}  // namespace dl::nn
