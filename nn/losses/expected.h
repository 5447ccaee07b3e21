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

// Returns InvalidArgument for the first mistake. Its message names the row of a wrong label or
// target, or the example of a wrong sequence. Mistakes are:
//
// - The number of labels or targets does not fit the outputs.
// - A label is not a class, or a target is outside of the loss's range.
// - A sequence of classes needs more steps than its example has, or has a class after kNoLabel.
//
// Does not check weights, nor the labels and targets of rows that do not count.
Status CheckExpected(const Labels& labels, const Judged& judged, const Expected& expected);

}  // namespace dl::nn
