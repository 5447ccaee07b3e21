// The floating-point environment of everything that merges: round to nearest even, denormals kept.
// Engine threads run with denormals flushed; an executor that pre-merges on one of them must get
// the bits that the master gets.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dl::averaging {

// Sets IEEE defaults for its lifetime and restores what it found. The compiler may move arithmetic
// across a change of MXCSR, so the arithmetic itself belongs into functions that are not inlined:
// the kernels, called through pointers.
class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if (saved_ != kIeee) _mm_setcsr(kIeee);
  }
  ~FloatEnvironment() {
    if (saved_ != kIeee) _mm_setcsr(saved_);
  }
#else
  FloatEnvironment() {}
  ~FloatEnvironment() {}
#endif
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

#if defined(__SSE2__)
 private:
  static constexpr unsigned kIeee = 0x1F80;  // all exceptions masked, nearest even, no FTZ, no DAZ
  unsigned saved_;
#endif
};

}  // namespace dl::averaging
