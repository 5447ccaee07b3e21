// Requests actions on jobs.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::cli {

// Requests an action and returns a message for users about what will happen. Fills in the request
// id and the user. After Unavailable or DeadlineExceeded, repeats the request with the same id up
// to four times. Returns the last error of the master. FailedPrecondition, because the state of the
// job does not allow the action, has exit code 1.
StatusOr<std::string> ActOnJob(rpc::ClientService& client, rpc::JobActionRequest request);

}  // namespace dl::cli
