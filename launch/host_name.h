// What this machine is called.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace dl::launch {

// Empty where it has no name.
inline std::string HostName() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace dl::launch
