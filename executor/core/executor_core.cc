#include "executor/core/executor_core.h"

#include <algorithm>

#include "base/overloaded.h"

namespace dl::executor {

std::vector<Effect> Core::Step(const Event& event, Instant now) {
  std::vector<Effect> effects;
  context_.step.Begin(now, effects);
  Apply(event);
  gathering_.ForgetIncomplete();
  Act();
  context_.step.End();
  return effects;
}

void Core::Apply(const Event& event) {
  const auto still_in = [this](const auto& answer) {
    return IsCurrentSession(answer.session, answer.reply.status());
  };
  std::visit(Overloaded{
                 [](const Tick&) {},
                 [&](const RegisterAnswered& e) {
                   if (!registration_.On(e)) return;
                   heartbeats_.BeginSession(std::chrono::milliseconds(e.reply->heartbeat_ms));
                   leasing_.BeginSession();
                 },
                 [&](const HeartbeatAnswered& e) {
                   if (!still_in(e)) return;
                   heartbeats_.On(e);
                   if (e.reply.ok() && e.reply->drain) LeaveOnRequest();
                 },
                 [&](const LeaseAnswered& e) {
                   if (still_in(e)) leasing_.On(e);
                 },
                 [&](const AnnounceAnswered& e) {
                   if (still_in(e)) delivery_.On(e);
                 },
                 [&](const ContributionSent& e) {
                   if (still_in(e)) delivery_.On(e);
                 },
                 [&](const ResultLost& e) { delivery_.On(e); },
                 [&](const GatherSent& e) {
                   if (still_in(e)) gathering_.On(e);
                 },
                 [&](const PartOffered& e) {
                   if (IsCurrentSession(e.session, e.status)) offers_.On(e);
                 },
                 [&](const FailureReported& e) {
                   if (IsCurrentSession(e.session, e.status)) delivery_.On(e);
                 },
                 [&](const UnitFinished& e) { computing_.On(e); },
                 [&](const UnitFailed& e) { computing_.On(e); },
                 [&](const DrainRequested&) { Drain(); },
                 [&](const StopRequested&) { context_.leaving.now = true; },
                 [&](const GoodbyeAnswered& e) { registration_.On(e); },
             },
             event);
}

bool Core::IsCurrentSession(uint64_t session, const Status& status) {
  if (session != context_.session) return false;
  // An executor that is no longer admitted learns this from the answer to Register.
  if (!absl::IsAborted(status) && !absl::IsUnauthenticated(status)) return true;
  LeaveSession();
  return false;
}

void Core::LeaveSession() {
  CountRetry(context_.retries.sessions);  // a new session will be requested
  registration_.LeaveSession();
  heartbeats_.LeaveSession();
  leasing_.LeaveSession();
  context_.units.LeaveSession();
  gathering_.LeaveSession();
  offers_.LeaveSession();
}

void Core::LeaveOnRequest() {
  if (context_.leaving.when_delivered) return;
  context_.step.Do(Warn{"leaving, as the master asks, when what runs is delivered"});
  Drain();
}

void Core::Drain() {
  context_.leaving.when_delivered = true;
  for (auto& [unit, work] : context_.units.all()) {
    if (work.stage == Stage::kWaiting) work.HandBack(context_.step.now);
  }
}

void Core::Act() {
  if (registration_.exited()) return;
  Units& units = context_.units;
  Leaving& leaving = context_.leaving;
  units.DropRetainedAbove(context_.options.result_bytes);
  if (leaving.when_delivered && !units.AnyUnfinished()) leaving.now = true;
  if (context_.session == 0) return registration_.Register();
  if (leaving.now) return registration_.SendGoodbyeOnce();
  heartbeats_.SendIfDue();
  for (auto& [unit, work] : units.all()) {
    if (!work.call.IsDue(context_.step.now)) continue;
    if (work.stage == Stage::kWaiting) {
      computing_.Begin(work);
    } else {
      delivery_.Send(unit, work);
    }
  }
  gathering_.SendDue();
  offers_.SendDue();
  leasing_.AskIfDue();
}

Instant Core::NextDeadline() const {
  if (registration_.exited()) return Instant::Max();
  if (context_.session == 0) return registration_.NextDue();
  if (context_.leaving.now) return Instant::Max();  // waits for the answer to the goodbye
  return std::min({heartbeats_.NextDue(), leasing_.NextDue(), context_.units.NextToSend(),
                   slots_.AnyFree() ? context_.units.NextToBegin() : Instant::Max(),
                   gathering_.NextDue(), offers_.NextDue()});
}

}  // namespace dl::executor
