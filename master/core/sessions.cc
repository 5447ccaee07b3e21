// Executors come, are heard, go.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"

namespace dl::master {

Session* Core::FindSession(uint64_t id) {
  auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

void Core::On(const Asked<rpc::RegisterRequest>& event) {
  const rpc::RegisterRequest& who = event.request;
  const auto named = names_.find(who.executor);
  if (named != names_.end()) {
    const Session& session = sessions_.at(named->second);
    // The one that is heard keeps the name: whoever has it may be somebody else.
    const bool itself = session.who.pid == who.pid && session.who.host == who.host;
    if (session.who.incarnation <= who.incarnation && !itself && !session.disconnected_at) {
      AnswerWith(event.token,
                 Unavailable({.message = absl::StrCat("executor ", who.executor,
                                                      " is registered, process ", session.who.pid,
                                                      " on ", session.who.host, ", and is heard"),
                              .where = who.executor,
                              .remedy = "Try again when that one has ended, or give this process a "
                                        "name of its own with --name"}));
      return;
    }
    if (session.who.incarnation > who.incarnation) {
      AnswerWith(
          event.token,
          Aborted({.message =
                       absl::StrCat("executor ", who.executor, " was started again as incarnation ",
                                    session.who.incarnation),
                   .where = who.executor,
                   .remedy = "Let this process end, or give it a name of its own with --name"}));
      return;
    }
  }
  if (named != names_.end()) DropSession(named->second, "registered again");

  const uint64_t id = (start_ << 32) | next_session_++;
  Session& session = sessions_[id];
  session.id = id;
  session.who = who;
  session.joined = session.last_heard = now_;
  names_[who.executor] = id;
  if (!quarantined_.contains(who.executor)) CountEligible(session, 1);
  NoteDue(session);
  TouchWhoIsThere();
  WriteLog(absl::StrCat("executor ", who.executor, " joined: ", who.slots, " slots, contract ",
                        who.contract, ", process ", who.pid, " on ", who.host));
  rpc::RegisterReply reply;
  reply.session = id;
  reply.term = term_;
  reply.heartbeat_ms = options_.heartbeat / std::chrono::milliseconds(1);
  reply.lease_ms = options_.session_timeout / std::chrono::milliseconds(1);
  AnswerWith(event.token, absl::OkStatus(), reply);
  for (const rpc::HeldContribution& held : who.held_contributions) {
    const Job* job = FindJob(held.unit.job);
    const bool over = job == nullptr || IsTerminal(job->record.state);
    session.notices.Committed(held.unit.job, over ? INT64_MAX : job->committed);
  }
  for (auto& [job_id, job] : jobs_) {
    if (job.phase == Phase::kOffers) AskForParts(job);
  }
  NoteCrashes(session);
}

void Core::On(const Asked<rpc::HeartbeatRequest>& event) {
  Session* session = FindSession(event.request.session);
  if (session == nullptr) {
    AnswerWith(event.token,
               Aborted({.message = "the session is over", .remedy = "Register again"}));
    return;
  }
  session->last_heard = now_;
  const bool was_gone = session->disconnected_at.has_value();
  session->disconnected_at.reset();
  NoteDue(*session);
  if (was_gone) TouchWhoIsThere();
  session->blocks_cached_bytes = event.request.blocks_cached_bytes;
  session->blocks_read_bytes = event.request.blocks_read_bytes;
  session->blocks_fetched_bytes = event.request.blocks_fetched_bytes;
  rpc::HeartbeatReply reply = session->notices.Next(event.request.notices_seen);
  for (const rpc::UnitProgress& progress : event.request.running) {
    Job* job = FindJob(progress.unit.job);
    bool renewed = false;
    if (job != nullptr && !quarantined_.contains(session->who.executor)) {
      // Which round will be open is not known yet: it may be this unit's.
      renewed = job->phase == Phase::kPreparing || job->phase == Phase::kOffers;
      if (Unit* unit = FindOpenUnit(*job, progress.unit)) {
        for (UnitLease& lease : unit->leases) {
          if (lease.lease != progress.lease || lease.session != session->id) continue;
          lease.expires = now_ + job->definition.lease;
          NoteProgress(lease, progress);
          renewed = true;
        }
        // A lease that ran out, of a unit that is still wanted: its result will be welcome all the
        // same.
        renewed |= unit->WantsResult();
        // Accepted from it, and perhaps on its way.
        if (unit->accepted && unit->result.holder == session->id) {
          unit->result.deliver_by = now_ + job->definition.lease;
          NoteProgress(unit->result, progress);
          renewed = true;
        }
      }
    }
    if (!renewed) reply.abandon.push_back(progress.unit);
  }
  TakeBackWhatIsNotHeld(*session, event.request.running);
  reply.gathers = GathersFor(*session, /*again=*/true);
  reply.drain = stopping_;
  reply.start_anew = session->start_anew && options_.executors_start_anew;
  reply.start_anew_why = session->start_anew_why;
  AnswerWith(event.token, absl::OkStatus(), std::move(reply));
}

// An announcement can arrive when its sender has dropped the unit already, because its call had run
// out of time: then nobody will send what was accepted. A heartbeat older than the announcement
// says nothing, hence the pause.
void Core::TakeBackWhatIsNotHeld(Session& session, const std::vector<rpc::UnitProgress>& held) {
  for (auto it = session.delivering.begin(); it != session.delivering.end();) {
    const auto& [id, index] = *it;
    const auto job = jobs_.find(id);
    Unit* held_back = nullptr;
    if (job != jobs_.end()) {
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
    if (came_ < unit.result.at + 2 * options_.heartbeat) continue;
    if (std::any_of(held.begin(), held.end(),
                    [&](const rpc::UnitProgress& p) { return p.unit == unit.id; }))
      continue;
    TouchUnit(job->second, unit.id.index);
    TakeBack(unit);
  }
}

void Core::On(const Asked<rpc::GoodbyeRequest>& event) {
  DropSession(event.request.session, "left");
  AnswerWith(event.token, absl::OkStatus());
}

void Core::On(const SessionDisconnected& event) {
  if (Session* session = FindSession(event.session);
      session != nullptr && !session->disconnected_at) {
    session->disconnected_at = now_;
    NoteDue(*session);
  }
}

void Core::DropSession(uint64_t id, std::string_view why) {
  Session* session = FindSession(id);
  if (session == nullptr) return;
  const std::string executor = session->who.executor;
  for (auto& [job_id, job] : jobs_) {
    bool touched = false;
    for (auto& [index, unit] : job.units) {
      const bool held = unit.Undelivered() && unit.result.holder == id;
      if (held) out_->effects.push_back(DropContribution{unit.id, unit.result.expected});
      const size_t leases = unit.leases.size();
      unit.ForgetSession(id);
      if (!held && leases == unit.leases.size()) continue;
      touched = true;
      TouchUnit(job, index);
    }
    if (touched) {
      EmitEvent(job,
                {{"type", "warning"},
                 {"message", absl::StrCat("executor ", executor, " is gone (", std::string(why),
                                          "); its units are computed again")}});
    }
  }
  if (session->parked != 0) {
    AnswerWith(Unpark(session->parked),
               Aborted({.message = "the session is over", .remedy = "Register again"}));
  }
  names_.erase(executor);
  if (!quarantined_.contains(executor)) CountEligible(*session, -1);
  due_sessions_.erase({session->due, id});
  TouchWhoIsThere();
  WriteLog(absl::StrCat("executor ", executor, " is gone (", std::string(why), ")"));
  sessions_.erase(id);
}

void Core::ExpireSessions() {
  while (!due_sessions_.empty() && due_sessions_.begin()->first <= came_) {
    const uint64_t id = due_sessions_.begin()->second;
    const bool silent = sessions_.at(id).last_heard + options_.session_timeout <= came_;
    // What was leased since its last heartbeat ends early, for the same reason.
    for (auto& [job_id, job] : jobs_) {
      if (!silent) break;
      for (const auto& [index, unit] : job.units) {
        if (unit.Undelivered() && unit.result.holder == id) ++job.expired_leases;
        job.expired_leases +=
            std::count_if(unit.leases.begin(), unit.leases.end(),
                          [&](const UnitLease& lease) { return lease.session == id; });
      }
    }
    DropSession(id, silent ? "no heartbeat" : "its connection closed");
  }
}

}  // namespace dl::master
