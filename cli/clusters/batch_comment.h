// The comment of a batch job with the progress of the training job that it computes. With Slurm,
// `squeue -o %k` and `scontrol show job` show it.
#pragma once

#include <string>

#include "base/interruptible_pause.h"
#include "base/json_fwd.h"
#include "base/thread.h"
#include "launch/clusters/batch_system.h"
#include "rpc/service.h"

namespace dl::cli {

// Returns the comment for a job in the form of QueryJob (cli/jobs/job_query.h): "lenet5-1 RUNNING,
// epoch 2/5, round 120/470, loss 0.3012".
std::string BatchCommentText(const Json& job);

// Sets the comment of a batch job from construction to destruction. Queries the master at once and
// then every 30 seconds, and sets the comment whenever it has changed. Queries that fail are
// repeated after this time. Stops with a warning in the log when the batch system refuses or does
// not answer. The destructor sets no last comment.
class BatchComment {
 public:
  // `client` and `system` must outlive this object. `id` names the batch job, `job` the training
  // job.
  BatchComment(const launch::BatchSystem& system, std::string id, rpc::ClientService& client,
               std::string job);
  ~BatchComment();  // waits for a query and a command of the batch system in progress

 private:
  void Run();

  const launch::BatchSystem& system_;
  const std::string id_, job_;
  rpc::ClientService& client_;
  InterruptiblePause pause_;
  Thread thread_;
};

}  // namespace dl::cli
