// The inner loops of merging. Private to averaging/: other folders use accumulator.h and grid.h.
//
// The loops use only exact operations and IEEE additions, multiplications and divisions of single
// elements. They contain no floating-point reduction, so every instruction set gives the same bits.
// REQUIRES: a FloatEnvironment exists on this thread.
#pragma once

#include <cstdint>
#include <span>

namespace dl::averaging {

__extension__ typedef __int128 Int128;

// How one segment of a contribution is added: q = rne(value * scale), |q| <= 2^41, and then sum +=
// weight * q.
struct Term {
  double scale = 0;  // 2^(41 - exponent), or 0 for a segment in which all values are zero
  int64_t weight = 0;
};

// How a sum becomes a value again: value = (sum / weight_sum) * step.
struct Quotient {
  double weight_sum = 1;
  double step = 0;  // 2^(exponent - 41), or 0
};

// The loops that run over all parameters, compiled for one instruction set. The bits do not depend
// on the choice.
struct Kernels {
  const char* isa;  // "portable", "avx2", "avx512"
  // Returns the largest |x| as the bits of a float without its sign. A result of 0x7f800000 or more
  // means that an element is infinite or NaN.
  uint32_t (*largest_bits)(std::span<const float> x);
  // Adds a segment of a contribution to its sums.
  // REQUIRES: 0 < weight <= 2^21, so that 64 bits hold the sum.
  void (*add)(std::span<const float> x, Term term, int64_t* sums);
  // Converts the sums of a segment to values.
  void (*finish)(const int64_t* sums, Quotient quotient, std::span<float> out);
};

// The kernels that this CPU can run, slowest first. BestKernels() returns the last of them.
std::span<const Kernels> SupportedKernels();
const Kernels& BestKernels();

// The same loops for 128-bit sums, and for second moments v + m*m (in double) of batch-norm pairs.
// They are used rarely or on short segments, so they are compiled for one instruction set only.
void AddWide(std::span<const float> x, Term term, Int128* sums);
void FinishWide(const Int128* sums, Quotient quotient, std::span<float> out);

double FloatFromBits(uint32_t bits);  // exact, denormals included
// Returns the largest |v + m*m|. REQUIRES: all values finite, both spans of the same size.
double LargestSecondMoment(std::span<const float> mean, std::span<const float> variance);

struct MomentsView {
  std::span<const float> mean;
  std::span<const float> variance;
};
void AddSecondMoment(MomentsView moments, Term term, int64_t* sums);
void AddSecondMoment(MomentsView moments, Term term, Int128* sums);

// Computes variance = E[v + m*m] - E[m]^2, not below 0, with E[m] in double before it is rounded to
// float. Returns the index of the first variance beyond float's range, or -1.
template <typename Sum>
struct PooledSums {
  const Sum* mean;
  Quotient mean_quotient;
  const Sum* second_moment;
  Quotient second_moment_quotient;
};
int64_t FinishVariance(PooledSums<int64_t> sums, std::span<float> out);
int64_t FinishVariance(PooledSums<Int128> sums, std::span<float> out);

// Adds `n` sums of another accumulator.
void MergeSums(const int64_t* from, int64_t n, int64_t* into);

}  // namespace dl::averaging
