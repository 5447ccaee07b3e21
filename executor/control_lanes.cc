#include "executor/control_lanes.h"

#include <utility>

#include "base/fail_point.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/trace.h"
#include "executor/fault.h"

namespace dl::executor {

void ControlLanes::Do(const SendRegister& effect) {
  rpc::RegisterRequest request = effect.request;
  request.held_parts = shop_.exchange.Held();
  request.retries.states += shop_.chunks.pieces_again();
  control_.Post([this, request = std::move(request)] {
    shop_.events.Post(RegisterAnswered{shop_.master.Register(request, limits::kControlDeadline)});
  });
}

void ControlLanes::Do(const SendHeartbeat& effect) {
  rpc::HeartbeatRequest request = effect.request;
  for (size_t i = 0; i < request.running.size(); ++i)
    compute_.Describe(effect.computations[i], request.running[i]);
  request.blocks_cached_bytes = shop_.blocks.cached_bytes();
  request.blocks_fetched_bytes = shop_.blocks.fetched_bytes();
  request.blocks_read_bytes = shop_.decoded->stats().bytes_read;
  request.retries.states += shop_.chunks.pieces_again();
  heartbeat_.Post([this, request = std::move(request)] {
    shop_.events.Post(HeartbeatAnswered{request.session,
                                        shop_.master.Heartbeat(request, limits::kControlDeadline)});
  });
}

void ControlLanes::Do(const SendLease& effect) {
  lease_.Post([this, request = effect.request] {
    Span span(spans::kLease);
    auto reply = shop_.master.LeaseUnits(request, limits::kControlDeadline);
    span.End();
    shop_.events.Post(LeaseAnswered{request.session, std::move(reply)});
  });
}

void ControlLanes::Do(const SendAnnounce& effect) {
  control_.Post([this, request = effect.request] {
    (void)FailPoint("executor.announce");
    Span span(spans::kAnnounce, Of(request.unit));
    auto reply = shop_.master.Announce(request, limits::kControlDeadline);
    span.End();
    if (!reply.ok() && !IsOutage(reply.status()))
      LogWarning("announcing ", ToString(request.unit), ": ", DescribeError(reply.status()));
    shop_.events.Post(
        AnnounceAnswered{request.session, request.lease, request.unit, std::move(reply)});
  });
}

void ControlLanes::Do(const SendFailure& effect) {
  control_.Post([this, lease = effect.lease, request = effect.request] {
    shop_.events.Post(
        FailureReported{request.session, lease, request.unit,
                        shop_.master.ReportFailure(request, limits::kControlDeadline)});
  });
}

void ControlLanes::Do(const SendGoodbye& effect) {
  control_.Post([this, request = effect.request] {
    (void)shop_.master.Goodbye(request, limits::kControlDeadline);
    shop_.events.Post(GoodbyeAnswered{});
  });
}

}  // namespace dl::executor
