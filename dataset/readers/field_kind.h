// Classifies a field of a table by its text alone, for the guess of what a column holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dl::dataset {

enum class FieldKind : uint8_t {
  kNumber,       // finite, within the range of float32, with a decimal point or none
  kCommaNumber,  // "1,5": a number with a decimal comma
  kDecorated,    // "1,234,567", "12 %", "$5", "12 kg": a number with signs that are not read
  kDate,         // "2020-01-31", "31.01.2020 12:30", "12:30:05"
  kText,
};

struct FieldLook {
  FieldKind kind = FieldKind::kText;
  double value = 0;  // of kNumber
  // Of kCommaNumber: "1,234", which may also have a comma between its thousands.
  bool may_have_thousands = false;
};

// `text` has no blanks at its ends.
FieldLook LookAtField(const std::string& text);

// "2020-01-31", "31/01/2020", "5-Mar-1999", each perhaps with a time; or a time alone.
bool LooksLikeDate(std::string_view text);

}  // namespace dl::dataset
