// The host name of this machine.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace dl::launch {

// Returns the name, at most 255 bytes, or "" if the system reports none. Executors report it to the
// master. It is part of paths and of the mark of a data folder, to distinguish machines that
// share a file system. Thread-safe.
inline std::string HostName() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace dl::launch
