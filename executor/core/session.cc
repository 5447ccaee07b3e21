// The executor's session with the master: it opens one, says that it lives, hears what there is to
// hear, leaves.
#include <algorithm>

#include "executor/core/core.h"

namespace dl::executor {
namespace {

// A master that stays away is said to once in this time.
constexpr Duration kWarnAgain = std::chrono::seconds(60);
constexpr Duration kSilence = std::chrono::seconds(3);  // longer than a restart takes

}  // namespace

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
    if (work.stage == Stage::kSending || work.stage == Stage::kHeld)
      work.stage = Stage::kAnnouncing;
    work.gathered_by = 0;
  }
  gathers_.clear();
  early_.clear();
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
  if (!event.reply.ok()) return NotRegistered(event.reply.status());
  register_failures_ = 0;
  waits_for_.reset();
  joined_before_ = true;
  options_.crashed.clear();
  session_ = event.reply->session;
  heartbeat_ = std::chrono::milliseconds(event.reply->heartbeat_ms);
  notices_seen_ = 0;
  heartbeat_at_ = now_;  // at once: it fetches what the master asks of those who come back
  lease_at_ = now_;
  lease_failures_ = 0;
  Emit(Joined{});
}

// A master that is away may be refused, silent or full in turn: that is one reason. Who speaks
// another protocol at an executor's first try is the wrong one; later it is a master that is being
// replaced, say.
void Core::NotRegistered(const Status& why) {
  register_at_ = now_ + Backoff(++register_failures_);
  if (absl::IsUnimplemented(why) && !joined_before_) {
    exited_ = true;
    Emit(Refused{why});
    return;
  }
  const absl::StatusCode reason =
      absl::IsDeadlineExceeded(why) ? absl::StatusCode::kUnavailable : why.code();
  if (waits_for_ == reason) return;
  waits_for_ = reason;
  Emit(Waits{why});
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
  Apply(*event.reply);
}

// What an answer says may have been said before: nothing here minds, but offers, which would travel
// a second time.
void Core::Apply(const rpc::HeartbeatReply& reply) {
  master_drains_ = reply.drain;
  for (const UnitId& unit : reply.abandon) {
    auto found = work_.find(unit);
    if (found == work_.end() || found->second.stage == Stage::kRetained) continue;
    // Leased anew since that heartbeat left, perhaps ahead of its answer: the next one will tell.
    if (found->second.leased_at > heartbeat_sent_) continue;
    Drop(found);
  }
  const bool news = reply.number == 0 || reply.number > notices_seen_;
  notices_seen_ = std::max(notices_seen_, reply.number);
  for (const std::string& offer : reply.offer) {
    if (!news) break;
    const size_t slash = offer.rfind('/');
    if (slash == std::string::npos) continue;
    Emit(OfferPart{session_, offer.substr(0, slash), offer.substr(slash + 1)});
  }
  for (const rpc::Gather& gather : reply.gathers) Take(gather);
  for (const rpc::CommitNotice& notice : reply.committed) {
    for (auto it = work_.begin(); it != work_.end();) {
      auto current = it++;
      const bool older = current->first.job == notice.job && current->first.round < notice.round;
      const bool done = current->second.stage != Stage::kRunning;
      if (older && done) Drop(current);
    }
  }
  if (reply.start_anew && !start_anew_told_) {
    start_anew_told_ = true;
    Emit(StartAnew{reply.start_anew_why});
  }
}

void Core::Register() {
  if (stopping_) {
    exited_ = true;
    Emit(Exit{});
    return;
  }
  if (registering_ || now_ < register_at_) return;
  registering_ = true;
  rpc::RegisterRequest request{.executor = options_.name,
                               .incarnation = options_.incarnation,
                               .slots = options_.slots,
                               .contracts = {{options_.contract, options_.isa}},
                               .host = options_.host,
                               .pid = options_.pid,
                               .version = options_.version,
                               .crashed = options_.crashed,
                               .unit_memory_bytes = options_.unit_memory_bytes};
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRetained) {
      request.held_contributions.push_back({unit, work.outcome.announcement.hash});
    }
  }
  Emit(SendRegister{std::move(request)});
}

void Core::SayGoodbye() {
  if (goodbye_asked_) return;
  goodbye_asked_ = true;
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRunning) Emit(AbortUnit{work.computed_under, unit});
  }
  Emit(SendGoodbye{{session_}});
}

void Core::Heartbeat() {
  heartbeat_asked_ = true;
  heartbeat_sent_ = now_;
  SendHeartbeat beat{.request = {.session = session_, .notices_seen = notices_seen_}};
  for (const auto& [unit, work] : work_) {
    if (work.stage == Stage::kRetained) continue;
    beat.request.running.push_back({.unit = unit, .lease = work.lease.lease});
    beat.computations.push_back(work.computed_under);
  }
  Emit(std::move(beat));
}

}  // namespace dl::executor
