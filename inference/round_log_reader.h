// Reads the round log of a job from its master.
#pragma once

#include <functional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::inference {

// Calls `visit` for each record, oldest first. Holds one page of records in memory at a time. Does
// not verify the hash chain. Returns the errors of the query, InvalidArgument if an answer is not
// JSON, and Internal if the master repeats a page. `visit` may have been called before an error.
Status ReadRoundLog(rpc::ClientService& client, const std::string& job,
                    const std::function<void(const Json& record)>& visit);

}  // namespace dl::inference
