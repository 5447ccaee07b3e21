// Explains why a table cannot be read, and recognizes numbers in notations that are not parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/table/csv_scanner.h"

namespace dl::dataset {

// Description and remedy for a field that is not a finite number.
struct NumberMistake {
  std::string message, remedy;
};
inline constexpr std::string_view kEncodeCategories = "Encode categories as numbers";  // a remedy
NumberMistake ExplainNumber(const std::string& field);

// True for "1,5" and "-0,25e3". Also true for "1,234", for which HasThousands() is true as well.
bool HasDecimalComma(std::string_view text);
// True for "1,000", "-1,234,567.5" and "12,34,567": the first group has one to three digits and
// does not begin with 0, the last group has three digits, and groups between them have two or
// three. False for "0,125".
bool HasThousands(std::string_view text);
// True for a number with characters that are not parsed (thousands separators, units, currencies,
// quotes), and for an infinite, hexadecimal or too large number. False for a number that has only a
// decimal comma, such as "1,5".
bool IsDecoratedNumber(const std::string& field);
// Returns the number of a text with characters that cannot be seen (a zero-width space), or with
// digits that are not ASCII (full-width, Arabic, Devanagari, Thai); nullopt for other texts.
std::optional<std::string> WithAsciiDigits(std::string_view text);

// Returns the separator, other than signs.separator, with which the first rows of the file have the
// most columns: at least two, and at least as many as with `signs`. ' ' stands for runs of blanks.
// Returns nullopt if no other separator fits. Errors are those of the file.
StatusOr<std::optional<char>> LooksSeparatedBy(const std::string& path, CsvSigns signs);
// Returns InvalidArgument: the file at `path` is a table with separator `found`.
Status OtherSeparator(const std::string& path, char separator, char found);

}  // namespace dl::dataset
