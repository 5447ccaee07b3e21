// Parses numbers in text, independently of the locale.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/plain_number.h"

namespace dl::dataset {

// The double and the float32 that are nearest to a written number. `nearest` is rounded once, from
// the text.
struct ReadNumber {
  double value = 0;
  float nearest = 0;
};
// Parses a number. Errors are those of FloatOf.
StatusOr<ReadNumber> NumberOf(std::string_view text);

// Returns NumberOf(text), or nullopt for a text that is not a number. Also returns nullopt if the
// double does not decide the float32, so that NumberOf parses the text again as float32. This
// happens halfway between two float32, and for numbers too close to 0 or too large for a normal
// float32. Explains nothing, so that other texts cost little.
inline std::optional<ReadNumber> ParseNumberOnce(std::string_view text);

// Returns ParseNumberOnce(text), also for texts that are no short decimals.
std::optional<ReadNumber> ParseLongNumberOnce(std::string_view text);

// Returns whether a double is halfway between two float32. Its text may then round to the other
// float32 than the double.
inline bool IsHalfwayBetweenFloats(double value) {
  constexpr uint64_t kBelowFloat32 = (uint64_t{1} << 29) - 1, kHalf = uint64_t{1} << 28;
  return (std::bit_cast<uint64_t>(value) & kBelowFloat32) == kHalf;
}

inline std::optional<ReadNumber> ParseNumberOnce(std::string_view text) {
  // A short decimal is 0 or in the range of normal float32.
  const auto decimal = ParseShortDecimal(text);
  if (!decimal || IsHalfwayBetweenFloats(decimal->value)) return ParseLongNumberOnce(text);
  return ReadNumber{.value = decimal->value, .nearest = static_cast<float>(decimal->value)};
}

// Returns a finite float32. Numbers too close to 0 for float32 give 0. Returns InvalidArgument,
// which explains the text and has a remedy but no place, if the text is not such a number.
StatusOr<float> FloatOf(std::string_view text);

// Returns the shortest decimal text of the number: "1" for "1.0", "+1", "01" and "1e0", "0.5" for
// ".50". Whole numbers that are written without an exponent are exact, others are
// rounded to double.
// Returns nullopt if the text is not a number, or if the number is beyond the range of double: too
// large, or not 0 but too close to 0.
std::optional<std::string> CanonicalNumber(std::string_view text);

// Returns whether CanonicalNumber returns a text.
bool IsFiniteNumber(std::string_view text);

// Returns the shortest decimal text that restores the number, without an exponent if it is a whole
// number below 2^53.
std::string NumberText(double value);

// Returns the value of a text of digits with an optional minus sign. Returns nullopt for other text
// and for numbers that exceed 64 bits.
std::optional<int64_t> WholeNumber(std::string_view text);

}  // namespace dl::dataset
