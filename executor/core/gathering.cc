// Results of a round that is gathered: they stay here, announced, until all of the round are; then
// the master says what it wants of them, as a sum or one by one (docs/protocol.md).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "executor/core/core.h"

namespace dl::executor {
namespace {

// As of a contribution: once more, in case it was the way.
constexpr int32_t kMostRefusals = 2;

}  // namespace

// The same gather may be asked for again and again. What is not all here any more is not taken: the
// next heartbeat shows what is missing.
void Core::Take(const rpc::Gather& gather) {
  if (gathers_.contains(gather.number)) return;
  Gathering gathering{.gather = gather, .retry_at = now_};
  bool sent = true;
  for (const rpc::GatherInput& input : gather.inputs) {
    const auto found = work_.find({gather.job, UnitKind::kTrain, gather.round, input.index});
    if (found == work_.end()) return;
    const Work& work = found->second;
    if (work.stage == Stage::kAnnouncing) {
      early_[gather.number] = gather;
      return;
    }
    if (work.stage != Stage::kHeld || work.outcome.announcement.hash != input.hash ||
        work.lease.spec_sha256 != gather.spec_sha256) {
      return;
    }
    sent &= work.gathered_by == gather.number;
    gathering.computations.push_back(work.computed_under);
  }
  if (!sent) gathers_.emplace(gather.number, std::move(gathering));
}

void Core::Send(Gathering& gathering) {
  gathering.asked = true;
  Emit(SendGather{session_, gathering.gather, gathering.computations});
}

void Core::On(const GatherSent& event) {
  if (!StillIn(event.session, event.reply.status())) return;
  const auto found = gathers_.find(event.number);
  if (found == gathers_.end()) return;
  Gathering& gathering = found->second;
  gathering.asked = false;
  if (!event.reply.ok()) {
    const absl::StatusCode code = event.reply.status().code();
    const bool refused =
        code == absl::StatusCode::kDataLoss || code == absl::StatusCode::kInvalidArgument;
    if (refused && ++gathering.refusals >= kMostRefusals) {
      Emit(Warn{absl::StrCat("what was held of round ", gathering.gather.round, " of job ",
                             gathering.gather.job, " is dropped, it was refused ",
                             gathering.refusals,
                             " times: ", std::string(event.reply.status().message()))});
      DropInputs(Gathering(gathering));
    } else {
      gathering.retry_at = now_ + Backoff(++gathering.failures);
    }
    return;
  }
  switch (event.reply->receipt) {
    case rpc::Receipt::kComplete:
      for (const rpc::GatherInput& input : gathering.gather.inputs) {
        work_.at({gathering.gather.job, UnitKind::kTrain, gathering.gather.round, input.index})
            .gathered_by = event.number;
      }
      gathers_.erase(found);
      break;
    case rpc::Receipt::kWait:
      gathering.retry_at = now_ + std::chrono::milliseconds(event.reply->retry_ms);
      break;
    case rpc::Receipt::kMore:
    case rpc::Receipt::kUnwanted:
      gathers_.erase(found);  // a heartbeat's answer asks again if it is wanted all the same
      break;
  }
}

// They are computed again, here or elsewhere.
void Core::DropInputs(const Gathering& gathering) {
  for (const rpc::GatherInput& input : gathering.gather.inputs) {
    const auto work =
        work_.find({gathering.gather.job, UnitKind::kTrain, gathering.gather.round, input.index});
    if (work != work_.end()) Drop(work);
  }
}

}  // namespace dl::executor
