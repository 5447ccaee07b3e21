// The host name of this machine.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace dl::launch {

// Returns "" if the machine has no name.
inline std::string HostName() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace dl::launch
