#include "master/core/views/job_view.h"

#include <algorithm>
#include <utility>

#include "master/core/job/job.h"

namespace dl::master {
namespace {

UnitView MakeUnitView(const Unit& unit) {
  UnitView view{.kind = unit.id.kind,
                .index = unit.id.index,
                .round = unit.id.round,
                .settled = unit.Settled()};
  view.leased_to.reserve(unit.leases.size());
  for (const UnitLease& lease : unit.leases) {
    view.leased_to.push_back(lease.executor);
    view.steps_done = std::max(view.steps_done, lease.steps_done);
    view.steps_total = std::max(view.steps_total, lease.steps_total);
  }
  return view;
}

}  // namespace

MetricsView MakeMetricsView(const nn::MetricSums& sums) {
  MetricsView view{.loss = sums.loss()};
  if (sums.has_accuracy()) view.accuracy = sums.accuracy();
  return view;
}

DistrustView MakeDistrustView(const Attestations& attestations, int64_t last,
                              const std::set<std::string>& quarantined) {
  DistrustView view;
  for (const auto& [executor, since] : attestations.unverified_since) {
    if (since <= last && quarantined.contains(executor)) view.since_round.emplace(executor, since);
  }
  for (const std::string& executor : attestations.source_unverified) {
    if (quarantined.contains(executor)) view.source.push_back(executor);
  }
  return view;
}

ResultView MakeResultView(const Job& job, double wall_seconds,
                          const std::set<std::string>& quarantined) {
  const LogRecord* last = job.log.LastCommit();
  const Traffic& traffic = job.counts.traffic;
  ResultView view{
      .job = job.definition.id,
      .state = job.record.state,
      .reason = job.record.reason,
      .attempt = job.record.attempt,
      .epochs = job.log.committed <= 0 ? 0 : job.log.committed / job.definition.RoundsPerEpoch(),
      .rounds = std::max<int64_t>(0, job.log.committed),
      .examples = job.ExamplesUpTo(job.log.committed),
      .wall_seconds = wall_seconds,
      .traffic = traffic,
      .bytes_per_round =
          (traffic.fetched + traffic.contributed) / std::max<int64_t>(1, job.counts.merged_rounds),
      .kernel_contract = job.record.contract,
      .rollbacks = job.record.rollbacks,
      .distrust = MakeDistrustView(job.attestations, job.log.committed, quarantined),
      .error = job.record.error};
  if (last != nullptr) view.state_sha256 = last->names.state_sha256;
  if (last != nullptr && job.log.committed > 0) view.train = MakeMetricsView(last->epoch_train);
  if (!job.log.evaluations.empty())
    view.test = MakeMetricsView(job.log.evaluations.rbegin()->second.test);
  if (!job.checkpoints.empty())
    view.checkpoint = ToString(CheckpointName{job.definition.id, job.checkpoints.rbegin()->first});
  const EarlyStoppingPolicy& policy = job.definition.early_stopping;
  if (policy.enabled && job.log.best.round >= 0) {
    view.early_stopping = {
        .metric = policy.metric, .best = job.log.best.value, .round = job.log.best.round};
  }
  return view;
}

JobView MakeJobView(const Job& job, ResultView result) {
  JobView view{.result = std::move(result),
               .name = job.definition.name,
               .owner = job.record.owner,
               .message = job.record.message,
               .remedy = job.record.remedy,
               .submitted_unix_ms = job.record.submitted_unix_ms,
               .ended_unix_ms = job.record.ended_unix_ms,
               .epochs_total = job.definition.epochs,
               .rounds_total = job.definition.TotalRounds(),
               .workers = job.definition.plan.workers,
               .seed = job.definition.seed,
               .counts = job.counts,
               .scheduling = job.record.scheduling,
               .unit_memory_bytes = job.definition.unit_bytes,
               .placement = job.affinity.last_executor};
  for (const auto& [executor, kills] : job.kills) view.killed[executor] = kills.in_a_row;
  view.units.reserve(job.units.size());
  for (const auto& [index, unit] : job.units) view.units.push_back(MakeUnitView(unit));
  return view;
}

}  // namespace dl::master
