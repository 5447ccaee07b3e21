#include "executor/core/registration.h"

#include <utility>

namespace dl::executor {

Registration::Registration(Ground& ground) : Room(ground), crashed_(ground.options.crashed) {
  call_.due = step_.now;
}

void Registration::LeaveSession() {
  session_ = 0;
  call_.asked = false;
  call_.due = step_.now;
}

bool Registration::On(const RegisterAnswered& event) {
  call_.asked = false;
  if (session_ != 0) return false;
  if (!event.reply.ok()) {
    NotRegistered(event.reply.status());
    return false;
  }
  call_.failures = 0;
  waits_for_.reset();
  joined_before_ = true;
  crashed_.clear();
  session_ = event.reply->session;
  step_.Do(Joined{});
  return true;
}

// A master that is away may be refused, silent or full in turn: that is one reason. Who speaks
// another protocol at an executor's first try is the wrong one; later it is a master that is being
// replaced, say. Who is not let in will not be by asking again.
void Registration::NotRegistered(const Status& why) {
  call_.TryAgain(step_.now, options_);
  if ((absl::IsUnimplemented(why) && !joined_before_) || absl::IsUnauthenticated(why)) {
    exited_ = true;
    step_.Do(Refused{why});
    return;
  }
  CountRetry(retries_.sessions);
  const absl::StatusCode reason =
      absl::IsDeadlineExceeded(why) ? absl::StatusCode::kUnavailable : why.code();
  if (waits_for_ == reason) return;
  waits_for_ = reason;
  step_.Do(Waits{why});
}

void Registration::Register() {
  if (leaving_.now) return End();
  if (!call_.IsDue(step_.now)) return;
  call_.asked = true;
  rpc::RegisterRequest request{.executor = options_.name,
                               .incarnation = options_.incarnation,
                               .slots = options_.slots,
                               .contracts = {{options_.contract, options_.isa}},
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

void Registration::SayGoodbye() {
  if (goodbye_asked_) return;
  goodbye_asked_ = true;
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
