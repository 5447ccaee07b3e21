#include "master/core/views/checkpoint_view.h"

#include <utility>

#include "master/core/job/job.h"

namespace dl::master {
namespace {

std::string ContractOf(const Job& job, const CheckpointInfo& info) {
  // The log has the contracts of rounds that count.
  if (!info.kernel_contract.empty() || info.set_aside > 0) return info.kernel_contract;
  return job.log.head.ContractOf(info.round);
}

CheckpointView MakeView(const Job& job, const CheckpointInfo& info) {
  return {.checkpoint = ToString(CheckpointName{job.definition.id, info.round, info.set_aside}),
          .round = info.round,
          .epoch = info.round == 0 ? 0 : job.definition.EpochOf(info.round) + 1,
          .state_sha256 = info.names.state_sha256,
          .parts = info.names.parts,
          .pinned = info.pinned,
          .kernel_contract = ContractOf(job, info),
          .set_aside = info.set_aside,
          .set_aside_unix_ms = info.set_aside_unix_ms,
          .manifest = info.manifest};
}

}  // namespace

CheckpointsView MakeCheckpointsView(const Job& job) {
  CheckpointsView view;
  for (const auto& [name, info] : job.set_aside) view.checkpoints.push_back(MakeView(job, info));
  for (const auto& [round, info] : job.checkpoints) {
    CheckpointView checkpoint = MakeView(job, info);
    checkpoint.best = round == job.log.best.round;
    if (const auto found = job.log.evaluations.find(round); found != job.log.evaluations.end())
      checkpoint.test = MakeMetricsView(found->second.test);
    view.checkpoints.push_back(std::move(checkpoint));
  }
  return view;
}

}  // namespace dl::master
