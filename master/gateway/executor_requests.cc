#include "master/gateway/executor_requests.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "master/gateway/announcement_parsing.h"
#include "rpc/executor_name.h"
#include "rpc/failure_report.h"

namespace dl::master {
namespace {

bool NamesItsContracts(const rpc::RegisterRequest& request) {
  return !request.contracts.empty() &&
         static_cast<int64_t>(request.contracts.size()) <= limits::kMaxContracts &&
         std::ranges::none_of(request.contracts, [](const rpc::OfferedContract& offered) {
           return offered.contract.empty();
         });
}

}  // namespace

StatusOr<rpc::RegisterRequest> ForCore(const rpc::RegisterRequest& request) {
  const bool has_slots = request.slots >= 1 && request.slots <= limits::kMaxSlots;
  if (rpc::IsExecutorName(request.executor) && has_slots && NamesItsContracts(request) &&
      request.unit_memory_bytes >= 0) {
    return request;
  }
  return InvalidArgument(
      {.message = absl::StrCat("an executor must register with a name of ", rpc::kExecutorNameRule,
                               ", 1 to ", limits::kMaxSlots, " slots, 1 to ", limits::kMaxContracts,
                               " kernel contracts and a memory of at least 0")});
}

StatusOr<rpc::LeaseRequest> ForCore(const rpc::LeaseRequest& request) {
  if (request.free_slots < 1) {
    return InvalidArgument(
        {.message = absl::StrCat("an executor requests units for ", request.free_slots,
                                 " slots, but needs at least 1 free slot"),
         .where = "free_slots",
         .remedy = "Send the request when a slot is free."});
  }
  rpc::LeaseRequest bounded = request;
  bounded.wait_ms =
      std::clamp<int64_t>(request.wait_ms, 0, limits::kLongPoll / std::chrono::milliseconds(1));
  return bounded;
}

Announcement ForCore(const rpc::AnnounceRequest& request) { return ParseAnnouncement(request); }

rpc::FailureReport ForCore(const rpc::FailureReport& request) { return rpc::CutToLimits(request); }

}  // namespace dl::master
