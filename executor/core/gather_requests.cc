#include "executor/core/gather_requests.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::executor {

void Gathering::Accept(const rpc::Gather& gather) {
  if (wanted_.contains(gather.number)) return;
  Wanted wanted{.gather = gather, .call = {.due = step_.now}};
  bool sent = true;
  for (const rpc::GatherInput& input : gather.inputs) {
    const Work* const work = units_.Find(UnitOf(gather, input));
    if (work == nullptr) return;
    if (work->stage == Stage::kAnnouncing) {
      early_[gather.number] = gather;
      return;
    }
    if (work->stage != Stage::kHeld || work->outcome.announcement.hash != input.hash ||
        work->lease.spec_sha256 != gather.spec_sha256) {
      return;
    }
    sent &= work->gathered_by == gather.number;
    wanted.computations.push_back(work->computed_under);
  }
  if (!sent) wanted_.emplace(gather.number, std::move(wanted));
}

void Gathering::AcceptEarly() {
  for (const auto& [number, gather] : std::exchange(early_, {})) Accept(gather);
}

void Gathering::ForgetIncomplete() {
  std::erase_if(wanted_, [this](const auto& entry) { return !IsComplete(entry.second); });
}

bool Gathering::IsComplete(const Wanted& wanted) {
  for (size_t i = 0; i < wanted.computations.size(); ++i) {
    const Work* const work = units_.Find(UnitOf(wanted.gather, wanted.gather.inputs[i]));
    if (work == nullptr || work->stage != Stage::kHeld ||
        work->computed_under != wanted.computations[i])
      return false;
  }
  return true;
}

void Gathering::LeaveSession() {
  wanted_.clear();
  early_.clear();
}

void Gathering::SendDue() {
  for (auto& [number, wanted] : wanted_) {
    if (!wanted.call.IsDue(step_.now)) continue;
    wanted.call.in_flight = true;
    step_.Do(SendGather{session_, wanted.gather, wanted.computations});
  }
}

Instant Gathering::NextDue() const {
  Instant next = Instant::Max();
  for (const auto& [number, wanted] : wanted_) next = std::min(next, wanted.call.NextDue());
  return next;
}

void Gathering::On(const GatherSent& event) {
  const auto found = wanted_.find(event.number);
  if (found == wanted_.end()) return;
  Wanted& wanted = found->second;
  if (!event.reply.ok()) return HandleSendFailure(wanted, event.reply.status());
  wanted.call.in_flight = false;
  switch (event.reply->receipt) {
    case rpc::Receipt::kComplete:
      for (const rpc::GatherInput& input : wanted.gather.inputs)
        units_.Find(UnitOf(wanted.gather, input))->gathered_by = event.number;
      wanted_.erase(found);
      break;
    case rpc::Receipt::kMore:
    case rpc::Receipt::kUnwanted:
      wanted_.erase(found);  // the answer to a heartbeat asks again if it is still wanted
      break;
  }
}

// Dropped results are computed again, here or by another executor.
void Gathering::HandleSendFailure(Wanted& wanted, const Status& why) {
  if (!wanted.call.IsRefusedForGood(why)) {
    CountRetry(retries_.results);
    return wanted.call.ScheduleRetry(step_.now, options_);
  }
  const rpc::Gather& gather = wanted.gather;
  step_.Do(Warn{absl::StrCat("stored results of round ", gather.round, " of job ", gather.job,
                             " are dropped because the master rejected them ", wanted.call.refusals,
                             " times: ", std::string(why.message()))});
  for (const rpc::GatherInput& input : gather.inputs) units_.Drop(UnitOf(gather, input));
}

}  // namespace dl::executor
