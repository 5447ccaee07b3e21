#include "launch/daemons/machine_start.h"

#include "absl/strings/ascii.h"
#include "base/files.h"
#include "base/limits.h"

namespace dl::launch {

std::string StartOfMachine() {
  const auto id = ReadFile("/proc/sys/kernel/random/boot_id", limits::kMaxHolderBytes);
  return id.ok() ? std::string(absl::StripAsciiWhitespace(*id)) : "";
}

}  // namespace dl::launch
