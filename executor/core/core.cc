#include "executor/core/core.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dl::executor {
namespace {

// A contribution that does not fit its announcement will not fit it later: the bytes changed behind
// the announcement. Once more, in case it was the way.
constexpr int32_t kMostRefusals = 2;

// A master that stays away is said to once in this time.
constexpr Duration kWarnAgain = std::chrono::seconds(60);
constexpr Duration kSilence = std::chrono::seconds(3);  // longer than a restart takes

// A unit that cannot be fetched is tried again with these pauses: each try may move a whole state.
// Then somebody else may have it.
constexpr Duration kFirstFetchPause = std::chrono::milliseconds(100);
constexpr Duration kLongestFetchPause = std::chrono::seconds(5);
constexpr Duration kHandBackAfter = std::chrono::seconds(30);
constexpr Duration kFirstWarnPause = std::chrono::seconds(5);

Duration Doubled(Duration first, int32_t times, Duration longest) {
  for (int32_t i = 0; i < times && first < longest; ++i) first *= 2;
  return std::min(first, longest);
}

}  // namespace

Core::Core(CoreOptions options, Instant now)
    : options_(std::move(options)),
      register_at_(now),
      heartbeat_at_(now),
      lease_at_(now),
      fetch_warn_pause_(kFirstWarnPause),
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
  if (!lease_asked_ && !draining_ && running() < options_.slots) next = std::min(next, lease_at_);
  for (const auto& [unit, work] : work_) {
    if (work.stage != Stage::kRunning && work.stage != Stage::kRetained && !work.asked) {
      next = std::min(next, work.retry_at);
    }
  }
  return next;
}

Duration Core::Backoff(int32_t failures) const {
  return Doubled(options_.first_backoff, failures - 1, options_.longest_backoff);
}

void Core::LoseSession(const Status&) {
  session_ = 0;
  registering_ = false;
  heartbeat_asked_ = false;
  lease_asked_ = false;
  register_at_ = now_;
  for (auto& [unit, work] : work_) {
    work.asked = false;
    work.retry_at = now_;
    // A new session has accepted nothing yet: announce again what was not delivered.
    if (work.stage == Stage::kSending) work.stage = Stage::kAnnouncing;
  }
}

bool Core::StillIn(uint64_t session, const Status& status) {
  if (session != session_) return false;
  if (status.code() != absl::StatusCode::kAborted) return true;
  LoseSession(status);
  return false;
}

void Core::On(const RegisterAnswered& event) {
  registering_ = false;
  if (session_ != 0) return;
  if (!event.reply.ok()) {
    register_at_ = now_ + Backoff(++register_failures_);
    if (register_failures_ == 1 || now_ >= warn_at_) {
      Emit(Warn{"cannot register with the master, trying on: " +
                DescribeError(event.reply.status())});
      warn_at_ = now_ + kWarnAgain;
    }
    return;
  }
  register_failures_ = 0;
  options_.crashed.clear();
  session_ = event.reply->session;
  heartbeat_ = std::chrono::milliseconds(event.reply->heartbeat_ms);
  heartbeat_at_ = now_;  // at once: it fetches what the master asks of those who come back
  lease_at_ = now_;
  lease_failures_ = 0;
}

void Core::On(const HeartbeatAnswered& event) {
  if (event.session == session_) heartbeat_asked_ = false;
  if (!StillIn(event.session, event.reply.status())) return;
  if (!event.reply.ok()) {
    heartbeat_at_ = now_ + std::min(heartbeat_, options_.first_backoff * 2);
    if (!silent_since_) silent_since_ = now_;
    if (now_ - *silent_since_ >= kSilence && now_ >= warn_at_) {
      Emit(Warn{"the master does not answer, trying on: " + DescribeError(event.reply.status())});
      warn_at_ = now_ + kWarnAgain;
    }
    return;
  }
  silent_since_.reset();
  heartbeat_at_ = now_ + heartbeat_;
  const rpc::HeartbeatReply& reply = *event.reply;
  draining_ = reply.drain || stopping_;
  for (const UnitId& unit : reply.abandon) {
    auto found = work_.find(unit);
    if (found == work_.end() || found->second.stage == Stage::kRetained) continue;
    // Leased anew since that heartbeat left, perhaps ahead of its answer: the next one will tell.
    if (found->second.leased_at > heartbeat_sent_) continue;
    Drop(found);
  }
  for (const std::string& offer : reply.offer) {
    const size_t slash = offer.rfind('/');
    if (slash == std::string::npos) continue;
    Emit(OfferPart{session_, offer.substr(0, slash), offer.substr(slash + 1)});
  }
  for (const rpc::CommitNotice& notice : reply.committed) {
    for (auto it = work_.begin(); it != work_.end();) {
      auto current = it++;
      const bool older = current->first.job == notice.job && current->first.round < notice.round;
      const bool done = current->second.stage != Stage::kRunning;
      if (older && done) Drop(current);
    }
  }
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
    const int32_t slot = FreestSlot();
    work_[lease.unit] =
        Work{.lease = lease, .leased_at = now_, .slot = slot, .computed_under = lease.lease};
    Emit(RunUnit{lease, slot});
  }
}

int32_t Core::FreestSlot() const {
  std::vector<int32_t> units(options_.slots);
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRunning || work.stage == Stage::kWaiting) ++units[work.slot];
  }
  return static_cast<int32_t>(std::min_element(units.begin(), units.end()) - units.begin());
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
  if (work.stage == Stage::kReporting) return false;
  if (work.stage == Stage::kRetained && work.retained_in == session_) return false;
  if (work.lease.base_sha256 != lease.base_sha256 ||
      work.lease.worker_sha256 != lease.worker_sha256)
    return false;
  work.lease = lease;
  work.leased_at = now_;
  if (work.stage == Stage::kRunning) return true;
  work.stage = Stage::kAnnouncing;
  work.asked = false;
  work.retry_at = now_;
  return true;
}

void Core::On(const UnitFinished& event) {
  auto found = work_.find(event.unit);
  if (found == work_.end() || found->second.stage != Stage::kRunning ||
      found->second.computed_under != event.lease) {
    Emit(DropResult{event.lease, event.unit});
    return;
  }
  Work& work = found->second;
  work.outcome = event.outcome;
  work.failures = 0;
  work.stage = Stage::kAnnouncing;
  work.retry_at = now_;
}

void Core::On(const UnitFailed& event) {
  auto found = work_.find(event.unit);
  if (found == work_.end() || found->second.stage != Stage::kRunning ||
      found->second.computed_under != event.lease)
    return;
  if (IsTriedAgain(event.fault)) {
    TryAgain(found->second, event);
  } else {
    ReportFailure(found->second, event);
  }
}

void Core::TryAgain(Work& work, const UnitFailed& event) {
  if (work.failures == 0) work.failing_since = now_;
  TellOfFetching(event);
  if (now_ - work.failing_since >= kHandBackAfter) return ReportFailure(work, event);
  work.stage = Stage::kWaiting;
  work.retry_at = now_ + Doubled(kFirstFetchPause, work.failures++, kLongestFetchPause);
}

// One failure may be a master that is started again, or a job that has gone on.
void Core::TellOfFetching(const UnitFailed& event) {
  if (now_ - fetch_failed_at_ >= kWarnAgain) {
    fetch_failures_ = 0;
    fetch_warn_at_ = now_;
    fetch_warn_pause_ = kFirstWarnPause;
  }
  fetch_failed_at_ = now_;
  if (++fetch_failures_ < 2 || now_ < fetch_warn_at_) return;
  Emit(Warn{absl::StrCat("what unit ", ToString(event.unit), " starts from could not be fetched, ",
                         fetch_failures_,
                         " failures by now, trying on: ", DescribeError(event.status))});
  fetch_warn_at_ = now_ + fetch_warn_pause_;
  fetch_warn_pause_ = std::min(2 * fetch_warn_pause_, kWarnAgain);
}

void Core::ReportFailure(Work& work, const UnitFailed& event) {
  work.failures = 0;
  work.stage = Stage::kReporting;
  work.retry_at = now_;
  work.failure = {.lease = work.lease.lease,
                  .unit = event.unit,
                  .code = std::string(ErrorCodeName(event.status.code())),
                  .message = std::string(event.status.message()),
                  .where = ErrorWhere(event.status),
                  .remedy = ErrorRemedy(event.status),
                  .not_finite = event.not_finite,
                  .fault = event.fault};
}

void Core::RetryLater(Work& work) {
  work.asked = false;
  work.retry_at = now_ + Backoff(++work.failures);
}

void Core::On(const AnnounceAnswered& event) {
  if (!StillIn(event.session, event.reply.status())) return;
  auto found = work_.find(event.unit);
  if (found == work_.end() || found->second.stage != Stage::kAnnouncing) return;
  Work& work = found->second;
  if (!event.reply.ok()) {
    // The master says that the announcement itself is wrong: the same one will not get better.
    if (event.reply.status().code() == absl::StatusCode::kInvalidArgument) {
      Drop(found);
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
    case rpc::Verdict::kDone:
    case rpc::Verdict::kUnwanted:
      Drop(found);
      break;
  }
}

void Core::On(const ContributionSent& event) {
  if (!StillIn(event.session, event.reply.status())) return;
  auto found = work_.find(event.unit);
  if (found == work_.end() || found->second.stage != Stage::kSending) return;
  Work& work = found->second;
  if (!event.reply.ok()) {
    const absl::StatusCode code = event.reply.status().code();
    const bool refused =
        code == absl::StatusCode::kDataLoss || code == absl::StatusCode::kInvalidArgument;
    if (refused && ++work.refusals >= kMostRefusals) {
      Emit(Warn{absl::StrCat("the result of unit ", ToString(event.unit),
                             " is dropped, the master refused its bytes ", work.refusals,
                             " times: ", std::string(event.reply.status().message()))});
      Drop(found);
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
      break;
    case rpc::Receipt::kWait:
      work.retry_at = now_ + std::chrono::milliseconds(event.reply->retry_ms);
      break;
    case rpc::Receipt::kMore:
    case rpc::Receipt::kUnwanted:
      Drop(found);
      break;
  }
}

void Core::On(const FailureReported& event) {
  if (!StillIn(event.session, event.status)) return;
  auto found = work_.find(event.unit);
  if (found == work_.end() || found->second.stage != Stage::kReporting) return;
  if (event.status.ok()) {
    Drop(found);
  } else {
    RetryLater(found->second);
  }
}

void Core::On(const StopRequested&) {
  stopping_ = true;
  draining_ = true;
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
  work_.erase(found);
}

}  // namespace dl::executor
