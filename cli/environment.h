// Every environment variable that the programs read or set. docs/operations.md lists this table and
// a test compares the two.
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

// InvalidArgument (exit code 78) for a DL_* variable that nothing reads and that is near one that
// is read, and for a DL_LOG that is no level.
Status CheckEnvironment(const std::map<std::string, std::string>& environment);
// The other DL_* variables that nothing reads: another program's, or a mistake worth a warning.
std::vector<std::string> UnreadVariables(const std::map<std::string, std::string>& environment);

}  // namespace dl::cli
