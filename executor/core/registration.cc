#include "executor/core/registration.h"

#include <utility>

namespace dl::executor {

Registration::Registration(Context& context)
    : Component(context), crashed_(context.options.crashed) {
  call_.due = step_.now;
}

void Registration::LeaveSession() {
  session_ = 0;
  call_.in_flight = false;
  call_.due = step_.now;
}

bool Registration::On(const RegisterAnswered& event) {
  call_.in_flight = false;
  if (session_ != 0) return false;
  if (!event.reply.ok()) {
    HandleFailure(event.reply.status());
    return false;
  }
  call_.failures = 0;
  reported_wait_.reset();
  denied_since_.reset();
  silent_since_.reset();
  joined_before_ = true;
  crashed_.clear();
  session_ = event.reply->session;
  step_.Do(Joined{});
  return true;
}

// Returns whether another attempt is useless. A peer with another protocol is the wrong peer at the
// first attempt; later it may be a master that is being replaced. An executor that a person starts
// and that is denied has the wrong token. An executor that was admitted before, or that a service
// manager starts, may be denied because the master's clock is wrong.
// A program that accepts the first connections and never answers is probably no master. An executor
// waits for a machine that accepts no connection, because its master may not have started yet.
bool Registration::IsFinal(const Status& why) {
  if (!absl::IsDeadlineExceeded(why) || joined_before_) {
    silent_since_.reset();
  } else {
    if (!silent_since_) silent_since_ = step_.now;
    if (step_.now - *silent_since_ >= options_.silent_master_timeout) return true;
  }
  if (!absl::IsUnauthenticated(why)) {
    denied_since_.reset();
    return absl::IsUnimplemented(why) && !joined_before_;
  }
  if (!denied_since_) denied_since_ = step_.now;
  return step_.now - *denied_since_ >=
         (joined_before_ ? options_.denied_timeout : options_.first_denied_timeout);
}

// An absent master may in turn refuse connections, not answer, or be full. All of these count as
// one reason.
void Registration::HandleFailure(const Status& why) {
  call_.ScheduleRetry(step_.now, options_);
  if (IsFinal(why)) {
    exited_ = true;
    step_.Do(Refused{why});
    return;
  }
  CountRetry(retries_.sessions);
  const absl::StatusCode reason =
      absl::IsDeadlineExceeded(why) ? absl::StatusCode::kUnavailable : why.code();
  if (reported_wait_ == reason) return;
  reported_wait_ = reason;
  step_.Do(Waits{why});
}

void Registration::Register() {
  if (leaving_.now) return End();
  if (!call_.IsDue(step_.now)) return;
  call_.in_flight = true;
  rpc::RegisterRequest request{.executor = options_.name,
                               .incarnation = options_.incarnation,
                               .slots = options_.slots,
                               .contracts = options_.contracts,
                               .host = options_.host,
                               .pid = options_.pid,
                               .version = options_.version,
                               .crashed = crashed_,
                               .unit_memory_bytes = options_.unit_memory_bytes,
                               .labels = options_.labels,
                               .retries = retries_};
  for (const auto& [unit, work] : units_.all()) {
    if (work.stage == Stage::kRetained) {
      request.held_contributions.push_back({unit, work.outcome.announcement.hash});
    }
  }
  step_.Do(SendRegister{std::move(request)});
}

void Registration::SendGoodbyeOnce() {
  if (goodbye_sent_) return;
  goodbye_sent_ = true;
  for (const auto& [unit, work] : units_.all()) {
    if (work.stage == Stage::kRunning) step_.Do(AbortUnit{work.computed_under, unit});
  }
  step_.Do(SendGoodbye{{session_}});
}

void Registration::On(const GoodbyeAnswered&) {
  if (!exited_) End();
}

void Registration::End() {
  exited_ = true;
  step_.Do(Exit{});
}

}  // namespace dl::executor
