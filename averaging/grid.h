// The grid of a round: one power of two per merged segment. Each value is rounded to the grid once,
// independently of the others. After that only integers are added, so order and grouping have no
// effect on the result (docs/architecture.md, merging).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::averaging {

// The largest magnitude of each segment, in table order, which a contribution announces before it
// is sent. For a variance segment it is the largest |v + m*m| (in double), where m is the mean in
// the preceding segment; for other segments it is the largest |x|.
using Magnitudes = std::vector<double>;

// The exponent e of each segment, in table order: each magnitude is below 2^e, and the step of the
// grid is 2^(e-41).
using GridExponents = std::vector<int32_t>;

// 41 bits of fraction, 21 bits of weight and a sign leave one of 64 bits free. Rounding to the grid
// is off by at most half a step, which is at most 2^-41 of the segment's largest magnitude L.
// Rounding a value of 2^-14 L to float32 is off by up to 2^-38 L, which is eight times as much.
inline constexpr int kFractionBits = 41;
// The exponent of a segment in which all values are zero. It is lower than any other exponent, so
// any magnitude above 0 raises it.
inline constexpr int32_t kZeroSegment = -1'000'000;

// Returns InvalidArgument unless each mean is followed by a variance of the same size and each
// variance follows a mean.
Status CheckMergeable(const SegmentTable& table);

// Returns the magnitudes of `flat`. Returns InvalidArgument if `flat` does not fit the table, or if
// it holds a NaN or an infinity; the error then names the segment and the index in it. REQUIRES:
// CheckMergeable(table).
StatusOr<Magnitudes> MeasureMagnitudes(const SegmentTable& table, std::span<const float> flat);

// Returns InvalidArgument unless `magnitudes`, which a peer announced, has one value per segment,
// each +0 or a positive value whose exponent finite floats can produce.
Status CheckMagnitudes(const SegmentTable& table, std::span<const double> magnitudes);
// Returns InvalidArgument unless `grid`, which was stored, has one exponent per segment, each
// kZeroSegment or an exponent that finite floats can produce.
Status CheckGrid(const SegmentTable& table, std::span<const int32_t> grid);

// Raises the exponents that are too low for `magnitudes` and returns true if any was raised. The
// result of several calls depends on the set of magnitudes, not on their order. REQUIRES: one
// magnitude per exponent, CheckMagnitudes.
bool RaiseGrid(GridExponents& grid, std::span<const double> magnitudes);

// Returns the grid of a round from the magnitudes of all its contributions. REQUIRES:
// CheckMagnitudes for each.
GridExponents GridFor(const SegmentTable& table, std::span<const Magnitudes> magnitudes);

}  // namespace dl::averaging
