#include "master/gateway/retention.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/unique.h"
#include "master/core/keys.h"
#include "master/job_definition.h"
#include "master/recovery.h"

namespace dl::master {
namespace {

bool IsPinned(const RecoveredJob& job) {
  return std::any_of(job.checkpoints.begin(), job.checkpoints.end(),
                     [](const CheckpointInfo& checkpoint) { return checkpoint.pinned; });
}

}  // namespace

Retention::Retention(Options options)
    : options_(options), history_(*options_.meta, DefinitionFromDocuments) {
  thread_.Post([this] {
    options_.actions->CollectLeft();
    Retain();
  });
}

void Retention::JobEnded() {
  thread_.Post([this] { Retain(); });
}

void Retention::Retain() {
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
    const auto done = options_.actions->Act({.request_id = absl::StrCat("retention-", *number),
                                             .job = *id,
                                             .action = rpc::JobAction::kDelete,
                                             .by = {.role = security::Role::kAdmin}},
                                            limits::kControlDeadline);
    if (!done.ok()) continue;  // another job begins from it, or somebody reads it
    --surplus;
    options_.log->Write(
        absl::StrCat(done->message, ": more than ", options_.keep_jobs, " had ended"));
  }
}

}  // namespace dl::master
