// Flush-to-zero and denormals-are-zero are properties of a thread. Every thread that computes a
// result must have the same control word. Otherwise equal inputs may give different bits.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

namespace dl::nn {

// Round to nearest even, all exceptions masked, FTZ and DAZ (docs/adr/0008).
inline constexpr uint32_t kMxcsr = 0x9FC0;

// Sets the control word of the calling thread, and restores the earlier one on destruction. Must be
// destroyed by the thread that created it.
class FloatingPointMode {
 public:
  FloatingPointMode() : before_(_mm_getcsr()) { _mm_setcsr(kMxcsr); }
  ~FloatingPointMode() { _mm_setcsr(before_); }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 private:
  uint32_t before_;
};

}  // namespace dl::nn
