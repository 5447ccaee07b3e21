// Every environment variable that the programs read or set. docs/operations.md lists this table and
// a test compares the two; a DL_* variable that is not in it is an error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::cli {

struct EnvironmentVariable {
  std::string name;
  enum class Reader { kEveryone, kTests };
  Reader reader = Reader::kEveryone;
  std::string meaning;
};
const std::vector<EnvironmentVariable>& EnvironmentVariables();

// The row of docs/operations.md.
std::string MarkdownRow(const EnvironmentVariable& variable);

// InvalidArgument (exit code 78) for a DL_* variable that nothing reads, with the nearest one that
// is read, and for a DL_LOG that is no level.
Status CheckEnvironment(const std::map<std::string, std::string>& environment);

}  // namespace dl::cli
