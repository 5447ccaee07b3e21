#include "master/core/machine/job_records.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "master/core/records/checkpoint_record.h"
#include "master/core/records/job_record.h"
#include "master/core/records/report_record.h"

namespace dl::master {

void JobRecords::PersistJob(const Job& job) {
  JobRecord record = job.record;
  record.wall_seconds = WallSeconds(job);
  // The next process of the master judges units by it. It is rounded up, because 0 means unknown.
  const auto unit = std::chrono::ceil<std::chrono::milliseconds>(job.duration_stats.judged_by);
  record.unit_ms = std::min<int64_t>(unit.count(), kLongestUnitMs);
  step_.batch().Put(keys::Job(job.definition.id), RecordText(record));
}

void JobRecords::SetState(Job& job, JobState state, Reason reason, std::string message,
                          rpc::Remedy remedy) {
  job.record.state = state;
  job.record.reason = reason;
  job.record.message = std::move(message);
  job.record.remedy = std::move(remedy);
  job.record.ended_unix_ms = IsTerminal(state) ? step_.wall_unix_ms : 0;
  PersistJob(job);
  step_.EmitEvent(job, StateEvent{.state = state,
                                  .reason = reason,
                                  .message = job.record.message,
                                  .remedy = job.record.remedy});
}

// Complete answers, which the store returns without parsing (History). Later quarantines are added
// to them.
void JobRecords::PersistReports(const Job& job) {
  ResultView result = MakeResultView(job, WallSeconds(job), /*quarantined=*/{});
  PersistReport(job, ReportKind::kResult, ReportText(result));
  PersistReport(job, ReportKind::kJob, ReportText(MakeJobView(job, std::move(result))));
  PersistCheckpointsReport(job);
}

void JobRecords::PersistCheckpointsReport(const Job& job) {
  PersistReport(job, ReportKind::kCheckpoints, ReportText(MakeCheckpointsView(job)));
}

void JobRecords::PersistReport(const Job& job, ReportKind kind, const std::string& report) {
  step_.batch().Put(keys::Ended(job.definition.id, kind), EndedReportText(report));
}

double JobRecords::WallSeconds(const Job& job) const {
  return job.record.wall_seconds +
         (job.active() ? Seconds(step_.now - job.counts.started_at) : 0.0);
}

ResultView JobRecords::ViewResult(const Job& job) const {
  return MakeResultView(job, WallSeconds(job), fleet_.quarantined());
}

void JobRecords::PersistCheckpoint(const Job& job, const CheckpointInfo& checkpoint) {
  const std::string& id = job.definition.id;
  const std::string key = checkpoint.set_aside > 0
                              ? keys::SetAside(id, checkpoint.round, checkpoint.set_aside)
                              : keys::Checkpoint(id, checkpoint.round);
  step_.batch().Put(key, RecordText(checkpoint));
}

}  // namespace dl::master
