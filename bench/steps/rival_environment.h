// The command and the environment with which a rival starts.
#pragma once

#include <string>
#include <vector>

#include "bench/steps/rival.h"

namespace dl::bench {

struct RivalCommand {
  std::vector<std::string> argv;  // up to the program; the arguments of the program follow
  std::vector<std::string> env;   // "NAME=value"
};

// `cpuinfo` is the text of /proc/cpuinfo.
RivalCommand CommandOf(RivalKind kind, const RivalSettings& settings, const std::string& cpuinfo);

}  // namespace dl::bench
