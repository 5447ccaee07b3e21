// The environment variables of the programs and their tests: all DL_* variables, and
// GOMP_SPINCOUNT, HOME, NO_COLOR, OMP_WAIT_POLICY and TERM. Leaves out other variables that the
// programs read, such as PATH and the variables of Slurm, MPI and systemd.
// docs/operations/settings.md contains this table, and a test compares the two.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::cli {

struct EnvironmentVariable {
  std::string name;
  enum class Reader {
    kEveryone,  // read by the programs, for users
    kTests      // only for tests
  };
  Reader reader = Reader::kEveryone;
  std::string meaning;  // Markdown
};
// Returns all variables, in the order of the table.
const std::vector<EnvironmentVariable>& EnvironmentVariables();

// Returns the row of the table in docs/operations/settings.md.
std::string MarkdownRow(const EnvironmentVariable& variable);

// Returns InvalidArgument (exit code 78) in these cases:
//   - The name of an unknown DL_* variable resembles a DL_* variable for users (Reader::kEveryone).
//   - The value of a DL_* variable, known or unknown, is not UTF-8.
//   - DL_LOG has an invalid level, or DL_TERMINAL_TITLE another value than "off" or "".
Status CheckEnvironment(const std::map<std::string, std::string>& environment);
// Returns the names of all unknown DL_* variables. If CheckEnvironment accepts them, they belong to
// another program, or are mistakes worth a warning.
std::vector<std::string> UnreadVariables(const std::map<std::string, std::string>& environment);

}  // namespace dl::cli
