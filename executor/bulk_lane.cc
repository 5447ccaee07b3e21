#include "executor/bulk_lane.h"

#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/fail_point.h"
#include "base/log.h"
#include "base/system_error.h"
#include "base/trace.h"
#include "executor/fault.h"
#include "executor/gather.h"
#include "rpc/messages.h"

namespace dl::executor {

BulkLane::Waiting BulkLane::WaitFor(const std::shared_ptr<Computation>& computation) {
  if (computation == nullptr) return nullptr;
  return std::make_shared<MovedBytes::Waiting>(acknowledged_,
                                               ByteCount(computation, &computation->bytes_moved));
}

BulkLane::Waiting BulkLane::WaitInLine(const std::shared_ptr<Computation>& computation) {
  return computation == nullptr || computation->last_send_failed ? nullptr : WaitFor(computation);
}

template <typename Send>
StatusOr<rpc::ContributionReply> BulkLane::TakeTurn(
    const std::vector<std::shared_ptr<Computation>>& computations,
    const std::vector<Waiting>& in_line, Send send) {
  std::vector<Waiting> waiting = in_line;
  int64_t before = 0, behind = 0;
  for (size_t i = 0; i < computations.size(); ++i) {
    if (waiting[i] == nullptr) waiting[i] = WaitFor(computations[i]);
    if (computations[i] != nullptr) before += computations[i]->bytes_moved;
  }
  StatusOr<rpc::ContributionReply> reply = send();
  for (const auto& computation : computations) {
    if (computation != nullptr) behind += computation->bytes_moved;
  }
  for (const auto& computation : computations) {
    if (computation != nullptr) computation->last_send_failed = !reply.ok() && behind == before;
  }
  return reply;
}

StatusOr<SharedPart> BulkLane::ResultOf(const Announced& announced) {
  const std::shared_ptr<Computation>& computation = announced.computation;
  if (computation != nullptr && computation->result != nullptr) return computation->result;
  StatusOr<SharedPart> result = held_.Get(announced.lease);
  if (IsShortage(result.status()) || absl::IsResourceExhausted(result.status())) return result;
  if (result.ok() && Xxh3(std::as_bytes((*result)->span())) != announced.hash) {
    result = DataLoss({.message = "a stored result differs from the announced result",
                       .where = ToString(announced.unit),
                       .remedy = "Check the memory and the disk of this machine"});
  }
  if (!result.ok()) options_.post(ResultLost{announced.lease, announced.unit, result.status()});
  return result;
}

void BulkLane::Do(const SendContribution& effect) {
  // Keeps the computation alive while it is sent, even if its unit is dropped meanwhile.
  const std::shared_ptr<Computation> computation = options_.computations.Find(effect.lease);
  queue_->Post([this, effect, computation, waiting = WaitInLine(computation)] {
    (void)FailPoint("executor.contribute");
    Span span(spans::kSend, SubjectOf(effect.unit));
    StatusOr<rpc::ContributionReply> reply =
        TakeTurn({computation}, {waiting}, [&]() -> StatusOr<rpc::ContributionReply> {
          DL_ASSIGN_OR_RETURN(const SharedPart result,
                              ResultOf({effect.lease, effect.unit, effect.hash, computation}));
          return options_.exchange.Contribute(effect.session, effect.unit, effect.hash, result,
                                              acknowledged_);
        });
    span.End();
    if (!reply.ok() && !IsOutage(reply.status())) {
      LogWarning("cannot send the contribution of unit ", ToString(effect.unit), ": ",
                 DescribeError(reply.status()));
    } else if (reply.ok()) {
      LogDebug("contribution of ", ToString(effect.unit), ": receipt ",
               static_cast<int>(reply->receipt));
    }
    options_.post(ContributionSent{effect.session, effect.lease, effect.unit, std::move(reply)});
  });
}

void BulkLane::Do(const HoldResult& effect) {
  const std::shared_ptr<Computation> computation = options_.computations.Find(effect.lease);
  if (computation == nullptr) return;
  computation->held = true;
  queue_->Post([this, lease = effect.lease, computation] {
    if (computation->result == nullptr) return;
    const Status held = held_.Hold(lease, computation->result);
    if (!held.ok())
      LogWarning(
          "a result stays in memory, above the limit of --memory, because it cannot be written to "
          "disk: ",
          DescribeError(held));
    computation->result = nullptr;
  });
}

void BulkLane::Do(const SendGather& effect) {
  std::vector<std::shared_ptr<Computation>> inputs;
  std::vector<Waiting> waiting;
  for (const uint64_t lease : effect.computations) {
    inputs.push_back(options_.computations.Find(lease));
    waiting.push_back(WaitInLine(inputs.back()));
  }
  queue_->Post([this, effect, inputs, waiting] {
    (void)FailPoint("executor.contribute");
    const rpc::Gather& gather = effect.gather;
    Span span(spans::kSend, {.job = gather.job, .round = gather.round});
    StatusOr<rpc::ContributionReply> reply = rpc::ContributionReply{};
    const auto layout = options_.layout(gather, effect.session);
    if (layout.ok()) {
      reply = TakeTurn(inputs, waiting, [&] {
        return SendGathered({.target = {.master = options_.master,
                                        .moved = acknowledged_,
                                        .chunk_bytes = options_.chunk_bytes},
                             .session = effect.session,
                             .gather = gather,
                             .layout = **layout,
                             .result = [&](size_t i) -> StatusOr<SharedPart> {
                               return ResultOf({effect.computations[i],
                                                UnitOf(gather, gather.inputs[i]),
                                                gather.inputs[i].hash, inputs[i]});
                             }});
      });
    } else {
      reply = layout.status();
    }
    span.End();
    if (!reply.ok() && !IsOutage(reply.status())) {
      LogWarning("cannot send the gathered results of round ", gather.round, " of ", gather.job,
                 ": ", DescribeError(reply.status()));
    }
    options_.post(GatherSent{effect.session, gather.number, std::move(reply)});
  });
}

void BulkLane::Do(const DropResult& effect) {
  const std::shared_ptr<Computation> dropped = options_.computations.Find(effect.lease);
  options_.computations.Drop(effect.lease);
  if (dropped == nullptr || !dropped->held) return;
  // Runs after queued transfers that use the result.
  queue_->Post([this, lease = effect.lease] { held_.Drop(lease); });
}

void BulkLane::Do(const OfferPart& effect) {
  queue_->Post([this, effect] {
    Status status = options_.exchange.Offer(effect.session, effect.job, effect.sha256);
    if (!status.ok() && !IsOutage(status))
      LogWarning("cannot offer a state to the master: ", DescribeError(status));
    options_.post(PartOffered{effect.session, effect.sha256, std::move(status)});
  });
}

}  // namespace dl::executor
