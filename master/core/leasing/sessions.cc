#include "master/core/leasing/sessions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/fleet/retries.h"
#include "master/core/job/scheduling.h"

namespace dl::master {

// Whether a process may take a name that another session has.
Status Sessions::CheckNameOf(const rpc::RegisterRequest& who, const Session& named) const {
  // A live session keeps the name, because the other process may be on another machine.
  const bool itself = named.who.holder == who.holder;
  if (named.who.incarnation <= who.incarnation && !itself && !named.disconnected_at) {
    return Unavailable({.message = absl::StrCat("executor ", who.executor,
                                                " is already registered and active: process ",
                                                named.who.pid, " on ", named.who.host),
                        .where = who.executor,
                        .remedy = "Try again after that process has ended, or give this process "
                                  "another name with --name"});
  }
  if (named.who.incarnation > who.incarnation) {
    return Aborted(
        {.message = absl::StrCat("executor ", who.executor, " has restarted as incarnation ",
                                 named.who.incarnation, ", which replaces this process"),
         .where = who.executor,
         .remedy = "Stop this process, or give it another name with --name"});
  }
  return absl::OkStatus();
}

void Sessions::On(const Asked<rpc::RegisterRequest>& event) {
  const rpc::RegisterRequest& who = event.request;
  const Session* const named = fleet_.FindNamed(who.executor);
  Status may = CheckLabels(who.labels, "an executor");
  if (may.ok() && named != nullptr) may = CheckNameOf(who, *named);
  if (may.ok()) may = fleet_.CheckRoomFor(who, named);
  if (!may.ok()) {
    step_.AnswerWith(event.token, may);
    return;
  }
  if (named != nullptr) LoseSession(named->id, "registered again");
  Session& session = fleet_.Add(who);
  RaiseTo(session.retries, who.retries);
  fleet_changes_.Record();
  // Only the contract that the executor prefers is logged, so that the line stays short.
  const auto contracts = static_cast<int64_t>(who.contracts.size());
  lines_.Write(absl::StrCat("executor ", who.executor, " joined: ", who.slots, " slots, contract ",
                            contracts == 0 ? "" : who.contracts.front().contract,
                            contracts <= 1 ? "" : absl::StrCat(" and ", contracts - 1, " more"),
                            ", process ", who.pid, " on ", who.host));
  rpc::RegisterReply reply;
  reply.session = session.id;
  reply.term = incarnation_.term;
  reply.heartbeat_ms = incarnation_.options.heartbeat / std::chrono::milliseconds(1);
  step_.AnswerWith(event.token, absl::OkStatus(), reply);
  for (const rpc::HeldContribution& held : who.held_contributions) {
    const Job* job = jobs_.Find(held.unit.job);
    const bool over =
        job == nullptr || IsTerminal(job->record.state) || job->record.state == JobState::kPaused;
    session.notices.Committed(held.unit.job, over ? INT64_MAX : job->log.committed);
  }
  for (auto& [job_id, job] : jobs_.live()) {
    if (job.phase == Phase::kOffers) uses_.recovery.AskForParts(job);
  }
  const std::set<std::string> interrupted = fleet_.TakeInterrupted(session);
  if (who.crashed.empty()) uses_.failures.RecordKilled(session, interrupted);
  uses_.failures.RecordCrashes(session, who.crashed);
}

void Sessions::On(const Asked<rpc::HeartbeatRequest>& event) {
  Session* session = fleet_.Find(event.request.session);
  if (session == nullptr) {
    step_.AnswerWith(event.token, Aborted({.message = "the executor's session has ended",
                                           .remedy = "Register again"}));
    return;
  }
  session->last_heard = step_.now;
  const bool was_gone = session->disconnected_at.has_value();
  session->disconnected_at.reset();
  session->silence_limit = incarnation_.options.session_timeout;
  fleet_.UpdateDeadline(*session);
  if (was_gone) fleet_changes_.Record();
  RaiseTo(session->retries, event.request.retries);
  session->blocks_cached_bytes = event.request.blocks_cached_bytes;
  session->blocks_read_bytes = event.request.blocks_read_bytes;
  session->blocks_fetched_bytes = event.request.blocks_fetched_bytes;
  rpc::HeartbeatReply reply = session->notices.Next(event.request.notices_seen);
  const uint64_t beat = ++session->heartbeats;
  size_t unleased = 0;  // entries of session->unleased that this heartbeat lists
  unleased_ -= session->unleased.size();
  const bool quarantined = fleet_.IsQuarantined(session->who.executor);
  const std::string* last = nullptr;  // the units of a job are adjacent
  Job* job = nullptr;
  std::set<std::string> listed;  // jobs that are being computed
  for (const rpc::UnitProgress& progress : event.request.running) {
    if (last == nullptr || *last != progress.unit.job) {
      job = jobs_.Find(progress.unit.job);
      if (job != nullptr && job->phase != Phase::kIdle) listed.insert(progress.unit.job);
    }
    last = &progress.unit.job;
    bool renewed = false;
    Unit* unit = job == nullptr ? nullptr : open_units_.Find(*job, progress.unit);
    if (unit != nullptr && unit->result.holder == session->id) unit->result.listed_in = beat;
    if (job != nullptr && !quarantined) {
      // The next open round is not known yet, and the unit may belong to it.
      renewed = job->phase == Phase::kPreparing || job->phase == Phase::kOffers;
      if (unit != nullptr) {
        for (UnitLease& lease : unit->leases) {
          if (lease.lease != progress.lease || lease.session != session->id) continue;
          lease.expires = step_.now + job->definition.lease;
          uses_.progress.RecordProgress(lease, progress);
          renewed = true;
        }
        // The lease has expired, but the unit still needs a result. The executor may continue while
        // it progresses.
        if (!renewed && unit->WantsResult()) {
          if (Unleased* seen = FindOrAddUnleased(*session, progress.lease, unleased)) {
            if (std::exchange(seen->heartbeat, beat) != beat) ++unleased;
            renewed = uses_.progress.RecordProgress(*seen, *job, progress);
          }
        }
        // Its result was accepted and may be in flight.
        if (unit->accepted && unit->result.holder == session->id) {
          unit->result.deliver_by = step_.now + job->definition.lease;
          uses_.progress.RecordProgress(unit->result, *job, progress);
          renewed = true;
        }
      }
    }
    if (renewed) {
      fleet_.AllowSilence(*session, job->definition.lease);
    } else {
      reply.abandon.push_back(progress.unit);
    }
  }
  if (session->unleased.size() > unleased)
    std::erase_if(session->unleased, [&](const auto& one) { return one.second.heartbeat != beat; });
  unleased_ += session->unleased.size();
  std::erase_if(session->under_way, [&](const std::string& id) {
    if (listed.contains(id)) return false;
    const auto leased = jobs_.live().find(id);
    return leased == jobs_.live().end() || leased->second.unit_index.held_by(session->id) == 0;
  });
  WithdrawUnheldResults(*session);
  reply.gathers = uses_.gathering.GathersFor(*session, /*again=*/true);
  reply.master_stops = incarnation_.stopping;
  reply.drain = session->drain;
  reply.restart = session->restart;
  reply.restart_reason = session->restart_reason;
  step_.AnswerWith(event.token, absl::OkStatus(), std::move(reply));
}

// Returns the entry of a unit that the heartbeat lists after `listed` others, or null beyond the
// limits.
Unleased* Sessions::FindOrAddUnleased(Session& session, uint64_t lease, size_t listed) {
  const auto found = session.unleased.find(lease);
  if (found != session.unleased.end()) return &found->second;
  if (listed >= kUnleasedOfSession && unleased_ + session.unleased.size() >= kMostUnleased)
    return nullptr;
  return &session.unleased[lease];
}

// An announcement can arrive after its sender dropped the unit because of a timeout, so the
// accepted result will never be sent. It is withdrawn if heartbeats do not list it. Heartbeats that
// may be older than the announcement are ignored.
void Sessions::WithdrawUnheldResults(Session& session) {
  constexpr int64_t kMostInAStep = 1000;  // the next heartbeat withdraws the others
  int64_t taken = 0;
  Instant oldest = Instant::Max();
  for (auto it = session.delivering.begin(); it != session.delivering.end();) {
    const auto& [id, index] = *it;
    const auto job = jobs_.live().find(id);
    Unit* held_back = nullptr;
    if (job != jobs_.live().end()) {
      const auto found = job->second.units.find(index);
      if (found != job->second.units.end()) held_back = &found->second;
    }
    if (held_back == nullptr || !held_back->Undelivered() ||
        held_back->result.holder != session.id) {
      it = session.delivering.erase(it);
      continue;
    }
    ++it;
    Unit& unit = *held_back;
    oldest = std::min(oldest, unit.result.asked_for);
    if (step_.came < unit.result.at + 2 * incarnation_.options.heartbeat) continue;
    if (unit.result.listed_in == session.heartbeats) continue;
    if (++taken > kMostInAStep) return;
    jobs_.TouchUnit(job->second, unit.id.index);
    open_units_.TakeBack(unit);
  }
  session.arrivals.ForgetBefore(oldest);
  session.completions.ForgetBefore(oldest);
}

void Sessions::On(const Asked<rpc::GoodbyeRequest>& event) {
  if (const Session* session = fleet_.Find(event.request.session)) fleet_.RecordGoodbye(*session);
  DropSession(event.request.session, "left");
  step_.AnswerWith(event.token, absl::OkStatus());
}

void Sessions::On(const SessionDisconnected& event) {
  if (Session* session = fleet_.Find(event.session);
      session != nullptr && !session->disconnected_at) {
    session->disconnected_at = step_.now;
    fleet_.UpdateDeadline(*session);
  }
}

// The executor did not say goodbye: it may register again, and may have been killed.
void Sessions::LoseSession(uint64_t id, std::string_view why) {
  const Session* session = fleet_.Find(id);
  if (session == nullptr) return;
  fleet_.RecordLoss(*session);
  DropSession(id, why);
}

void Sessions::DropSession(uint64_t id, std::string_view why) {
  Session* session = fleet_.Find(id);
  if (session == nullptr) return;
  const std::string executor = session->who.executor;
  for (auto& [job_id, job] : jobs_.live()) {
    bool touched = false;
    for (auto& [index, unit] : job.units) {
      const bool held = unit.Undelivered() && unit.result.holder == id;
      if (held) step_.Do(DropContribution{unit.id, unit.result.expected});
      const size_t leases = unit.leases.size();
      unit.ForgetSession(id, step_.came);
      if (!held && leases == unit.leases.size()) continue;
      touched = true;
      jobs_.TouchUnit(job, index);
    }
    if (touched) {
      step_.Warn(job, absl::StrCat("executor ", executor, " is gone (", std::string(why),
                                   "); its units are computed again"));
    }
  }
  uses_.leasing.EndRequest(*session);
  unleased_ -= session->unleased.size();
  fleet_.Remove(*session);
  for (auto& [job_id, job] : jobs_.live()) uses_.recovery.SessionEnded(job, id);
  fleet_changes_.Record();
  lines_.Write(absl::StrCat("executor ", executor, " is gone (", std::string(why), ")"));
}

void Sessions::ExpireSessions() {
  while (const Session* overdue = fleet_.FirstOverdue()) {
    const uint64_t id = overdue->id;
    const bool silent = overdue->last_heard + overdue->silence_limit <= step_.came;
    // Leases granted after the last heartbeat end early for the same reason.
    for (auto& [job_id, job] : jobs_.live()) {
      if (!silent) break;
      for (const auto& [index, unit] : job.units) {
        if (unit.Undelivered() && unit.result.holder == id) ++job.counts.expired_leases;
        job.counts.expired_leases +=
            std::count_if(unit.leases.begin(), unit.leases.end(),
                          [&](const UnitLease& lease) { return lease.session == id; });
      }
    }
    LoseSession(id, silent ? "no heartbeat" : "its connection closed");
  }
}

}  // namespace dl::master
