// What a minibatch is compared with, before anything is computed of it.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "nn/losses/loss.h"

namespace dl::nn {

// The outputs that it will be compared with.
struct Judged {
  const std::string& layer;  // their name
  int64_t rows = 0, outputs = 0;
  int64_t steps = 1;  // rows of an example
};

// InvalidArgument: sizes that are others than those of the outputs; the first label that is no
// class, or target that is out of the loss's range, with its row; the first sequence of classes
// that its example has too few steps for.
Status CheckExpected(const Labels& labels, const Judged& judged, const Expected& expected);

}  // namespace dl::nn
