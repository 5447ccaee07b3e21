// The inner loops of merging. Private to averaging/: other folders use accumulator.h and grid.h.
//
// The loops use only integer operations, and IEEE operations on single elements: additions,
// multiplications, divisions and conversions. Reductions over elements take a maximum, which is
// exact. So every instruction set gives the same bits. REQUIRES: a FloatEnvironment exists on this
// thread (MergeSums does not need it).
#pragma once

#include <cstdint>
#include <span>

namespace dl::averaging {

__extension__ typedef __int128 Int128;

// How one segment of a contribution is added: sum += weight * q with q = rne(value * scale), which
// is rounded to the nearest integer, ties to even. REQUIRES: |q| <= 2^41.
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
  // REQUIRES: weight > 0, and the weights of all contributions in `sums` add up to at most 2^21, so
  // that 64 bits hold a sum.
  void (*add)(std::span<const float> x, Term term, int64_t* sums);
  // Converts the sums of a segment to values. `sums` has as many entries as `out`.
  void (*finish)(const int64_t* sums, Quotient quotient, std::span<float> out);
};

// The kernels that this CPU can run, slowest first. BestKernels() returns the last of them.
std::span<const Kernels> SupportedKernels();
const Kernels& BestKernels();

// The functions below are compiled for one instruction set only. Most of them are used rarely or on
// short segments. AddWide and FinishWide are Kernels::add and finish for 128-bit sums.
void AddWide(std::span<const float> x, Term term, Int128* sums);
void FinishWide(const Int128* sums, Quotient quotient, std::span<float> out);

double FloatFromBits(uint32_t bits);  // exact, denormals included
// Returns the largest |v + m*m|. REQUIRES: all values finite, both spans of the same size.
double LargestSecondMoment(std::span<const float> mean, std::span<const float> variance);

// Adds the second moments v + m*m (in double) of a batch-norm pair to their sums, as Kernels::add
// adds values. REQUIRES: both spans have the same size.
struct MomentsView {
  std::span<const float> mean;
  std::span<const float> variance;
};
void AddSecondMoment(MomentsView moments, Term term, int64_t* sums);
void AddSecondMoment(MomentsView moments, Term term, Int128* sums);

// FinishVariance writes variance = E[v + m*m] - E[m]^2, not below 0, to `out`. Both means are used
// in double, before they are rounded to float. All sums have as many entries as `out`. Returns the
// index of the first variance beyond float's range, or -1.
template <typename Sum>
struct PooledSums {
  const Sum* mean;
  Quotient mean_quotient;
  const Sum* second_moment;
  Quotient second_moment_quotient;
};
int64_t FinishVariance(PooledSums<int64_t> sums, std::span<float> out);
int64_t FinishVariance(PooledSums<Int128> sums, std::span<float> out);

// Adds `n` sums of another accumulator to `into`, entry by entry.
void MergeSums(const int64_t* from, int64_t n, int64_t* into);

}  // namespace dl::averaging
