#include "executor/core/heartbeats.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dl::executor {
namespace {

// Minimum time between warnings about a master that does not answer.
constexpr Duration kWarnAgain = std::chrono::seconds(60);
constexpr Duration kSilence = std::chrono::seconds(3);  // longer than a restart takes

}  // namespace

void Heartbeats::BeginSession(Duration interval) {
  interval_ = interval;
  notices_seen_ = 0;
  call_.due = step_.now;  // at once: the answer brings what the master asks of returning executors
}

void Heartbeats::SendIfDue() {
  if (!call_.IsDue(step_.now)) return;
  call_.in_flight = true;
  sent_ = step_.now;
  slots_.FindLostThreads();
  SendHeartbeat beat{
      .request = {.session = session_, .notices_seen = notices_seen_, .retries = retries_}};
  for (const auto& [unit, work] : units_.all()) {
    if (work.stage == Stage::kRetained) continue;
    beat.request.running.push_back({.unit = unit, .lease = work.lease.lease});
    beat.computations.push_back(work.computed_under);
  }
  step_.Do(std::move(beat));
}

void Heartbeats::On(const HeartbeatAnswered& event) {
  call_.in_flight = false;
  if (!event.reply.ok()) return HandleFailure(event.reply.status());
  silent_since_.reset();
  call_.due = step_.now + interval_;
  Apply(*event.reply);
}

void Heartbeats::HandleFailure(const Status& why) {
  CountRetry(retries_.sessions);
  call_.due = step_.now + std::min(interval_, options_.first_backoff * 2);
  if (!silent_since_) silent_since_ = step_.now;
  if (step_.now - *silent_since_ < kSilence || step_.now < warn_at_) return;
  step_.Do(Warn{"the master does not answer, will try again: " + DescribeError(why)});
  warn_at_ = step_.now + kWarnAgain;
}

// An answer may repeat an earlier one. All parts are idempotent except offers, which would be sent
// twice.
void Heartbeats::Apply(const rpc::HeartbeatReply& reply) {
  leaving_.master_stops = reply.master_stops;
  for (const UnitId& unit : reply.abandon) Abandon(unit);
  const bool news = reply.number == 0 || reply.number > notices_seen_;
  notices_seen_ = std::max(notices_seen_, reply.number);
  for (const std::string& offer : reply.offer) {
    if (!news) break;
    const size_t slash = offer.rfind('/');
    if (slash == std::string::npos) continue;
    offers_.Take(offer.substr(0, slash), offer.substr(slash + 1));
  }
  for (const rpc::Gather& gather : reply.gathers) gathering_.Accept(gather);
  for (const rpc::CommitNotice& notice : reply.committed) {
    units_.DropWhere([&](const UnitId& unit, const Work& work) {
      return unit.job == notice.job && unit.round < notice.round && work.stage != Stage::kRunning;
    });
  }
  if (reply.restart && !restart_requested_) {
    restart_requested_ = true;
    step_.Do(Restart{"as the master asks: " + reply.restart_reason});
  }
}

void Heartbeats::Abandon(const UnitId& unit) {
  const Work* const work = units_.Find(unit);
  if (work == nullptr || work->stage == Stage::kRetained) return;
  // Leased again since the heartbeat was sent, so this answer may not know the new lease. The next
  // answer will.
  if (work->leased_at > sent_) return;
  units_.Drop(unit);
}

}  // namespace dl::executor
