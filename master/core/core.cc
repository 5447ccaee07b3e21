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
  return std::holds_alternative<Publish>(effect) || std::holds_alternative<WriteCheckpoint>(effect);
}

Core::Core(CoreOptions options, RecoveredState recovered, Instant now, Output& out)
    : options_(options),
      term_(recovered.term),
      start_(recovered.start),
      secret_(recovered.secret),
      began_(now),
      jobs_created_(recovered.jobs_created),
      wanted_(std::move(recovered.wanted)),
      quarantined_(std::move(recovered.quarantined)),
      requests_(recovered.requests.begin(), recovered.requests.end()),
      now_(now),
      came_(now),
      out_(&out) {
  for (const AnsweredRequest& request : requests_) request_answers_[request.id] = request.answer;
  for (RecoveredJob& job : recovered.jobs) LoadJob(std::move(job));
  for (const auto& [id, job] : jobs_) Touch(job);
  queue_changed_ = true;
  Settle();
  SetEndedApart();
  out_ = nullptr;
}

void Core::Step(const Event& event, const Moment& moment, Output& out) {
  DL_CHECK(out_ == nullptr);
  now_ = moment.now;
  came_ = moment.came;
  wall_unix_ms_ = moment.wall_unix_ms;
  out_ = &out;
  std::visit([this](const auto& e) { On(e); }, event);
  TakeWhatIsDue();  // time has passed whatever the event was
  Settle();
  ServeParked();
  SetEndedApart();
  out_ = nullptr;
}

bool Core::ReadyToStop() const {
  if (!stopping_) return false;
  return std::all_of(jobs_.begin(), jobs_.end(),
                     [](const auto& entry) { return entry.second.writing_checkpoint < 0; });
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

// Who asks for it may change it.
Job* Core::FindJob(const std::string& id) {
  if (auto found = jobs_.find(id); found != jobs_.end()) {
    Touch(found->second);
    return &found->second;
  }
  const auto found = ended_.find(id);
  return found == ended_.end() ? nullptr : &found->second;
}

const Job* Core::Find(const std::string& id) const {
  for (const auto* jobs : {&jobs_, &ended_}) {
    if (auto found = jobs->find(id); found != jobs->end()) return &found->second;
  }
  return nullptr;
}

Status Core::CheckInvariants() const {
  DL_RETURN_IF_ERROR(CheckUpkeep());
  DL_RETURN_IF_ERROR(CheckMemory());
  for (const auto& [id, job] : ended_) {
    if (!IsTerminal(job.record.state) || job.phase != Phase::kIdle || !job.units.empty())
      return Internal({.message = "a job that ended goes on", .where = id});
    const bool whole = job.damage.ok();  // of a damaged one it is not known what it has
    if (whole && job.record.state == JobState::kSucceeded && !job.HasCheckpoint(job.committed))
      return Internal(
          {.message = "succeeded without a checkpoint of the final round", .where = id});
  }
  for (const auto& [id, job] : jobs_) {
    const auto breach = [&](std::string_view what) {
      return Internal({.message = std::string(what), .where = id});
    };
    if (!job.damage.ok()) return breach("a damaged job goes on");
    if (job.at > job.committed) return breach("the engine is ahead of the log");
    if (job.committed > job.definition.TotalRounds())
      return breach("more rounds than the plan has");
    if (IsTerminal(job.record.state)) return breach("a job that ended is among the others");
    if ((job.phase == Phase::kIdle) != (job.record.state == JobState::kQueued))
      return breach("state and phase disagree");
    if ((job.phase == Phase::kTraining || job.phase == Phase::kEvaluating) && job.AllSettled()) {
      return breach("all units are settled and nothing goes on");
    }
    DL_RETURN_IF_ERROR(CheckGathers(job));
    DL_RETURN_IF_ERROR(CheckTrust(job));
    if (job.phase == Phase::kTraining || job.phase == Phase::kGathering ||
        job.phase == Phase::kMerging) {
      const auto plan =
          dataset::PlanRound(job.definition.plan, job.definition.RoundInEpoch(job.at + 1));
      if (static_cast<int64_t>(job.units.size()) != plan.units)
        return breach("a worker of the round is missing");
      int64_t examples = 0;
      for (const auto& [index, unit] : job.units) {
        examples += unit.examples;
        if (unit.id.round != job.at + 1) return breach("a unit of another round is open");
        if (unit.Undelivered() && !sessions_.contains(unit.result.holder)) {
          return breach("an undelivered result is held by a session that is gone");
        }
        for (const UnitLease& lease : unit.leases) {
          if (!sessions_.contains(lease.session))
            return breach("a lease belongs to a session that is gone");
        }
        if (job.phase != Phase::kTraining && !unit.Settled())
          return breach("merging an unsettled unit");
        if (job.phase == Phase::kMerging && !unit.result.staged)
          return breach("merging a contribution that is not staged");
      }
      if (examples != plan.examples) return breach("the round's examples are not the plan's");
    }
    const bool reading = job.phase == Phase::kPreparing;
    if (!reading && job.committed >= 0 && job.LastCommit() == nullptr)
      return breach("the last commit is missing");
    if (!job.commits.empty() && job.commits.rbegin()->first > job.committed)
      return breach("a commit is there that does not count");
    if (static_cast<int64_t>(job.commits.size()) > 3 * options_.commits_kept + 2)
      return breach("commits stay in memory");
    if (job.phase == Phase::kTraining && job.replaying() && !job.commits.contains(job.at + 1))
      return breach("a round is computed again without its commit");
  }
  return absl::OkStatus();
}

}  // namespace dl::master
