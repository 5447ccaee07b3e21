#include "tests/sim/submitted_jobs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "master/store_recovery.h"

namespace dl::sim {

void SubmittedJobs::Submit(const SimJob& job) {
  ++submitted_;
  options_.client->Submit(job, [this](std::string id) {
    if (id.empty()) {
      --submitted_;
      ++given_up_;
    } else {
      ids_.push_back(std::move(id));
    }
  });
}

const master::Job* SubmittedJobs::Find(const std::string& id) {
  if (!options_.master->process) return nullptr;
  if (const master::Job* found = options_.master->process->core().Find(id)) return found;
  const auto ended = master::FindEnded(options_.disk->meta, id, DefinitionOf);
  if (!ended.ok() || *ended == nullptr) return nullptr;
  return &(ended_[id] = master::Restored(**ended));
}

bool SubmittedJobs::IsDone(const master::Job& job) {
  if (job.record.state == master::JobState::kSucceeded) return true;
  if (job.record.state != master::JobState::kFailed) return false;
  if (IsLostBehindARebind(job)) return true;
  const Reference& reference = options_.rules->ledger.ReferenceOf(job.definition.id);
  const master::Reason reason = job.record.reason;
  // It ended where it had to. A defective executor that is alone, or the disk, may have ended it
  // earlier.
  return job.log.committed == reference.last_round &&
         ((reference.fate == SimJob::Fate::kNotFinite && reason == master::Reason::kNotFinite) ||
          (reference.fate == SimJob::Fate::kCrash && reason == master::Reason::kUnitFailed));
}

bool SubmittedJobs::IsDeleted(const std::string& id) const {
  return options_.rules->ledger.job(id).deleted;
}

bool SubmittedJobs::AllDone() {
  return options_.master->process && static_cast<int64_t>(ids_.size()) == submitted_ &&
         std::ranges::all_of(ids_, [this](const std::string& id) {
           if (IsDeleted(id)) return true;
           const master::Job* job = Find(id);
           return job != nullptr && IsDone(*job);
         });
}

void SubmittedJobs::ResumeThoseThatStopped() {
  for (const std::string& id : ids_) {
    const master::Job* job = Find(id);
    if (job == nullptr || IsDone(*job)) continue;
    const master::JobState state = job->record.state;
    if (state == master::JobState::kFailed || state == master::JobState::kCancelled ||
        state == master::JobState::kPaused)
      options_.client->Act(id, rpc::JobAction::kResume);
  }
}

void SubmittedJobs::CountFacts() {
  if (!options_.master->process) return;
  ScheduleReport& report = *options_.report;
  for (const std::string& id : ids_) {
    const master::Job* job = options_.master->process->core().Find(id);
    if (job == nullptr) continue;  // it ended in an earlier process of the master
    report.second_leases += job->counts.second_leases;
    report.expired_leases += job->counts.expired_leases;
    report.duplicates += job->counts.duplicate_results;
    report.replayed += job->counts.replayed_rounds;
  }
}

std::string SubmittedJobs::Describe() {
  std::string states;
  for (const std::string& id : ids_) {
    const master::Job* job = Find(id);
    absl::StrAppend(&states, " ", id, "=",
                    job == nullptr ? "?" : std::string(master::JobStateName(job->record.state)));
    if (job == nullptr) continue;
    absl::StrAppend(&states, "/phase ", static_cast<int>(job->phase), "/at ", job->at, "/",
                    job->record.message);
    for (const auto& [index, unit] : job->units) {
      absl::StrAppend(&states, "; unit ", index, " accepted=", unit.accepted,
                      " staged=", unit.result.staged, " results=", unit.results.size(),
                      " leases=", unit.leases.size(), " errors=", unit.errors.size());
      for (const master::UnitLease& lease : unit.leases)
        absl::StrAppend(&states, " of ", lease.executor, lease.still ? " (still)" : "");
    }
    for (const auto& [executor, kills] : job->kills)
      absl::StrAppend(&states, "; ", executor, " was killed ", kills.in_a_row, " times");
  }
  return states;
}

// Whether the job can never continue: all checkpoints since its last change of kernel contract are
// damaged, and earlier rounds cannot be computed again under the current contract.
bool SubmittedJobs::IsLostBehindARebind(const master::Job& job) const {
  const std::string& id = job.definition.id;
  const DurableJob& durable = options_.rules->ledger.job(id);
  const auto& contracts = durable.basis.trained_under;  // by the first round under each contract
  const int64_t rebound_at = contracts.empty() ? 0 : contracts.rbegin()->first - 1;
  return job.record.state == master::JobState::kFailed &&
         job.record.reason == master::Reason::kStorage && rebound_at > 0 &&
         std::ranges::all_of(durable.checkpoints, [&](int64_t round) {
           return round < rebound_at ||
                  options_.disk->damaged.contains(absl::StrCat(id, "@", round));
         });
}

// Whether a liar was not caught, or only after the job had ended.
bool SubmittedJobs::MayHoldLies(const master::Job& job) const {
  const auto& quarantined = options_.master->process->core().quarantined();
  const bool caught = quarantined.contains("e0");
  const auto since = job.attestations.unverified_since.find("e0");
  return !caught ||
         (since != job.attestations.unverified_since.end() && since->second <= job.log.committed);
}

void SubmittedJobs::CheckResults() {
  int64_t made = 0;
  (void)options_.disk->meta.Scan(master::keys::kJobPrefix,
                                 [&](std::string_view key, std::string_view) {
                                   if (!key.substr(key.find('/') + 1).starts_with(kPassingJob))
                                     ++made;
                                   return absl::OkStatus();
                                 });
  made += std::ranges::count_if(ids_, [this](const std::string& id) { return IsDeleted(id); });
  // An earlier message of a submission that was given up may arrive when its source exists again:
  // the checkpoint was not durable when the master was killed, and is written again.
  if (made < submitted_ || made > submitted_ + given_up_)
    options_.breach(absl::StrCat(submitted_, " submissions made ", made, " jobs"));
  for (const std::string& id : ids_) {
    if (IsDeleted(id)) continue;  // the ledger checked each of its commits
    const master::Job* job = Find(id);
    const Reference& reference = options_.rules->ledger.ReferenceOf(id);
    if (job != nullptr && options_.rules->audit.expected.lies && MayHoldLies(*job)) continue;
    if (job != nullptr && IsLostBehindARebind(*job)) {
      ++options_.report->lost_behind_a_rebind;
      continue;
    }
    if (job == nullptr || job->log.committed != reference.last_round ||
        job->log.commits.at(job->log.committed).names.state_sha256 !=
            reference.states.back().names.state_sha256) {
      options_.breach(absl::StrCat(id, " did not end with the reference run's state:", Describe()));
    }
  }
}

}  // namespace dl::sim
