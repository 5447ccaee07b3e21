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

// The separator that the file is a table of, as its first rows say, where it is none, or a narrower
// one, of these signs. Errors: the file's.
StatusOr<std::optional<char>> LooksSeparatedBy(const std::string& path, CsvSigns signs);
// That the file at `path` is a table of `found`.
Status OtherSeparator(const std::string& path, char separator, char found);

}  // namespace dl::dataset
