// Requests actions on jobs.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::cli {

// Requests an action and returns a message for users about what will happen. Fills in a request id,
// and repeats the request with the same id if an answer is lost.
StatusOr<std::string> ActOnJob(rpc::ClientService& client, rpc::JobActionRequest request);

}  // namespace dl::cli
