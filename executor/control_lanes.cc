#include "executor/control_lanes.h"

#include <utility>

#include "base/fail_point.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "executor/fault.h"
#include "rpc/messages.h"

namespace dl::executor {

void ControlLanes::Do(const SendRegister& effect) {
  rpc::RegisterRequest request = effect.request;
  options_.add_caches(request);
  control_->Post([this, request = std::move(request)] {
    options_.post(RegisterAnswered{options_.master.Register(request, limits::kControlDeadline)});
  });
}

void ControlLanes::Do(const SendHeartbeat& effect) {
  rpc::HeartbeatRequest request = effect.request;
  options_.add_progress(effect.computations, request);
  heartbeat_->Post([this, request = std::move(request)] {
    options_.post(HeartbeatAnswered{request.session,
                                    options_.master.Heartbeat(request, limits::kControlDeadline)});
  });
}

void ControlLanes::Do(const SendLease& effect) {
  lease_->Post([this, request = effect.request] {
    Span span(spans::kLease);
    auto reply = options_.master.LeaseUnits(request, limits::kControlDeadline);
    span.End();
    options_.post(LeaseAnswered{request.session, std::move(reply)});
  });
}

void ControlLanes::Do(const SendAnnounce& effect) {
  control_->Post([this, request = effect.request] {
    (void)FailPoint("executor.announce");
    Span span(spans::kAnnounce, SubjectOf(request.unit));
    auto reply = options_.master.Announce(request, limits::kControlDeadline);
    span.End();
    if (!reply.ok() && !IsOutage(reply.status()))
      LogWarning("cannot announce the result of unit ", ToString(request.unit), ": ",
                 DescribeError(reply.status()));
    options_.post(AnnounceAnswered{request.session, request.lease, request.unit, std::move(reply)});
  });
}

void ControlLanes::Do(const SendFailure& effect) {
  control_->Post([this, lease = effect.lease, request = effect.request] {
    options_.post(
        FailureReported{request.session, lease, request.unit,
                        options_.master.ReportFailure(request, limits::kControlDeadline)});
  });
}

void ControlLanes::Do(const SendGoodbye& effect) {
  control_->Post([this, request = effect.request] {
    (void)options_.master.Goodbye(request, limits::kControlDeadline);
    options_.post(GoodbyeAnswered{});
  });
}

}  // namespace dl::executor
