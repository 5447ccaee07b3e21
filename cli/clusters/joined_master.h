// The master that executors on other machines join, and the token for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "cli/settings.h"

namespace dl::cli {

struct JoinedMaster {
  std::string url;                  // address for other machines
  std::string token;                // for executors
  bool is_on_this_machine = false;  // it holds the data folder of this command, on this machine
  std::string description;          // if is_on_this_machine: a description for users
};

// Returns whether --master names a standing master. Otherwise the master of the data folder is
// used.
bool IsStanding(const Setting& master);

// If --master names a standing master, returns it with the token of --token-file. Otherwise returns
// the master that holds the data folder, with the folder's token for executors. If no process holds
// the folder, starts a master that listens on `address` and `port`. Errors include:
//   - FailedPrecondition with exit code 78 if the folder has no keys, because other machines could
//     not authenticate the master.
//   - FailedPrecondition if the process that holds the folder answers no calls, or runs on another
//     machine.
//   - UsageError if --master names a standing master and --token-file is missing.
//   - errors of the token's file.
//   - Unavailable if the started master does not become ready.
StatusOr<JoinedMaster> FindOrStartMaster(const Settings& settings, const std::string& address,
                                         int64_t port);

// Does the same without starting a master. A master that holds the folder is assumed to listen on
// `address`. Returns nullopt if the data folder has no keys or no process holds it. Returns the
// errors of FindOrStartMaster about a standing master, the data folder, the holder and the token.
StatusOr<std::optional<JoinedMaster>> FindMaster(const Settings& settings,
                                                 const std::string& address);

}  // namespace dl::cli
