// Numbers in text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::dataset {

// A number as it is written, and the float32 next to it.
struct ReadNumber {
  double value = 0;
  float nearest = 0;
};
// The errors of FloatOf.
StatusOr<ReadNumber> NumberOf(const std::string& text);

// A finite float32, read without locale; 0 for a number too close to 0 for one. InvalidArgument
// says what else it is and what to do, the place is the caller's.
StatusOr<float> FloatOf(const std::string& text);

// The shortest decimal text of the number that `text` is: "1" of "1.0", "+1", "01" and "1e0", "0.5"
// of
// ".50". Nothing: it is no finite number.
std::optional<std::string> CanonicalNumber(std::string_view text);

// Digits and a sign, and nothing else; nothing: it is no such text, or does not fit.
std::optional<int64_t> WholeNumber(std::string_view text);

}  // namespace dl::dataset
