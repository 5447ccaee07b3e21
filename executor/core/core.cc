#include "executor/core/core.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::executor {
namespace {

// A contribution that does not fit its announcement will not fit it later: the bytes changed behind
// the announcement. Once more, in case it was the way.
constexpr int32_t kMostRefusals = 2;

}  // namespace

Core::Core(CoreOptions options, Instant now)
    : options_(std::move(options)),
      register_at_(now),
      heartbeat_at_(now),
      lease_at_(now),
      threads_(options_.slots),
      hinted_(options_.slots),
      now_(now) {}

std::vector<Effect> Core::Step(const Event& event, Instant now) {
  std::vector<Effect> effects;
  now_ = now;
  effects_ = &effects;
  std::visit([this](const auto& e) { On(e); }, event);
  Act();
  effects_ = nullptr;
  return effects;
}

int32_t Core::running() const {
  return static_cast<int32_t>(std::count_if(work_.begin(), work_.end(), [](const auto& entry) {
    return entry.second.stage == Stage::kRunning || entry.second.stage == Stage::kWaiting;
  }));
}

Instant Core::NextDeadline() const {
  if (exited_) return Instant::Max();
  if (session_ == 0) return registering_ ? Instant::Max() : register_at_;
  if (stopping_) return Instant::Max();  // until the goodbye is answered
  Instant next = Instant::Max();
  if (!heartbeat_asked_) next = std::min(next, heartbeat_at_);
  if (!lease_asked_ && TakesWork() && SlotsToAskFor() > 0) next = std::min(next, lease_at_);
  const bool may_begin = FreeSlot().has_value();
  for (const auto& [unit, work] : work_) {
    const bool waits = work.stage == Stage::kRunning || work.stage == Stage::kRetained ||
                       work.stage == Stage::kHeld || (work.stage == Stage::kWaiting && !may_begin);
    if (!waits && !work.asked) next = std::min(next, work.retry_at);
  }
  for (const auto& [number, gathering] : gathers_) {
    if (!gathering.asked) next = std::min(next, gathering.retry_at);
  }
  return next;
}

Duration Core::Backoff(int32_t failures) const {
  Duration wait = options_.first_backoff;
  for (int32_t i = 1; i < failures && wait < options_.longest_backoff; ++i) wait *= 2;
  return std::min(wait, options_.longest_backoff);
}

void Core::On(const LeaseAnswered& event) {
  if (event.session == session_) lease_asked_ = false;
  if (!StillIn(event.session, event.reply.status())) return;
  if (!event.reply.ok()) {
    lease_at_ = now_ + Backoff(++lease_failures_);
    return;
  }
  lease_failures_ = 0;
  lease_at_ = now_;
  for (const rpc::Lease& lease : event.reply->leases) {
    DropOtherSpecs(lease);
    if (auto found = work_.find(lease.unit); found != work_.end()) {
      if (GoesOnUnder(found->second, lease)) continue;
      Drop(found);
    }
    Work& work = work_[lease.unit] =
        Work{.lease = lease, .leased_at = now_, .computed_under = lease.lease, .retry_at = now_};
    if (!TakesWork()) HandBack(lease.unit, work);
  }
  for (const rpc::Gather& gather : event.reply->gathers) Take(gather);
}

std::optional<size_t> Core::FreeSlot() const {
  const auto free = std::find(threads_.begin(), threads_.end(), 0);
  if (free == threads_.end()) return std::nullopt;
  return free - threads_.begin();
}

// A free slot, if there is one: that which has read the unit ahead, else one that has read nothing
// ahead, else any. Slots that end in another order than they began would otherwise each throw away
// what it read for the other.
std::optional<size_t> Core::SlotFor(const UnitId& unit) const {
  std::optional<size_t> best = FreeSlot();
  const auto fits = [&](size_t slot) {
    if (hinted_[slot] == unit) return 2;
    return hinted_[slot].has_value() ? 0 : 1;
  };
  for (size_t slot = 0; slot < threads_.size(); ++slot) {
    if (threads_[slot] == 0 && fits(slot) > fits(*best)) best = slot;
  }
  return best;
}

// Those that no thread is in and no unit here waits for.
int32_t Core::SlotsToAskFor() const {
  if (UndeliveredBytes() > options_.result_bytes) return 0;
  const auto free = std::count(threads_.begin(), threads_.end(), 0);
  const auto waiting = std::count_if(work_.begin(), work_.end(), [](const auto& entry) {
    return entry.second.stage == Stage::kWaiting;
  });
  return static_cast<int32_t>(free - waiting);
}

void Core::ThreadIsBack(uint64_t lease) {
  std::replace(threads_.begin(), threads_.end(), lease, uint64_t{0});
}

Core::Work* Core::Find(const UnitId& unit, uint64_t computation, Stage stage) {
  const auto found = work_.find(unit);
  if (found == work_.end()) return nullptr;
  Work& work = found->second;
  return work.stage == stage && work.computed_under == computation ? &work : nullptr;
}

// The master's job of this name is another one than what is here: its folder was replaced, or went
// back to an older copy.
void Core::DropOtherSpecs(const rpc::Lease& lease) {
  for (auto it = work_.begin(); it != work_.end();) {
    auto current = it++;
    if (current->first.job == lease.unit.job &&
        current->second.lease.spec_sha256 != lease.spec_sha256) {
      Drop(current);
    }
  }
}

// A pure function gives the same again, so what is computed, or being computed, serves the new
// lease as well. Not what this very session has taken already: the master that still asks for it
// wants it computed a second time.
bool Core::GoesOnUnder(Work& work, const rpc::Lease& lease) {
  if (work.stage == Stage::kWaiting) return false;  // there is nothing yet
  if (work.stage == Stage::kReporting || work.stage == Stage::kHeld) return false;
  if (work.stage == Stage::kRetained && work.retained_in == session_) return false;
  if (work.lease.base_sha256 != lease.base_sha256 || work.lease.parts != lease.parts) return false;
  work.lease = lease;
  work.leased_at = now_;
  if (work.stage == Stage::kRunning) return true;
  work.stage = Stage::kAnnouncing;
  work.asked = false;
  work.retry_at = now_;
  return true;
}

void Core::RetryLater(Work& work) {
  work.asked = false;
  work.retry_at = now_ + Backoff(++work.failures);
}

void Core::On(const AnnounceAnswered& event) {
  if (!StillIn(event.session, event.reply.status())) return;
  Work* const found = Find(event.unit, event.lease, Stage::kAnnouncing);
  if (found == nullptr) return;
  Work& work = *found;
  if (!event.reply.ok()) {
    // The master says that the announcement itself is wrong: the same one will not get better.
    if (event.reply.status().code() == absl::StatusCode::kInvalidArgument) {
      Drop(work_.find(event.unit));
    } else {
      RetryLater(work);
    }
    return;
  }
  work.asked = false;
  work.failures = 0;
  switch (event.reply->verdict) {
    case rpc::Verdict::kSend:
      work.stage = Stage::kSending;
      work.retry_at = now_;
      break;
    case rpc::Verdict::kHold:
      work.stage = Stage::kHeld;
      Emit(HoldResult{work.computed_under});
      for (const auto& [number, gather] : std::exchange(early_, {})) Take(gather);
      break;
    case rpc::Verdict::kDone:
    case rpc::Verdict::kUnwanted:
      Drop(work_.find(event.unit));
      break;
  }
}

void Core::On(const ContributionSent& event) {
  if (!StillIn(event.session, event.reply.status())) return;
  Work* const found = Find(event.unit, event.lease, Stage::kSending);
  if (found == nullptr) return;
  Work& work = *found;
  if (!event.reply.ok()) {
    const absl::StatusCode code = event.reply.status().code();
    const bool refused =
        code == absl::StatusCode::kDataLoss || code == absl::StatusCode::kInvalidArgument;
    if (refused && ++work.refusals >= kMostRefusals) {
      Emit(Warn{absl::StrCat("the result of unit ", ToString(event.unit),
                             " is dropped, the master refused its bytes ", work.refusals,
                             " times: ", std::string(event.reply.status().message()))});
      Drop(work_.find(event.unit));
    } else {
      RetryLater(work);
    }
    return;
  }
  work.asked = false;
  switch (event.reply->receipt) {
    case rpc::Receipt::kComplete:
      work.stage = Stage::kRetained;
      work.retained_in = session_;
      work.retained_as = ++retained_;
      break;
    case rpc::Receipt::kWait:
      work.retry_at = now_ + std::chrono::milliseconds(event.reply->retry_ms);
      break;
    case rpc::Receipt::kMore:
    case rpc::Receipt::kUnwanted:
      Drop(work_.find(event.unit));
      break;
  }
}

void Core::On(const FailureReported& event) {
  if (!StillIn(event.session, event.status)) return;
  Work* const work = Find(event.unit, event.lease, Stage::kReporting);
  if (work == nullptr) return;
  if (event.status.ok()) {
    Drop(work_.find(event.unit));
  } else {
    RetryLater(*work);
  }
}

void Core::On(const DrainRequested&) {
  leaving_ = true;
  for (auto& [unit, work] : work_) {
    if (work.stage == Stage::kWaiting) HandBack(unit, work);
  }
}

void Core::On(const StopRequested&) { stopping_ = true; }

bool Core::HasWork() const {
  return std::any_of(work_.begin(), work_.end(), [](const auto& entry) {
    const Work& work = entry.second;
    return work.stage == Stage::kHeld ? work.gathered_by == 0 : work.stage != Stage::kRetained;
  });
}

void Core::On(const GoodbyeAnswered&) {
  if (exited_) return;
  exited_ = true;
  Emit(Exit{});
}

void Core::Drop(std::map<UnitId, Work>::iterator found) {
  if (found->second.stage == Stage::kRunning) {
    Emit(AbortUnit{found->second.computed_under, found->first});
  } else {
    Emit(DropResult{found->second.computed_under, found->first});
  }
  std::erase_if(gathers_, [&](const auto& entry) {
    const std::vector<uint64_t>& inputs = entry.second.computations;
    return std::find(inputs.begin(), inputs.end(), found->second.computed_under) != inputs.end();
  });
  work_.erase(found);
}

}  // namespace dl::executor
