// What users do to jobs: submit, cancel, resume, delete. Requests are validated here, where the
// core need not wait for it, and the core gets with them what the store knows of the job that they
// name.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "master/gateway/action_turns.h"
#include "master/gateway/core_shell.h"
#include "master/gateway/expiry.h"
#include "master/gateway/log_lines.h"
#include "master/gateway/uploads.h"
#include "master/history.h"
#include "rpc/messages.h"
#include "storage/blob_store.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Actions {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // all of these outlive it
    Uploads* uploads = nullptr;
    storage::BlobStore* blobs = nullptr;
    CoreShell* core = nullptr;
    LogLines* log = nullptr;
  };
  explicit Actions(Options options);

  StatusOr<rpc::SubmitReply> Submit(const rpc::SubmitRequest& request, Duration deadline);
  StatusOr<rpc::JobActionReply> Act(const rpc::JobActionRequest& request, Duration deadline);
  // Deletes a job for retention, unless it ended at another time than `ended_unix_ms` or has a
  // pinned checkpoint. Waits for the core's answer however long that takes: without the answer the
  // caller could not say how many jobs are left.
  StatusOr<rpc::JobActionReply> DeleteExpired(const std::string& job, int64_t ended_unix_ms);
  // Gives back what deletions of an earlier life left.
  void CollectLeft();
  // And what was uploaded, is due, and no job named.
  void CollectUnnamed(const Expiry& uploads);
  // Whoever waits for a turn gives up, and later callers do not wait.
  void Close();

 private:
  // Asks the core something that names a job, with what the store knows of the job if it ended.
  // REQUIRES: `request` has its turn.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> Ask(Request request, const std::string& job,
                          std::shared_ptr<const RecoveredJob> Request::*ended, Instant end);
  StatusOr<rpc::JobActionReply> ActInTurn(UserAction action, Instant end);
  // Gives back what deleted jobs used. REQUIRES: the turn of an action.
  Status Collect();

  const Options options_;
  History history_;
  ActionTurns validations_;  // one submission at a time
  ActionTurns turns_;
};

}  // namespace dl::master
