#include "launch/daemons/boot_id.h"

#include "absl/strings/ascii.h"
#include "base/files.h"
#include "base/limits.h"

namespace dl::launch {

std::string MachineBootId() {
  const auto id = ReadFile("/proc/sys/kernel/random/boot_id", limits::kMaxHolderBytes);
  return id.ok() ? std::string(absl::StripAsciiWhitespace(*id)) : "";
}

}  // namespace dl::launch
