// Asking a master to do something with a job.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::cli {

// Fills in a request id and asks again, under the same one, when an answer was lost. What will
// happen, for people.
StatusOr<std::string> ActOnJob(rpc::ClientService& client, rpc::JobActionRequest request);

}  // namespace dl::cli
