#include "launch/clusters/executor_identity.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/limits.h"
#include "launch/host_name.h"
#include "launch/process_setup.h"
#include "launch/version.h"
#include "rpc/executor_name.h"

namespace dl::launch {

MemoryShares DivideMemory(int64_t memory_bytes) {
  MemoryShares shares{.units = memory_bytes / 2,
                      .results = memory_bytes / 4,
                      .blocks = std::min(memory_bytes / 8, limits::kDecodedBlockCacheBytes)};
  shares.states = memory_bytes - shares.units - shares.results - shares.blocks;
  return shares;
}

StatusOr<executor::CoreOptions> MakeExecutorOptions(const ExecutorIdentity& identity) {
  executor::CoreOptions options;
  options.host = HostName();
  if (options.host.empty()) options.host = "localhost";
  options.pid = getpid();
  options.name = identity.name;
  if (options.name.empty()) {
    options.name = absl::StrCat(options.host, "-", options.pid);
    for (char& c : options.name) c = rpc::IsExecutorNameLetter(c) ? c : '-';
  }
  // Serves as a counter of starts without a file: a later start under the same name has a later
  // time.
  options.incarnation = static_cast<uint64_t>(Clock::Real().WallUnixMs());
  options.slots = identity.slots;
  options.version = kVersion;
  DL_ASSIGN_OR_RETURN(options.contracts, FixIsa(identity.isa));
  return options;
}

}  // namespace dl::launch
