// Deleting jobs that ended: on request, and by the retention setting.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/unique.h"
#include "master/collection.h"
#include "master/core/keys.h"
#include "master/gateway.h"

namespace dl::master {
namespace {

bool IsPinned(const RecoveredJob& job) {
  return std::any_of(job.checkpoints.begin(), job.checkpoints.end(),
                     [](const CheckpointInfo& checkpoint) { return checkpoint.pinned; });
}

}  // namespace

Status Gateway::Collect() {
  const Status done = CollectDeleted(*options_.meta, *options_.blobs);
  if (!done.ok()) WriteLog("giving back the space of deleted jobs: " + DescribeError(done));
  return done;
}

void Gateway::Retain() {
  if (options_.keep_jobs == 0) return;
  std::vector<std::string> ids;  // as they were submitted
  const Status listed =
      options_.meta->Scan(keys::kNumberPrefix, [&](std::string_view, std::string_view id) {
        ids.emplace_back(id);
        return absl::OkStatus();
      });
  std::erase_if(
      ids, [&](const std::string& id) { return !HasEnded(*options_.meta, id).value_or(false); });
  auto surplus = static_cast<int64_t>(ids.size()) - options_.keep_jobs;
  for (auto id = ids.begin(); listed.ok() && surplus > 0 && id != ids.end(); ++id) {
    const auto job = history_.Find(*id);
    const StatusOr<uint64_t> number = UniqueNumber();
    if (!job.ok() || *job == nullptr || !number.ok() || IsPinned(**job)) continue;
    const auto done = Act({.request_id = absl::StrCat("retention-", *number),
                           .job = *id,
                           .action = rpc::JobAction::kDelete},
                          limits::kControlDeadline);
    if (!done.ok()) continue;  // another job begins from it, or somebody reads it
    --surplus;
    WriteLog(absl::StrCat(done->message, ": more than ", options_.keep_jobs, " had ended"));
  }
}

}  // namespace dl::master
