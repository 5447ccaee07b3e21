#include "master/core/machine/admission.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {

// Executors came, left or changed in trust, so other jobs may find a kernel contract.
void Admission::AskAgain() {
  uses_.queue.changed = true;
  if (round_is_over_) {
    unbound_.clear();
    round_is_over_ = false;
  } else {
    another_round_ = true;
  }
}

void Admission::ProcessDueTimers() {
  work_left_ = {};
  if (step_.came >= decided_) {
    decided_ = Instant::Max();
    AskAgain();
  }
  if (step_.now < std::min(goes_on_, uses_.queue.FirstDue())) return;
  goes_on_ = Instant::Max();
  uses_.queue.changed = true;
  while (uses_.queue.FirstDue() <= step_.now && MayChangeState())
    uses_.queue.PersistNextSuccessor();
}

void Admission::EndRound() {
  round_is_over_ = true;
  if (!std::exchange(another_round_, false)) return;
  unbound_.clear();
  round_is_over_ = false;
  goes_on_ = step_.now;
}

bool Admission::MayChangeState() {
  if (work_left_.changes-- > 0) return true;
  goes_on_ = step_.now;
  return false;
}

// A job that waits for executors does not count, so that it delays no other job.
void Admission::Count(const Job& job, Used& used) const {
  if (!job.active()) return;
  if (!uses_.waiting.LacksExecutors(job)) ++used.running;
  used.memory += job.definition.MasterBytes(incarnation_.options.staging_bytes);
}

std::optional<BlockedReason> Admission::ReasonWithoutContract(Job& job) {
  if (!job.record.contract.empty()) return BlockedReason{};
  Question question{.isa = job.WantedIsa(),
                    .kernels = job.definition.kernels,
                    .precision = job.definition.precision,
                    .needs = job.needs,
                    .unit_bytes = job.definition.unit_bytes};
  if (const auto asked = unbound_.find(question); asked != unbound_.end()) return asked->second;
  // Number per session in Contracts::Bind and Eligibility::ReasonWithoutContract.
  constexpr int64_t kLooksOfAQuestion = 12;
  if (work_left_.looks <= 0) {
    goes_on_ = step_.now;
    return std::nullopt;
  }
  work_left_.looks -= kLooksOfAQuestion * static_cast<int64_t>(fleet_.sessions().size());
  if (uses_.contracts.Bind(job)) return BlockedReason{};
  for (const auto& [id, session] : fleet_.sessions()) {
    const Instant decided = eligibility_.ContractDecidedAt(session.joined);
    if (decided > step_.came) decided_ = std::min(decided_, decided);
  }
  return unbound_.emplace(std::move(question), eligibility_.ReasonWithoutContract(job))
      .first->second;
}

std::optional<BlockedReason> Admission::StartBlockedReason(Job& job, const Used& used,
                                                           const Status& fits) {
  const std::string& id = job.definition.id;
  if (BlockedReason blocked = QueueBlockedReason(job); blocked.reason != Reason::kNone)
    return blocked;
  if (!fits.ok()) {
    return BlockedReason{Reason::kWaitingForMemory,
                         absl::StrCat(std::string(fits.message()),
                                      ". It continues under a master with a larger --memory")};
  }
  if (used.running >= incarnation_.options.max_running_jobs) {
    return BlockedReason{Reason::kWaitingForJobs,
                         absl::StrCat(used.running, " jobs are running, which is the limit"),
                         {.kind = rpc::RemedyKind::kShowQueue, .job = id}};
  }
  if (used.memory > 0 &&
      used.memory + job.definition.MasterBytes(incarnation_.options.staging_bytes) >
          incarnation_.options.memory_bytes) {
    return BlockedReason{Reason::kWaitingForMemory,
                         "the running jobs use the master's memory budget"};
  }
  return ReasonWithoutContract(job);
}

void Admission::StartQueuedJobs() {
  if (fleet_changes_.TakeRecorded()) AskAgain();
  uses_.queue.changed = false;
  if (incarnation_.stopping || uses_.queue.size() == 0) return EndRound();
  Used used;
  for (const auto& [id, job] : jobs_.live()) Count(job, used);
  bool all_asked = true;
  for (const std::string& id : uses_.queue.Order()) {
    Job& job = jobs_.At(id);
    const Status fits = uses_.queue.CheckFitsAlone(job.definition);
    if (!fits.ok() && job.log.committed < 0) {
      if (!MayChangeState()) continue;
      uses_.queue.Take(job);
      uses_.endings.End(job, JobState::kRejected, Reason::kTooLarge, fits);
      continue;
    }
    const std::optional<BlockedReason> blocked = StartBlockedReason(job, used, fits);
    all_asked &= blocked.has_value();
    if (!blocked) continue;
    if (blocked->reason == Reason::kNone) {
      uses_.queue.Take(job);
      uses_.start.StartJob(job);
      Count(job, used);
      continue;
    }
    const bool changes = blocked->reason == Reason::kWaitingForLargerExecutors ||
                         blocked->reason == Reason::kWaitingForDependency;
    if (job.record.reason == blocked->reason && !changes) continue;
    if (job.record.reason == blocked->reason && job.record.message == blocked->message) continue;
    if (MayChangeState()) uses_.waiting.WaitFor(job, JobState::kQueued, *blocked);
  }
  if (all_asked) EndRound();
}

// Returns why the job named by `after` keeps this job waiting.
BlockedReason Admission::QueueBlockedReason(const Job& job) const {
  const std::string& after = job.record.scheduling.after;
  if (after.empty()) return {};
  if (jobs_.live().contains(after) && !IsTerminal(jobs_.At(after).record.state))
    return {Reason::kWaitingForDependency,
            absl::StrCat("it begins when ", after, " has SUCCEEDED")};
  return {Reason::kWaitingForDependency,
          absl::StrCat("it begins when ", after,
                       " has SUCCEEDED, but that job has ended otherwise or is deleted"),
          {.kind = rpc::RemedyKind::kResumeOther, .job = after}};
}

}  // namespace dl::master
