// The machines of a cluster, for `cluster start`: a text file, one machine a line.
//
//   # comment
//   node1 slots=4
//   ada@node2 slots=8 memory=16G label=disk=ssd
//   10.0.0.7 name=node3 isa=avx2
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::cli {

struct HostEntry {
  std::string host;  // as ssh takes it
  std::string name;  // of its executor in the cluster: `name=`, else the host without a user
  std::vector<std::string> flags;  // of `dl-submit executor`, as the line says them
};

// In their order. InvalidArgument, with `source` and line, for words that mean nothing, values that
// the flag of that name would refuse, the same name twice, and a file without a machine.
StatusOr<std::vector<HostEntry>> ParseHostsFile(const std::string& text, const std::string& source);

}  // namespace dl::cli
