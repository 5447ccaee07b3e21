#include "master/core/core.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "master/core/keys.h"

namespace dl::master {

bool MayLeaveAhead(const Effect& effect) {
  if (const auto* answer = std::get_if<Answer>(&effect))
    return std::holds_alternative<rpc::LeaseReply>(answer->reply);
  return std::holds_alternative<Publish>(effect);
}

Core::Core(CoreOptions options, RecoveredState recovered, Instant now, Output& out)
    : options_(options),
      term_(recovered.term),
      start_(recovered.start),
      secret_(recovered.secret),
      began_(now),
      jobs_created_(recovered.jobs_created),
      quarantined_(std::move(recovered.quarantined)),
      requests_(recovered.requests.begin(), recovered.requests.end()),
      now_(now),
      came_(now),
      out_(&out) {
  for (const AnsweredRequest& request : requests_) request_answers_[request.id] = request.answer;
  for (RecoveredJob& job : recovered.jobs) LoadJob(std::move(job));
  StartQueuedJobs();
  out_ = nullptr;
}

void Core::Step(const Event& event, const Moment& moment, Output& out) {
  DL_CHECK(out_ == nullptr);
  now_ = moment.now;
  came_ = moment.came;
  wall_unix_ms_ = moment.wall_unix_ms;
  out_ = &out;
  std::visit([this](const auto& e) { On(e); }, event);
  // Time has passed whatever the event was.
  ExpireLeases();
  ExpireSessions();
  for (auto& [id, job] : jobs_) {
    CloseOffers(job);
    CloseWhatIsSettled(job);
    MaybeCheckpoint(job);
    EndReads(job);
    UpdateWaiting(job);
  }
  StartQueuedJobs();
  ServeParked();
  out_ = nullptr;
}

Instant Core::NextDeadline() const {
  Instant next = Instant::Max();
  const auto sooner = [&](Instant t) { next = std::min(next, t); };
  for (const auto& [id, session] : sessions_) {
    sooner(session.last_heard + session_timeout());
    if (session.disconnected_at) sooner(*session.disconnected_at + options_.lost_after_disconnect);
  }
  for (const ParkedLease& parked : parked_) sooner(parked.deadline);
  for (const std::string& id : queue_) {
    if (!jobs_.at(id).record.contract.empty()) continue;
    for (const auto& [session_id, session] : sessions_) {
      const Instant decided = ContractDecidedAt(session.joined);
      if (decided > came_) sooner(decided);
    }
  }
  for (const auto& [executor, standing] : standings_) {
    if (standing.aside_until > came_) sooner(standing.aside_until);
  }
  const bool newborn = came_ < WaitingBegins();
  for (const auto& [id, job] : jobs_) {
    if (newborn && LacksExecutors(job)) sooner(WaitingBegins());
    if (job.phase == Phase::kOffers) sooner(job.offers_until);
    for (const auto& [round, until] : job.being_read) sooner(until);
    bool leased = false, disputed = false;
    for (const auto& [index, unit] : job.units) {
      for (const UnitLease& lease : unit.leases) sooner(lease.expires);
      if (unit.AwaitsBytes()) sooner(unit.result.deliver_by);
      leased |= unit.HasLiveLease();
      disputed |= unit.disputed() && !unit.HasLiveLease();
      if (unit.not_before > now_) sooner(unit.not_before);
      if (unit.refused_since) sooner(*unit.refused_since + options_.another_executor_wait);
    }
    sooner(NextStandstill(job));
    if (leased && !parked_.empty()) sooner(now_ + kStragglerCheck);
    // Once it has passed, only an event can change anything.
    const Instant decision = job.dispute_since + options_.another_executor_wait;
    if (disputed && decision > came_) sooner(decision);
    if (job.phase == Phase::kTraining && job.definition.checkpoint.every > Duration{} &&
        job.writing_checkpoint < 0) {
      sooner(std::max(job.last_checkpoint_at + job.definition.checkpoint.every,
                      now_ + kStragglerCheck));
    }
  }
  return next;
}

bool Core::ReadyToStop() const {
  if (!stopping_) return false;
  return std::all_of(jobs_.begin(), jobs_.end(),
                     [](const auto& entry) { return entry.second.writing_checkpoint < 0; });
}

void Core::AppendRecord(Job& job, LogRecord record) {
  record.previous = job.last_record_sha256;
  const std::string text = JsonText(ToJson(record));
  job.last_record_sha256 = Sha256Hex(text);
  out_->batch.Put(keys::LogRecord(job.definition.id, job.log_length++), text);
}

void Core::PersistJob(const Job& job) {
  JobRecord record = job.record;
  record.wall_seconds = WallSeconds(job);
  out_->batch.Put(keys::Job(job.definition.id), JsonText(ToJson(record)));
}

void Core::PublishState(const Job& job) {
  out_->ahead.emplace_back(Publish{job.definition.id, job.at});
  out_->effects.emplace_back(Retire{job.definition.id, job.at});
}

void Core::RememberAnswer(const std::string& request_id, const std::string& answer) {
  const uint64_t number = requests_.empty() ? 1 : requests_.back().number + 1;
  out_->batch.Put(keys::Request(number, request_id), answer);
  request_answers_[request_id] = answer;
  requests_.push_back({number, request_id, answer});
  if (static_cast<int64_t>(requests_.size()) <= limits::kMaxRequestsRemembered) return;
  const AnsweredRequest& oldest = requests_.front();
  out_->batch.Delete(keys::Request(oldest.number, oldest.id));
  request_answers_.erase(oldest.id);
  requests_.pop_front();
}

void Core::EmitEvent(const Job& job, Json event) {
  event["job"] = job.definition.id;
  out_->effects.push_back(Emit{job.definition.id, std::move(event)});
}

void Core::WriteLog(std::string line) { out_->effects.emplace_back(Log{std::move(line)}); }

void Core::AnswerWith(uint64_t token, Status status, Reply reply) {
  // In place: of a temporary that is moved from, g++ 12 believes with a sanitizer on that it is
  // read uninitialized.
  out_->effects.emplace_back(std::in_place_type<Answer>, token, std::move(status),
                             std::move(reply));
}

Job* Core::FindJob(const std::string& id) {
  auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

Status Core::CheckInvariants() const {
  for (const auto& [id, job] : jobs_) {
    const auto breach = [&](std::string_view what) {
      return Internal({.message = std::string(what), .where = id});
    };
    if (!job.damage.ok()) {
      if (job.phase != Phase::kIdle || !IsTerminal(job.record.state))
        return breach("a damaged job goes on");
      continue;
    }
    if (job.at > job.committed) return breach("the engine is ahead of the log");
    if (job.committed > job.definition.TotalRounds())
      return breach("more rounds than the plan has");
    if (IsTerminal(job.record.state) !=
        (job.phase == Phase::kIdle && job.record.state != JobState::kQueued)) {
      return breach("terminal state and phase disagree");
    }
    if ((job.phase == Phase::kTraining || job.phase == Phase::kEvaluating) && job.AllSettled()) {
      return breach("all units are settled and nothing goes on");
    }
    if (job.phase == Phase::kTraining || job.phase == Phase::kMerging) {
      const auto plan =
          dataset::PlanRound(job.definition.plan, job.definition.RoundInEpoch(job.at + 1));
      if (static_cast<int64_t>(job.units.size()) != plan.units)
        return breach("a worker of the round is missing");
      int64_t examples = 0;
      for (const auto& [index, unit] : job.units) {
        examples += unit.examples;
        if (unit.id.round != job.at + 1) return breach("a unit of another round is open");
        if (unit.AwaitsBytes() && !sessions_.contains(unit.result.holder)) {
          return breach("an undelivered result is held by a session that is gone");
        }
        for (const UnitLease& lease : unit.leases) {
          if (!sessions_.contains(lease.session))
            return breach("a lease belongs to a session that is gone");
        }
        if (job.phase == Phase::kMerging && !unit.Settled())
          return breach("merging an unsettled unit");
      }
      if (examples != plan.examples) return breach("the round's examples are not the plan's");
    }
    if (job.record.state == JobState::kSucceeded && !job.HasCheckpoint(job.committed)) {
      return breach("succeeded without a checkpoint of the final round");
    }
    const int64_t last = job.commits.empty() ? -1 : job.commits.rbegin()->first;
    if (last != job.committed) return breach("a commit is missing");
    if (!IsTerminal(job.record.state) &&
        static_cast<int64_t>(job.commits.size()) != job.committed + 1)
      return breach("rounds were skipped");
  }
  return absl::OkStatus();
}

}  // namespace dl::master
