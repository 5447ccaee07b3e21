// The inner loops of merging. Private to averaging/: everybody else uses accumulator.h and grid.h.
//
// Each loop uses only exact operations and IEEE additions, multiplications and divisions per
// element, without a reduction in floating point, so every instruction set gives the same bits.
// REQUIRES: FloatEnvironment is in force.
#pragma once

#include <cstdint>
#include <span>

namespace dl::averaging {

__extension__ typedef __int128 Int128;

// One segment of a contribution on its grid: q = rne(value * scale), |q| <= 2^41, and sum += weight
// * q.
struct Term {
  double scale = 0;  // 2^(41 - exponent), or 0 for a segment that is all zero
  int64_t weight = 0;
};

// The way back: value = (sum / weight_sum) * step.
struct Quotient {
  double weight_sum = 1;
  double step = 0;  // 2^(exponent - 41), or 0
};

// The loops that run over all parameters, compiled for one instruction set. The bits do not depend
// on the choice.
struct Kernels {
  const char* isa;
  // The largest |x| as the bits of a float without its sign: from 0x7f800000 on, something is
  // infinite or NaN.
  uint32_t (*largest_bits)(std::span<const float> x);
  // REQUIRES: 0 < weight <= 2^21, so that 64 bits hold the sum.
  void (*add)(std::span<const float> x, Term term, int64_t* sums);
  void (*finish)(const int64_t* sums, Quotient quotient, std::span<float> out);
};

// All that this CPU can run, slowest first; the last one is the one to use.
std::span<const Kernels> SupportedKernels();
const Kernels& BestKernels();

// The same for sums of 128 bits, and for second moments v + m*m (in double) of batch-norm pairs:
// rare or short, so compiled once.
void AddWide(std::span<const float> x, Term term, Int128* sums);
void FinishWide(const Int128* sums, Quotient quotient, std::span<float> out);

double FloatFromBits(uint32_t bits);  // exact, denormals included
// The largest |v + m*m|. REQUIRES: both finite and of one size.
double LargestSecondMoment(std::span<const float> mean, std::span<const float> variance);

struct MomentsView {
  std::span<const float> mean;
  std::span<const float> variance;
};
void AddSecondMoment(MomentsView moments, Term term, int64_t* sums);
void AddSecondMoment(MomentsView moments, Term term, Int128* sums);

// variance = E[v + m*m] - E[m]^2, clamped at 0, with E[m] in double, before its rounding to float.
// Returns the index of the first variance beyond float's range, or -1.
template <typename Sum>
struct PooledSums {
  const Sum* mean;
  Quotient mean_quotient;
  const Sum* second_moment;
  Quotient second_moment_quotient;
};
int64_t FinishVariance(PooledSums<int64_t> sums, std::span<float> out);
int64_t FinishVariance(PooledSums<Int128> sums, std::span<float> out);

void MergeSums(const int64_t* from, int64_t n, int64_t* into);

}  // namespace dl::averaging
