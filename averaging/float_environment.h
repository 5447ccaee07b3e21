// The floating-point environment of all code that merges contributions: round to nearest even, and
// keep denormals. Threads that compute layers flush denormals to zero. An executor makes and
// measures contributions on such threads, and must get the same bits as the master.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dl::averaging {

// The constructor sets the defaults of IEEE 754 for the calling thread (register MXCSR). The
// destructor restores the previous settings, and must run on the same thread. Does nothing on
// processors without SSE2.
//
// The compiler may move arithmetic across a change of MXCSR. The arithmetic must therefore be in
// functions that are not inlined, such as the kernels, which are called through pointers.
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
