// Packs the values of a series (docs/formats.md, "Series") into few bytes.
//
// The values are floats in the order of time. A bitmap shows which of them exist. Each existing
// value is stored as a distance from the existing value before it: the number of steps from float
// to float between the two. Zero bits at the low end that all distances share are not stored. The
// bytes are then sorted by significance and compressed by zstd.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::storage {

// Stands for a value that does not exist, such as a test figure of a round without evaluation.
inline constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
inline bool HasValue(float value) { return !std::isnan(value); }

// Largest number of values that are packed together.
inline constexpr size_t kMaxPackedValues = 1 << 16;

// Returns the nearest float with at most 9 significant bits. The relative error is at most 2^-9,
// except for values below the smallest normal float. Packed values then take about a third of the
// bytes. Infinities and missing values are unchanged. A value whose rounded magnitude exceeds the
// largest float becomes infinite.
float RoundToShort(float value);

// Returns the packed values. Every value is restored bit by bit, except that each NaN becomes
// kNoValue and -0 becomes 0. REQUIRES: at most kMaxPackedValues values.
std::string PackValues(std::span<const float> values);

// Returns the values. Returns DataLoss if `packed` does not have the form that PackValues writes.
StatusOr<std::vector<float>> UnpackValues(std::string_view packed);

}  // namespace dl::storage
