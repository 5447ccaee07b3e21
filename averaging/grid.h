// The grid of a round: one power of two per merged segment. Values are rounded to it once, each by
// itself, and from there on only integers are added, so no order and no grouping can show in a
// result (docs/architecture.md, merging).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::averaging {

// The largest magnitude of each segment, in table order: what a contribution announces before it is
// sent. For a variance it is the largest of v + m*m (in double) with m the mean in the segment in
// front of it; else the largest |x|.
using Magnitudes = std::vector<double>;

// One exponent e per segment, in table order: each magnitude is below 2^e, the grid's step is 2^(e
// - 41).
using GridExponents = std::vector<int32_t>;

// With weights of 21 bits and a sign, one of 64 bits is to spare. Rounding to the grid is then off
// by at most 2^-41 of a segment's largest magnitude, an eighth of what the rounding of the result
// to float32 can add to an element of 2^-14 of it.
inline constexpr int kFractionBits = 41;
// The exponent of a segment in which everything was zero. Below every other, so that any magnitude
// raises it.
inline constexpr int32_t kZeroSegment = -1'000'000;

// InvalidArgument unless each mean is followed by a variance of the same size and each variance
// follows a mean.
Status CheckMergeable(const SegmentTable& table);

// InvalidArgument when `flat` does not fit the table, or holds a NaN or an infinity: names the
// segment and the index in it. REQUIRES: CheckMergeable(table).
StatusOr<Magnitudes> MeasureMagnitudes(const SegmentTable& table, std::span<const float> flat);

// For magnitudes that a peer announced: one per segment, each 0 or what finite floats can give.
Status CheckMagnitudes(const SegmentTable& table, std::span<const double> magnitudes);
// For exponents that were stored: one per segment, each kZeroSegment or what finite floats can
// give.
Status CheckGrid(const SegmentTable& table, std::span<const int32_t> grid);

// Raises what is too low for `magnitudes` and says whether anything was. The result of a sequence
// of raises depends on the set of magnitudes, never on their order. REQUIRES: one per exponent,
// CheckMagnitudes.
bool RaiseGrid(GridExponents& grid, std::span<const double> magnitudes);

// The grid of a round: of all that its contributions announced. REQUIRES: CheckMagnitudes of each.
GridExponents GridFor(const SegmentTable& table, std::span<const Magnitudes> magnitudes);

}  // namespace dl::averaging
