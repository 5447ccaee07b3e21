// Checks the labels and targets of a minibatch before anything is computed.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "nn/losses/loss.h"

namespace dl::nn {

// The outputs that are compared with the labels or targets.
struct Judged {
  const std::string& layer;  // name of the layer
  int64_t rows = 0, outputs = 0;
  int64_t steps = 1;  // rows per example
};

// Returns InvalidArgument in these cases: the sizes differ from those of the outputs; a label is
// not a class, or a target is outside of the loss's range (the message names the first one and its
// row); a sequence of classes needs more steps than its example has, or has a class after kNoLabel.
// The labels and targets of rows that do not count are not checked, nor are weights.
Status CheckExpected(const Labels& labels, const Judged& judged, const Expected& expected);

}  // namespace dl::nn
