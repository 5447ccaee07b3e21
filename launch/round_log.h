// A job's round log, from whatever master has it.
#pragma once

#include <functional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::launch {

// Calls `visit` for every record, oldest first, with one page of them in memory at a time. Errors
// of the query pass through.
Status ReadRoundLog(rpc::ClientService& client, const std::string& job,
                    const std::function<void(const Json& record)>& visit);

}  // namespace dl::launch
