// Parses the machines of a cluster for `cluster start`: a text file with one machine per line.
//
//   # comment
//   node1 slots=4
//   ada@node2 slots=8 memory=16G executor-label=disk=ssd
//   10.0.0.7 name=node3 isa=avx2
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::cli {

struct HostEntry {
  std::string host;                // in the form that ssh takes
  std::string name;                // name of its executor: `name=`, else the host without a user
  std::vector<std::string> flags;  // flags of `dl-submit executor` from this line
};

// Returns the machines in the order of their lines. Returns InvalidArgument, with `source` and the
// line,
//   - for a first word that is not a host.
//   - for unknown keys, and for values that the flag of that name would refuse.
//   - for a key that a line repeats, except executor-label.
//   - for an executor name that is invalid, or that another line has.
// Also returns InvalidArgument, with `source`, for text in UTF-16, and for a file with no machine
// or more than limits::kMaxHosts machines.
StatusOr<std::vector<HostEntry>> ParseHostsFile(const std::string& text, const std::string& source);

}  // namespace dl::cli
