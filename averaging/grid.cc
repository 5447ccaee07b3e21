#include "averaging/grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "averaging/float_environment.h"
#include "averaging/kernels.h"

namespace dl::averaging {
namespace {

constexpr uint32_t kInfinityBits = 0x7f800000;
// Exponents of floats: the smallest denormal is 2^-149. Exponents of second moments: the square of
// the smallest denormal, and the sum of the largest float and its square.
constexpr int32_t kLowestExponent = -148, kHighestExponent = 128;
constexpr int32_t kLowestSquareExponent = -297, kHighestSquareExponent = 256;

struct ExponentRange {
  int32_t lowest, highest;
};
ExponentRange RangeOf(SegmentKind kind) {
  if (kind == SegmentKind::kVariance) return {kLowestSquareExponent, kHighestSquareExponent};
  return {kLowestExponent, kHighestExponent};
}

// The smallest e with x < 2^e, read from the bits: x is a normal double or 0.
int32_t ExponentOf(double x) {
  if (x == 0) return kZeroSegment;
  return static_cast<int32_t>(std::bit_cast<uint64_t>(x) >> 52) - 1022;
}

Status NotFinite(const Segment& segment, std::span<const float> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return InvalidArgument(
        {.message = absl::StrCat("element ", i, " of segment \"", segment.name, "\" is ",
                                 std::isnan(values[i]) ? "NaN" : "infinite"),
         .where = absl::StrCat("segment ", segment.name),
         .remedy = "Lower the learning rate, or clip gradients"});
  }
  return Internal({.message = "a value that was not finite is finite when it is read again",
                   .where = segment.name,
                   .remedy = "Test the memory of this machine"});
}

Status CountMismatch(const char* what, size_t got, const SegmentTable& table) {
  return InvalidArgument({.message = absl::StrCat(got, " ", what, " do not fit a table of ",
                                                  table.segments().size(), " segments")});
}

}  // namespace

Status CheckMergeable(const SegmentTable& table) {
  const std::vector<Segment>& segments = table.segments();
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool mean = segments[i].kind == SegmentKind::kMean;
    const bool variance = segments[i].kind == SegmentKind::kVariance;
    const bool paired = mean ? i + 1 < segments.size() &&
                                   segments[i + 1].kind == SegmentKind::kVariance &&
                                   segments[i + 1].size == segments[i].size
                             : !variance || (i > 0 && segments[i - 1].kind == SegmentKind::kMean);
    if (!paired) {
      return InvalidArgument(
          {.message = absl::StrCat(
               "the ", std::string(SegmentKindName(segments[i].kind)), " segment \"",
               segments[i].name, "\" does not form a pair of mean and variance with its neighbor"),
           .where = absl::StrCat("segment ", segments[i].name)});
    }
  }
  return absl::OkStatus();
}

StatusOr<Magnitudes> MeasureMagnitudes(const SegmentTable& table, std::span<const float> flat) {
  if (static_cast<int64_t>(flat.size()) != table.size()) {
    return InvalidArgument(
        {.message = absl::StrCat("a vector of ", flat.size(), " values does not fit a table of ",
                                 table.size(), " values")});
  }
  const FloatEnvironment environment;
  Magnitudes magnitudes;
  magnitudes.reserve(table.segments().size());
  std::span<const float> previous;
  for (const Segment& segment : table.segments()) {
    const std::span<const float> values = table.View(segment, flat);
    const uint32_t bits = BestKernels().largest_bits(values);
    if (bits >= kInfinityBits) return NotFinite(segment, values);
    magnitudes.push_back(segment.kind == SegmentKind::kVariance
                             ? LargestSecondMoment(previous, values)
                             : FloatFromBits(bits));
    previous = values;
  }
  return magnitudes;
}

Status CheckMagnitudes(const SegmentTable& table, std::span<const double> magnitudes) {
  if (magnitudes.size() != table.segments().size()) {
    return CountMismatch("magnitudes", magnitudes.size(), table);
  }
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    const Segment& segment = table.segments()[i];
    const ExponentRange range = RangeOf(segment.kind);
    const double x = magnitudes[i];
    // The comparison is written so that a NaN fails it. -0 is refused because the bytes of an
    // announcement are compared with those of other executors, so each value must have one form.
    const bool possible = (x == 0 && !std::signbit(x)) || (x > 0 && ExponentOf(x) >= range.lowest &&
                                                           ExponentOf(x) <= range.highest);
    if (!possible) {
      return InvalidArgument(
          {.message = absl::StrCat("magnitude ", x, " of segment \"", segment.name,
                                   "\" is outside the range of finite float32 values"),
           .where = absl::StrCat("segment ", segment.name)});
    }
  }
  return absl::OkStatus();
}

Status CheckGrid(const SegmentTable& table, std::span<const int32_t> grid) {
  if (grid.size() != table.segments().size()) return CountMismatch("exponents", grid.size(), table);
  for (size_t i = 0; i < grid.size(); ++i) {
    const Segment& segment = table.segments()[i];
    const ExponentRange range = RangeOf(segment.kind);
    if (grid[i] != kZeroSegment && (grid[i] < range.lowest || grid[i] > range.highest)) {
      return InvalidArgument(
          {.message = absl::StrCat("exponent ", grid[i], " of segment \"", segment.name,
                                   "\" is not from ", range.lowest, " to ", range.highest),
           .where = absl::StrCat("segment ", segment.name)});
    }
  }
  return absl::OkStatus();
}

bool RaiseGrid(GridExponents& grid, std::span<const double> magnitudes) {
  bool raised = false;
  // Branch-free, because the core raises grids while executors wait for it.
  for (size_t i = 0; i < grid.size(); ++i) {
    const int32_t exponent = ExponentOf(magnitudes[i]);
    raised |= exponent > grid[i];
    grid[i] = std::max(grid[i], exponent);
  }
  return raised;
}

GridExponents GridFor(const SegmentTable& table, std::span<const Magnitudes> magnitudes) {
  GridExponents grid(table.segments().size(), kZeroSegment);
  for (const Magnitudes& announced : magnitudes) RaiseGrid(grid, announced);
  return grid;
}

}  // namespace dl::averaging
