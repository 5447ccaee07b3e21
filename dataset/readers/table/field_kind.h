// Classifies a field of a table by its text alone. Used to guess what a column holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dl::dataset {

enum class FieldKind : uint8_t {
  kNumber,       // finite, in the range of float32, with or without a decimal point
  kCommaNumber,  // number with a decimal comma: "1,5"
  kDecorated,    // number with characters that are not parsed: "1,234,567", "12 %", "$5", "12 kg"
  kDate,         // "2020-01-31", "31.01.2020 12:30", "12:30:05"
  kText,
};

struct FieldLook {
  FieldKind kind = FieldKind::kText;
  double value = 0;  // for kNumber
  // For kCommaNumber: the comma may also separate thousands, as in "1,234".
  bool may_have_thousands = false;
};

// Returns the value of a field of the kind kNumber, or nullopt for other fields.
std::optional<double> FieldNumber(std::string_view text);

// Classifies a field. REQUIRES: `text` has no blanks at its ends.
FieldLook LookAtField(std::string_view text);

// True for "2020-01-31", "31/01/2020" and "5-Mar-1999", each with or without a time, for a time
// alone, and for quarters and weeks such as "2020-Q1". Judges the form alone, so such a text may
// not be a valid date.
bool LooksLikeDate(std::string_view text);

}  // namespace dl::dataset
