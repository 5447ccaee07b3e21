// Checks and bounds requests of executors before the core processes them. Pure functions.
#pragma once

#include "base/status.h"
#include "master/core/job/announcement.h"
#include "rpc/messages.h"

namespace dl::master {

// Returns InvalidArgument if the name, the number of slots, the kernel contracts or the memory are
// invalid.
StatusOr<rpc::RegisterRequest> ForCore(const rpc::RegisterRequest& request);
// Limits the time for which the answer may be delayed. Returns InvalidArgument if no slot is free.
StatusOr<rpc::LeaseRequest> ForCore(const rpc::LeaseRequest& request);
// Parses the announcement (ParseAnnouncement).
Announcement ForCore(const rpc::AnnounceRequest& request);
// Cuts texts to their limits.
rpc::FailureReport ForCore(const rpc::FailureReport& request);
// Other requests are passed unchanged.
template <typename Request>
const Request& ForCore(const Request& request) {
  return request;
}

}  // namespace dl::master
