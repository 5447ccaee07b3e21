// The bulk side of the master. It holds the states of running jobs, stages contributions, merges
// rounds, and reads and writes checkpoints. It executes effects of the core and answers with
// events; it decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "base/work_queue.h"
#include "master/core/master_events.h"
#include "master/merge/checkpoint_writing.h"
#include "master/merge/merge_work.h"
#include "master/merge/receiving.h"
#include "master/merge/round_state.h"
#include "master/merge/running_jobs.h"
#include "master/merge/shortage_retries.h"
#include "rpc/messages.h"
#include "storage/checkpoint_store.h"

namespace dl::master {

// Thread-safe.
class MergeEngine {
 public:
  struct Options {
    storage::CheckpointStore* checkpoints = nullptr;  // must outlive the engine
    // Part of the names of the checkpoints that this process writes.
    uint64_t term = 0;
    // Reads the model and the strategy of a job. Called on the merge thread. StatePrepared reports
    // its error.
    std::function<StatusOr<JobMaterial>(const std::string& job)> material;
    std::function<void(Event)> post;  // into the core's queue; thread-safe
    MakeWorkQueue make_queue = StartWorkerThread;
  };
  // Destruction drops queued work and waits for the tasks in progress, such as a checkpoint that is
  // being written.
  explicit MergeEngine(Options options);
  ~MergeEngine() { shortage_.Stop(); }

  // Retries of the engine's work when file descriptors or memory are exhausted.
  ShortageRetries& shortage() { return shortage_; }

  // Each executes an effect of the core. States are prepared and merged, and checkpoints written
  // and deleted, on other threads. A job is running from its first prepared state until ReleaseJob.
  // Merge and WriteCheckpoint of a job that is not running are answered with an error; other
  // effects of it, except PrepareState and DeleteCheckpoint, are ignored.
  void Do(const PrepareState& effect);
  void Do(const OpenRound& effect);
  void Do(const ExpectContribution& effect);
  void Do(const DropContribution& effect);
  void Do(const OpenGather& effect);
  void Do(const ExpectGather& effect);
  void Do(const DropGather& effect);
  void Do(const Merge& effect);
  void Do(const Publish& effect);
  void Do(const Retire& effect);
  void Do(const ExpectPart& effect);
  void Do(const WriteCheckpoint& effect);
  void Do(const DeleteCheckpoint& effect);
  void Do(const ReleaseJob& effect);

  // Returns a chunk of a part of the published state; the first chunk has the piece hashes. Returns
  // NotFound if the job is not running or its published state has no such part, and errors of
  // Slice.
  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest& request);
  // Receives a chunk of a contribution. The receipt is kUnwanted if the core does not expect it
  // from this session. Returns errors of Receiver::Take, CheckContribution and CheckGathered.
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk& chunk);
  // Takes the contribution of an executor in this process. The vector is shared without a copy and
  // must not change any more. The receipt is kUnwanted if the core does not expect it from this
  // session. It is not compared with the announcement. Returns InvalidArgument for a vector of
  // another size than the job's.
  StatusOr<rpc::ContributionReply> Contribute(uint64_t session, const UnitId& unit, uint64_t hash,
                                              SharedVector vector);
  // Returns the part of the published state, or null.
  SharedVector FindPart(const std::string& job, const std::string& sha256);
  // Receives a chunk of a part that the core requested from an executor. Ignores parts that are not
  // needed. Returns NotFound if the job is not running, InvalidArgument if no part has this size or
  // the part has not begun, and DataLoss if its piece hashes do not give its name. Other errors are
  // those of Receiver::Take.
  Status OfferPart(const rpc::OfferChunk& chunk);

 private:
  RoundStates::State Published(const std::string& job) const;  // or null

  const std::function<void(Event)> post_;
  RunningJobs jobs_;
  ShortageRetries shortage_;
  MergeWork merges_;
  Receiving receiving_;
  CheckpointWriting checkpoints_;
};

}  // namespace dl::master
