// Lengths of sequences of variable length after layers with windows over the steps.
#pragma once

#include <cstdint>
#include <vector>

namespace dl::nn {

// The windows of one layer over the steps of a sequence.
struct StepWindow {
  // Steps that windows with a stride of 1 add to a sequence: the padding before and after it, and 1
  // less the reach of a window. Negative without padding.
  int64_t added = 0;
  int64_t stride = 1;
  bool ceil_mode = false;  // a last window may be filled only in part, but begins before the end
  int64_t before = 0;      // steps of padding before the sequence; 0 unless ceil_mode

  bool KeepsLengths() const { return added == 0 && stride == 1; }
  // Returns the number of windows over `length` steps, at least 1. The only window of a shorter
  // sequence reaches into the padding.
  int64_t LengthOf(int64_t length) const;
  bool operator==(const StepWindow&) const = default;
};

// Computes the length of an example at a layer from its length in the data. Layers that keep
// lengths add no window.
struct StepLengths {
  std::vector<StepWindow> windows;  // of the layers before, in order

  bool AreThoseOfTheData() const { return windows.empty(); }
  // Returns a number of at least 1. REQUIRES: `length` is at least 1.
  int64_t Of(int64_t length) const;
  bool operator==(const StepLengths&) const = default;
};

}  // namespace dl::nn
