// Checks and bounds requests of executors before the core sees them. Pure functions.
#pragma once

#include "base/status.h"
#include "master/core/job/announcement.h"
#include "rpc/messages.h"

namespace dl::master {

// InvalidArgument: the name, the number of slots, the kernel contracts or the memory are not
// possible.
StatusOr<rpc::RegisterRequest> ForCore(const rpc::RegisterRequest& request);
// Bounds the time for which the answer may be held back. InvalidArgument: no slot is free.
StatusOr<rpc::LeaseRequest> ForCore(const rpc::LeaseRequest& request);
// Parses the metrics, so that the core need not.
Announcement ForCore(const rpc::AnnounceRequest& request);
// Cuts the texts to their limits.
rpc::FailureReport ForCore(const rpc::FailureReport& request);
// Other requests go as they are.
template <typename Request>
const Request& ForCore(const Request& request) {
  return request;
}

}  // namespace dl::master
