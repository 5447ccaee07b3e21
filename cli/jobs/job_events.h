// Reads the events of a job that a master has stored so far.
#pragma once

#include <functional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::cli {

// Calls `show` for each stored event of the job in order, and does not wait for later events. Ends
// early with OK if `show` returns false.
// Errors are those of the master, and of events that are not JSON.
Status ForEachEvent(rpc::ClientService& client, const std::string& job,
                    const std::function<bool(Json event)>& show);

}  // namespace dl::cli
