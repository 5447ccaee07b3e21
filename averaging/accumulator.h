// The weighted mean of flat float32 vectors. The result is the same, bit for bit, for every order
// and grouping of the inputs: each value becomes an integer q = rne(x * 2^(41 - e)) on its
// segment's grid, where e is the segment's exponent, and only the integers weight * q are added.
//
//   mean     = (sum of w * q) / (sum of w) * 2^(e - 41)
//   variance = mean of (v + m*m) - (mean of m)^2, not below 0; v + m*m in double, on its own grid
//
// The variance is the pooled one: E[x^2] - E[x]^2, where each worker's mean and variance count with
// the worker's weight.
//
// Error against the exact mean: less than 1 ulp of float32 for an element of at least 2^-14 of its
// segment's largest magnitude. A smaller element is off by at most 2^-41 of the largest magnitude
// plus the rounding to float32.
//
// Memory: 8 bytes per element, 16 if the sum of weights is above 2^21. Not thread-safe.
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
  // `weight_sum` is the sum over all contributions of the round, including those that this
  // accumulator will not see. It decides the width of the sums, so it must be the same for all
  // accumulators of a round. Returns InvalidArgument if the table is not mergeable, if an exponent
  // is impossible, or if the sum is not in 1..kMaxWeightSum.
  static StatusOr<Accumulator> Create(SegmentTable table, GridExponents grid, int64_t weight_sum);

  // Removes all contributions and starts a round with this grid over the same table. Buffers are
  // reused. Returns InvalidArgument if an exponent is impossible, or if the sum is not in
  // 1..kMaxWeightSum; the accumulator is then unchanged.
  Status Reset(GridExponents grid, int64_t weight_sum);

  // Adds a contribution. REQUIRES: weight from NormalizeWeights. Adds nothing and returns
  // InvalidArgument in these cases:
  //   - The vector does not fit the table, or holds a NaN or an infinity.
  //   - A magnitude is not below 2^e, or differs from `announced` (if not empty).
  //   - The weight is not in 1..(weight_sum - weight_added()).
  Status Add(std::span<const float> flat, int64_t weight, std::span<const double> announced = {});

  // Raises exponents and returns the indices of the raised segments, ascending. The sums of raised
  // segments are cleared, so all contributions so far are missing there and must be added again by
  // AddMissing. Other segments keep their sums. weight_added() does not change. Returns
  // InvalidArgument and changes nothing if an exponent is impossible or lower than the present one.
  StatusOr<std::vector<size_t>> Raise(const GridExponents& grid);
  // Adds a contribution again, only to `segments`, whose sums Raise cleared after the contribution
  // was added. Adds nothing and returns InvalidArgument in these cases:
  //   - `segments` has an index twice, or an index beyond the table.
  //   - The vector does not fit the table, or holds a NaN or an infinity.
  //   - A magnitude in these segments is not below 2^e.
  //   - Less than `weight` is missing in one of them.
  Status AddMissing(std::span<const float> flat, int64_t weight, std::span<const size_t> segments);

  // The sums of w * q in the form in which they are sent: one 64-bit integer per element of the
  // table, in its order. REQUIRES: weight_sum <= kMaxNarrowWeightSum.
  std::span<const int64_t> sums() const { return narrow_; }
  // Adds the sums() of another accumulator of the same round. `weight` is the total weight of the
  // contributions in them. REQUIRES: the other accumulator has the same grid. Adds nothing and
  // returns InvalidArgument in these cases:
  //   - The sums do not fit the table, or this round uses 128-bit sums.
  //   - The weight is not in 1..(weight_sum - weight_added()).
  //   - A sum is larger than contributions of that weight can give.
  Status AddSums(std::span<const std::byte> sums, int64_t weight);

  // Writes the weighted mean to the spans in `out`, which together cover the table in its order. No
  // segment may cross from one span to the next. Returns FailedPrecondition unless contributions of
  // the whole weight_sum were added in every segment. Returns InvalidArgument if `out` does not fit
  // or if a pooled variance is beyond float32. The content of `out` is unspecified after an error.
  // May be repeated.
  Status Finish(std::span<const std::span<float>> out) const;
  Status Finish(std::span<float> out) const { return Finish(std::span(&out, 1)); }

  const SegmentTable& table() const { return table_; }
  const GridExponents& grid() const { return grid_; }
  int64_t weight_added() const { return weight_added_; }

 private:
  explicit Accumulator(SegmentTable table) : table_(std::move(table)) {}

  bool HasMissing() const;
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
  std::vector<int64_t> missing_;  // by segment: the part of weight_added_ that Raise cleared
  std::vector<int64_t> narrow_;   // sums, one per element; either narrow_ or wide_ is in use
  std::vector<Int128> wide_;
};

}  // namespace dl::averaging
