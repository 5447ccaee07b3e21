// What a table that cannot be read looks like instead: for errors only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::dataset {

// What is wrong with a field that is no finite number, and what to do.
struct NumberMistake {
  std::string message, remedy;
};
NumberMistake ExplainNumber(const std::string& field);

// The separator that the text is a table of where it is none, or a narrower one, of `separator`.
std::optional<char> LooksSeparatedBy(std::string_view text, char separator);
// That the file at `path` is a table of `found`.
Status OtherSeparator(const std::string& path, char separator, char found);

}  // namespace dl::dataset
