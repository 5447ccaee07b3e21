#include "launch/executor_options.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "launch/process_setup.h"
#include "launch/version.h"

namespace dl::launch {

StatusOr<executor::CoreOptions> IntroduceExecutor(const ExecutorIdentity& identity) {
  executor::CoreOptions options;
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = 0;
  options.host = host[0] == 0 ? "localhost" : host;
  options.pid = getpid();
  options.name =
      identity.name.empty() ? absl::StrCat(options.host, "-", options.pid) : identity.name;
  // A start counter that needs no file: a later start of the same name has a later time.
  options.incarnation = static_cast<uint64_t>(Clock::Real().WallUnixMs());
  options.slots = identity.slots;
  options.version = kVersion;
  DL_ASSIGN_OR_RETURN(options.isa, FixIsa(identity.isa, options.contract));
  return options;
}

}  // namespace dl::launch
