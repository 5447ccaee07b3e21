// Lengths of sequences of variable length after layers with windows over the steps.
#pragma once

#include <cstdint>
#include <vector>

namespace dl::nn {

// The windows of one layer over the steps of a sequence.
struct StepWindow {
  // Number of windows with a stride of 1 over a sequence, minus its number of steps. It is the
  // padding on both sides, plus 1, minus the number of steps that a window spans. Not above 0
  // without padding.
  int64_t added = 0;
  int64_t stride = 1;
  // Whether a last window counts that extends beyond the padded sequence. It must begin before the
  // end of the sequence.
  bool ceil_mode = false;
  int64_t before = 0;  // steps of padding before the sequence; 0 unless ceil_mode

  bool KeepsLengths() const { return added == 0 && stride == 1; }
  // Returns the number of windows over `length` steps. Returns 1 if the sequence is too short for a
  // window; the only window then extends beyond the end of the padded sequence.
  int64_t LengthOf(int64_t length) const;
  bool operator==(const StepWindow&) const = default;
};

// Computes the length of an example at a layer from its length in the data. Layers that keep
// lengths add no window.
struct StepLengths {
  std::vector<StepWindow> windows;  // of the layers before, in order

  // Returns whether the length of an example is its length in the data.
  bool AreUnchanged() const { return windows.empty(); }
  // Returns the length of an example that has `length` steps in the data, at least 1. REQUIRES:
  // `length` is at least 1.
  int64_t Of(int64_t length) const;
  bool operator==(const StepLengths&) const = default;
};

}  // namespace dl::nn
