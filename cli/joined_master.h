// The master that executors of other machines are to join, and what lets them in there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "cli/settings.h"

namespace dl::cli {

struct JoinedMaster {
  std::string url;    // as other machines reach it
  std::string token;  // for executors
  bool is_here = false;
  std::string words;  // how it is, where it is here
};

// Whether --master names one that stands by itself; else the data folder's is meant.
bool IsStanding(const Setting& master);

// The one of --master, with the token of --token-file; else that of the data folder, with the
// folder's token for executors: it is started where none has the folder, and listens at that
// address and port. FailedPrecondition with exit code 78 where the folder has no keys, by which
// others would know it.
StatusOr<JoinedMaster> FindOrStartMaster(const Settings& settings, const std::string& address,
                                         int64_t port);

// The same without starting one; nullopt where the data folder has no keys or no master.
StatusOr<std::optional<JoinedMaster>> FindMaster(const Settings& settings,
                                                 const std::string& address);

}  // namespace dl::cli
