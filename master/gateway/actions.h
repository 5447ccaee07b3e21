// Actions of users on jobs: submissions and rpc::JobAction. Requests are validated here, outside of
// the core's thread, and are passed to the core with what the store has of the jobs that they name.
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
#include "master/job_definition.h"
#include "master/store_recovery.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe.
class Actions {
 public:
  struct Options {
    storage::MetaStore* meta = nullptr;  // all of these must outlive this object
    Uploads* uploads = nullptr;
    CoreShell* core = nullptr;
    LogLines* log = nullptr;
    DefinitionMaker make_definition = DefinitionFromDocuments;
  };
  explicit Actions(Options options);

  // Submit and Act return errors of the request, of the store and of the core, and Unavailable if
  // their turn has not come by `deadline`. Submit returns FailedPrecondition if a block of the job
  // is not stored. A deletion succeeds even if its space cannot be freed yet; the message says so.
  StatusOr<rpc::SubmitReply> Submit(const rpc::SubmitRequest& request, Duration deadline);
  StatusOr<rpc::JobActionReply> Act(const rpc::JobActionRequest& request, Duration deadline);
  // Deletes a job for retention. Returns an error other than Unavailable if the job must stay: it
  // ended at another time than `ended_unix_ms`, has a pinned checkpoint, is needed by another job,
  // or is read by a client. Waits for the core's answer without a limit, because the caller has to
  // know whether the job was deleted. Returns Unavailable after Close().
  StatusOr<rpc::JobActionReply> DeleteExpired(const std::string& job, int64_t ended_unix_ms);
  // Deletes the checkpoints of the job that are due, if no reader and no other job needs them.
  // Waits for the core's answer without a limit. Returns NotFound if the job was deleted,
  // Job::damage of a damaged job, errors of the store, and Unavailable after Close().
  Status DeleteDueCheckpoints(const std::string& job);
  // Completes unfinished deletions: of an earlier process, of callers that gave up, and after
  // errors.
  void FinishDeletions();
  // Does what FinishDeletions() does, and deletes uploaded blocks that are due and that no job
  // names.
  void CollectUnnamed(const Expiry& uploads);
  // Makes waiting and later callers that need a turn return Unavailable.
  void Close();

 private:
  // Sends the core a request about a job, with the stored job if it has ended. REQUIRES: `request`
  // has its turn.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> Ask(Request request, const std::string& job,
                          std::shared_ptr<const RecoveredJob> Request::*ended, Instant end);
  StatusOr<rpc::JobActionReply> ActInTurn(UserAction action, Instant end);
  // Frees the space of deleted jobs. REQUIRES: the turn of an action.
  Status Collect();

  const Options options_;
  History history_;
  ActionTurns validations_;  // one submission at a time
  ActionTurns turns_;
};

}  // namespace dl::master
