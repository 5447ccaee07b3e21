// The weighted mean of flat float32 vectors, the same to the bit for every order and grouping of
// its inputs: each value becomes an integer q = rne(x * 2^(41 - e)) on its segment's grid, and only
// the integers weight * q are added.
//
//   mean     = (sum of w * q) / (sum of w) * 2^(e - 41)
//   variance = mean of (v + m*m) - (mean of m)^2, not below 0; v + m*m in double, on its own grid
//
// (Pooled moments: E[x^2] - E[x]^2 over the union of what the workers saw.) Against the exact mean,
// an element of at least 2^-14 of its segment's largest magnitude is off by less than 1 ulp of
// float32, a smaller one by 2^-41 of that largest and the rounding to float32.
//
// Memory: 8 bytes per element, 16 when the weights' sum is above 2^21. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "averaging/grid.h"
#include "averaging/kernels.h"
#include "averaging/weights.h"
#include "base/segment_table.h"
#include "base/status.h"

namespace dl::averaging {

class Accumulator {
 public:
  // `weight_sum`: of all contributions of the round, whichever of them this accumulator will see;
  // it decides the width, so that all accumulators of a round merge. InvalidArgument when the table
  // is not mergeable, an exponent is impossible, or the sum is not in 1..kMaxWeightSum.
  static StatusOr<Accumulator> Create(SegmentTable table, GridExponents grid, int64_t weight_sum);

  // Empties it for another grid or round over the same table; buffers are kept. On an error nothing
  // changed.
  Status Reset(GridExponents grid, int64_t weight_sum);

  // Adds a contribution. REQUIRES: weight from NormalizeWeights. InvalidArgument, with nothing
  // added, when the vector does not fit the table, holds a NaN or an infinity, has a magnitude
  // above the grid, differs from what was `announced` for it (when given), or when the weight is
  // not in 1..what is left of the weights' sum.
  Status Add(std::span<const float> flat, int64_t weight, std::span<const double> announced = {});

  // Raises exponents: what has been added of those segments is forgotten, and all of it is missing
  // there; the rest stays. InvalidArgument, with nothing changed, when one is impossible or lower.
  // Returns the segments, ascending.
  StatusOr<std::vector<size_t>> Raise(const GridExponents& grid);
  // Adds a contribution once more, to segments where it is missing only. InvalidArgument, with
  // nothing added, when it does not fit the table, has a magnitude above the grid in one of them,
  // or when less than its weight is missing.
  Status AddMissing(std::span<const float> flat, int64_t weight, std::span<const size_t> segments);

  // What has been added, as it travels: the sums of w * q, one of 64 bits for each element of the
  // table, in its order. REQUIRES: the weights' sum <= kMaxNarrowWeightSum.
  std::span<const int64_t> sums() const { return narrow_; }
  // Adds sums() of another accumulator of the same round, to which contributions of that weight
  // were added. InvalidArgument, with nothing added, when they do not fit the table, the weight is
  // not in 1..what is left, a sum is more than contributions of that weight can give, or this
  // round's sums are wider.
  Status AddSums(std::span<const std::byte> sums, int64_t weight);

  // The weighted mean, one stretch of the table behind the other; a segment lies in one of them.
  // FailedPrecondition unless all of the weights' sum has been added, and is missing nowhere;
  // InvalidArgument when `out` does not fit or a pooled variance is beyond float32. `out` is
  // undefined after an error. May be called again.
  Status Finish(std::span<const std::span<float>> out) const;
  Status Finish(std::span<float> out) const { return Finish(std::span(&out, 1)); }

  const SegmentTable& table() const { return table_; }
  const GridExponents& grid() const { return grid_; }
  int64_t weight_added() const { return weight_added_; }

 private:
  explicit Accumulator(SegmentTable table) : table_(std::move(table)) {}

  bool MissesAny() const;
  bool wide() const { return weight_sum_ > kMaxNarrowWeightSum; }
  Status CheckContribution(std::span<const float> flat, std::span<const double> announced) const;
  Status CheckMagnitude(size_t segment, double magnitude) const;
  void AddSegment(size_t index, std::span<const float> flat, int64_t weight);
  Quotient QuotientOf(size_t index) const;
  Status FinishVarianceSegment(size_t index, std::span<float> out) const;

  SegmentTable table_;
  GridExponents grid_;
  int64_t weight_sum_ = 0;
  int64_t weight_added_ = 0;
  std::vector<int64_t> missing_;  // by segment, of weight_added_
  std::vector<int64_t> narrow_;   // sums, one per element; only one of the two is in use
  std::vector<Int128> wide_;
};

}  // namespace dl::averaging
