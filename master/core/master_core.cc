#include "master/core/master_core.h"

#include <algorithm>
#include <utility>

#include "base/overloaded.h"

namespace dl::master {

Core::Core(CoreOptions options, RecoveredState recovered, Instant now, Output& out)
    : incarnation_{.options = options,
                   .term = recovered.term,
                   .start = recovered.start,
                   .secret = recovered.secret,
                   .began = now},
      fleet_(incarnation_, step_, std::move(recovered.quarantine), std::move(recovered.leaving)),
      machine_(incarnation_, step_, fleet_),
      leasing_(machine_.context, {.gathering = machine_.gathering, .upkeep = machine_.upkeep}),
      sessions_(machine_.context, {.failures = machine_.failures,
                                   .gathering = machine_.gathering,
                                   .leasing = leasing_,
                                   .progress = machine_.progress,
                                   .recovery = machine_.recovery}),
      client_requests_(machine_.context,
                       {.checkpoints = machine_.checkpoints,
                        .contracts = machine_.contracts,
                        .endings = machine_.endings,
                        .lifecycle = machine_.lifecycle,
                        .logs = machine_.logs,
                        .queue = machine_.queue,
                        .sources = machine_.sources,
                        .trust = machine_.trust},
                       recovered.jobs_created, recovered.requests) {
  step_.Begin({.now = now, .came = now}, out);
  machine_.sources.wanted() = std::move(recovered.wanted);
  for (RecoveredJob& job : recovered.jobs) machine_.start.LoadJob(std::move(job));
  machine_.queue.changed = true;
  machine_.upkeep.Settle();
  machine_.context.jobs.SetEndedApart();
  step_.End();
}

void Core::Step(const Event& event, const StepTime& moment, Output& out) {
  step_.Begin(moment, out);
  std::visit(Overloaded{
                 [](const Tick&) {},
                 [&](const Asked<rpc::RegisterRequest>& e) { sessions_.On(e); },
                 [&](const Asked<rpc::HeartbeatRequest>& e) { sessions_.On(e); },
                 [&](const Asked<rpc::GoodbyeRequest>& e) { sessions_.On(e); },
                 [&](const SessionDisconnected& e) { sessions_.On(e); },
                 [&](const Asked<rpc::LeaseRequest>& e) { leasing_.On(e); },
                 [&](const Asked<Announcement>& e) {
                   leasing_.AskForMore(e.request.said.session, e.request.said.free_slots);
                   machine_.results.On(e);
                 },
                 [&](const BytesArrived& e) { machine_.progress.On(e); },
                 [&](const ContributionStaged& e) { machine_.results.On(e); },
                 [&](const ContributionRefused& e) { machine_.results.On(e); },
                 [&](const Asked<rpc::FailureReport>& e) { machine_.failures.On(e); },
                 [&](const Gathered& e) { machine_.gather_results.On(e); },
                 [&](const GatherRefused& e) { machine_.gather_results.On(e); },
                 [&](const SumContradicted& e) { machine_.gather_results.On(e); },
                 [&](const RoundMerged& e) { machine_.rounds.On(e); },
                 [&](const StatePrepared& e) { machine_.recovery.On(e); },
                 [&](const ShutdownRequested& e) { machine_.lifecycle.On(e); },
                 [&](const PartArrived& e) { machine_.recovery.On(e); },
                 [&](const LogSurveyed& e) { machine_.recovery.On(e); },
                 [&](const CommitsRead& e) { machine_.recovery.On(e); },
                 [&](const SeriesFolded& e) { machine_.series.On(e); },
                 [&](const CheckpointWritten& e) { machine_.lifecycle.On(e); },
                 [&](const CheckpointRead& e) { machine_.checkpoints.On(e); },
                 [&](const ReadEnded& e) { machine_.checkpoints.On(e); },
                 [&](const EndRecorded& e) { machine_.context.jobs.On(e); },
                 [&](const Asked<Submission>& e) { client_requests_.On(e); },
                 [&](const Asked<UserAction>& e) { client_requests_.On(e); },
                 [&](const Asked<PruneRequest>& e) { client_requests_.On(e); },
                 [&](const Asked<JobQuery>& e) { client_requests_.On(e); },
                 [&](const Asked<ResultQuery>& e) { client_requests_.On(e); },
                 [&](const Asked<CheckpointsQuery>& e) { client_requests_.On(e); },
                 [&](const Asked<ClusterQuery>& e) { client_requests_.On(e); },
                 [&](const Asked<JobsQuery>& e) { client_requests_.On(e); },
                 [&](const Asked<rpc::DrainRequest>& e) { client_requests_.On(e); },
             },
             event);
  // Deadlines may have passed, whatever the event was.
  machine_.upkeep.ProcessDueTimers();
  sessions_.ExpireSessions();
  machine_.upkeep.Settle();
  leasing_.ServeParked();
  machine_.context.jobs.SetEndedApart();
  step_.End();
}

Instant Core::NextDeadline() const {
  return std::min({fleet_.FirstDue(), machine_.admission.FirstDue(), machine_.upkeep.FirstDue(),
                   machine_.checkpoints.FirstReadEnds(), leasing_.FirstDue()});
}

bool Core::ReadyToStop() const {
  return incarnation_.stopping && std::ranges::all_of(jobs(), [](const auto& entry) {
           return entry.second.saving.round < 0;
         });
}

Status Core::CheckInvariants() const {
  DL_RETURN_IF_ERROR(machine_.upkeep.CheckUpkeep());
  DL_RETURN_IF_ERROR(leasing_.CheckParked());
  DL_RETURN_IF_ERROR(leasing_.CheckMemory());
  for (const auto& [id, job] : machine_.context.jobs.ended()) {
    if (!IsTerminal(job.record.state) || job.phase != Phase::kIdle || !job.units.empty())
      return Internal({.message = "an ended job still has work", .where = id});
    const bool whole = job.damage.ok();  // the checkpoints of a damaged job are unknown
    if (whole && job.record.state == JobState::kSucceeded && !job.HasCheckpoint(job.log.committed))
      return Internal(
          {.message = "a job succeeded without a checkpoint of its final round", .where = id});
  }
  for (const auto& [id, job] : jobs()) {
    DL_RETURN_IF_ERROR(CheckJob(job));
    DL_RETURN_IF_ERROR(machine_.gathering.CheckGathers(job));
    DL_RETURN_IF_ERROR(machine_.trust.CheckTrust(job));
    DL_RETURN_IF_ERROR(CheckRound(job));
  }
  return absl::OkStatus();
}

Status Core::CheckJob(const Job& job) const {
  const auto breach = [&](std::string_view what) {
    return Internal({.message = std::string(what), .where = job.definition.id});
  };
  if (!job.damage.ok()) return breach("a damaged job is active");
  if (job.at > job.log.committed)
    return breach("the engine's round is after the last committed round");
  if (job.log.committed > job.definition.TotalRounds())
    return breach("more rounds are committed than the plan has");
  if (IsTerminal(job.record.state)) return breach("an ended job is among the active jobs");
  if ((job.phase == Phase::kIdle) !=
      (job.record.state == JobState::kQueued || job.record.state == JobState::kPaused))
    return breach("the state and the phase of a job contradict each other");
  const bool computes = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  if (computes && job.AllSettled() && !job.is_adding_up)
    return breach("all units are settled, but the next step has not started");
  const bool reading = job.phase == Phase::kPreparing;
  if (!reading && job.log.committed >= 0 && job.log.LastCommit() == nullptr)
    return breach("the last commit is missing");
  if (!job.log.commits.empty() && job.log.commits.rbegin()->first > job.log.committed)
    return breach("a commit after the last committed round exists");
  if (static_cast<int64_t>(job.log.commits.size()) > 3 * incarnation_.options.commits_kept + 2)
    return breach("more commits are in memory than the limit");
  if (job.phase == Phase::kTraining && job.replaying() && !job.log.commits.contains(job.at + 1))
    return breach("a round is computed again without its commit");
  return absl::OkStatus();
}

// The units of an open round are those of its plan, and no lease belongs to a session that ended.
Status Core::CheckRound(const Job& job) const {
  if (job.phase != Phase::kTraining && job.phase != Phase::kGathering &&
      job.phase != Phase::kMerging) {
    return absl::OkStatus();
  }
  const auto breach = [&](std::string_view what) {
    return Internal({.message = std::string(what), .where = job.definition.id});
  };
  const auto plan =
      dataset::PlanRound(job.definition.plan, job.definition.RoundInEpoch(job.at + 1));
  if (static_cast<int64_t>(job.units.size()) != plan.units)
    return breach("a worker of the round is missing");
  int64_t examples = 0;
  for (const auto& [index, unit] : job.units) {
    examples += unit.examples;
    if (unit.id.round != job.at + 1) return breach("a unit of another round is open");
    if (unit.Undelivered() && fleet_.Find(unit.result.holder) == nullptr)
      return breach("an undelivered result is held by a session that has ended");
    for (const UnitLease& lease : unit.leases) {
      if (fleet_.Find(lease.session) == nullptr)
        return breach("a lease belongs to a session that has ended");
    }
    if (job.phase != Phase::kTraining && !unit.Settled())
      return breach("a unit is merged before it is settled");
    if (job.phase == Phase::kMerging && !unit.result.staged)
      return breach("a contribution is merged before it is staged");
  }
  if (examples != plan.examples)
    return breach("the round has another number of examples than the plan");
  return absl::OkStatus();
}

}  // namespace dl::master
