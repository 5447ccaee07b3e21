// What a table that cannot be read looks like instead: for errors only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "dataset/readers/csv_scanner.h"

namespace dl::dataset {

// What is wrong with a field that is no finite number, and what to do.
struct NumberMistake {
  std::string message, remedy;
};
inline constexpr std::string_view kEncodeCategories = "Encode categories as numbers";  // a remedy
NumberMistake ExplainNumber(const std::string& field);

// "1,5" and "-0,25e3". Also "1,234", which HasThousands() accepts too.
bool HasDecimalComma(std::string_view text);
// "1,000" and "-1,234,567.5": groups of three digits after the first comma.
bool HasThousands(std::string_view text);
// A number beside which stand signs that are not read: thousands, units, currencies, quotes.
bool IsDecoratedNumber(const std::string& field);

// The separator that the file is a table of, as its first rows say, where it is none, or a narrower
// one, of these signs. Errors: the file's.
StatusOr<std::optional<char>> LooksSeparatedBy(const std::string& path, CsvSigns signs);
// That the file at `path` is a table of `found`.
Status OtherSeparator(const std::string& path, char separator, char found);

}  // namespace dl::dataset
